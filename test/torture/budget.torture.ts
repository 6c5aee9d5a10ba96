import { expect, test } from 'vitest';
import { sched, temporaryHome } from '../e2e/program.ts';
import { fetching, smallService } from '../e2e/small-service.ts';

// R30
test('eight processes send 40 requests at 10 per four seconds without a 429, and all exit 0', async () => {
  const service = await smallService({ limit: { limit: 10, windowMs: 4000 } });
  try {
    const home = temporaryHome();
    const { words, env } = fetching(service, 5);
    const results = await Promise.all(Array.from({ length: 8 }, () => sched(words, home, env)));
    process.stdout.write(`${JSON.stringify({ ...service.seen, codes: results.map(({ code }) => code) })}\n`);
    expect(results.map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(service.seen).toMatchObject({ answered: 40, refused: 0 });
    expect(results.some(({ stderr }) => /Rate limit reached: waiting \d s, until /.test(stderr))).toBe(true);
  } finally {
    service.close();
  }
});
