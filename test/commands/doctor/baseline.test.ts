import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, outputs, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

describe('doctor --api --baseline', () => {
  let file: string;
  beforeEach(() => {
    file = join(temporaryDirectory(), 'api.json');
  });
  const at = async (send?: (real: Send) => Send) => {
    const world = await createWorld();
    return (more: WorldOptions = {}, flags = '--json') =>
      world.run(`doctor --api --baseline ${file} ${flags}`, { ...(send && { send: send(world.service) }), ...more });
  };
  /** A service that replies to one path in another way. */
  const replying =
    (path: string, status: number, body: object): ((real: Send) => Send) =>
    (real) =>
    async (request) =>
      new URL(request.url).pathname === path
        ? { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : real(request);

  test('writes the first run, and says nothing as long as nothing changes', async () => {
    const run = await at();
    const first = await run();
    expect([first.code, first.stdout, first.stderr]).toEqual([0, '', expect.stringContaining('Wrote')]);
    const baseline = JSON.parse(readFileSync(file, 'utf8'));
    expect([baseline.service, Object.keys(baseline.seen).length]).toEqual([
      'http://127.0.0.1:4010',
      expect.any(Number),
    ]);
    expect(readFileSync(file, 'utf8')).not.toMatch(/@|Ada|Intro call/);
    const second = await run();
    expect([second.code, second.stdout]).toEqual([0, '[]\n']);
    expect((await run({ terminals: outputs }, '')).stderr).toContain('Nothing has changed since the last run');
  });

  test('tells each change once, with exit code 7, whether or not it is better', async () => {
    const [usual, gone] = [await at(), await at(replying('/locations', 404, { title: 'Not found' }))];
    await usual();
    const changed = await gone();
    expect(changed.code).toBe(7);
    const findings = JSON.parse(changed.stdout) as { check: string; finding: string }[];
    expect(findings.map(({ check }) => check)).toEqual(['path.locations.list']);
    expect(findings[0]!.finding).toContain('before: holds (200)');
    expect((await gone()).code).toBe(0);
    const back = await usual({ terminals: outputs }, '');
    expect([back.code, back.stdout]).toEqual([7, expect.stringContaining('locations.list')]);
    expect((await usual()).code).toBe(0);
  });

  test('is not woken by more records, or by a service that does not reply', async () => {
    const usual = await at();
    await usual();
    const fewer: (real: Send) => Send = (real) => async (request) => {
      const reply = await real(request);
      if (new URL(request.url).pathname !== '/event_types' || reply.status !== 200) return reply;
      const body = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify({ ...body, collection: body.collection.slice(0, 2) }) };
    };
    expect(JSON.parse((await (await at(fewer))()).stdout)).toEqual([]);
    const down = await (await at(replying('/locations', 503, {})))({}, '--json --no-wait');
    expect([down.code, down.stdout]).toEqual([0, '[]\n']);
  });

  test.each([
    ['something else', '{"name":"x"}'],
    ['no JSON', 'hello'],
    ['another service', '{"doctor_baseline":1,"service":"https://other.example","seen":{}}'],
  ])('does not replace %s', async (_, text) => {
    writeFileSync(file, text);
    const { code, stderr } = await (await at())();
    expect([code, readFileSync(file, 'utf8')]).toEqual([2, text]);
    expect(stderr).toMatch(/is not a baseline|of another service/);
  });

  test('does not follow a link, and works alone', async () => {
    const other = join(temporaryDirectory(), 'other');
    writeFileSync(other, 'keep');
    symlinkSync(other, file);
    const run = await at();
    expect((await run()).code).not.toBe(0);
    expect(readFileSync(other, 'utf8')).toBe('keep');
    const { stderr, code } = await run({}, '--only lists');
    expect([code, stderr]).toEqual([2, expect.stringContaining("--only can't be used with --baseline")]);
  });
});
