import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, type Result, type TestWorld, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld({ home: temporaryDirectory(), columns: 80 });
});

const posts = ({ requests }: Result) => requests.filter(({ method }) => method === 'POST').map(({ url }) => url);
const listed = async (flags: string): Promise<{ uri: string }[]> =>
  JSON.parse((await world.run(`events list ${flags} --json`)).stdout);

describe('events cancel with filters', () => {
  test('shows what it found, asks, cancels exactly that, and writes a receipt', async () => {
    const before = await listed('--any-time');
    const wanted = await listed('--tomorrow --status active');
    const result = await world.run('events cancel --tomorrow --reason Ill', { terminals, stdin: 'y\n' });
    expect(result.screen).toContain(
      'Cancel 3 events and notify 3 people?\n  × Mon 16 Nov 09:00–10:00  Partner interview · Björk\n',
    );
    expect(result.screen).toContain('Reason: Ill\n');
    expect(result.stdout).toMatch(/^✔ 3 of 3 canceled\nReceipt: ~\//);
    expect(posts(result)).toEqual(wanted.map(({ uri }) => `${uri}/cancellation`));
    const untouched = (events: { uri: string }[]) =>
      events.filter(({ uri }) => wanted.every((event) => event.uri !== uri));
    expect(untouched(await listed('--any-time'))).toEqual(untouched(before));
  });

  test('needs the number of events without a terminal', async () => {
    const asked = await world.run('events cancel --tomorrow');
    expect([asked.code, posts(asked)]).toEqual([12, []]);
    expect(asked.stderr).toContain('try: sched events cancel --tomorrow --confirm 3\n');
    const other = await world.run('events cancel --tomorrow --confirm 2');
    expect([other.code, posts(other)]).toEqual([7, []]);
    const { code, stdout } = await world.run('events cancel --tomorrow --confirm 3 --json');
    const { accepted, receipt } = JSON.parse(stdout);
    expect([code, accepted, readFileSync(receipt, 'utf8')]).toEqual([0, 3, expect.stringContaining('events.cancel')]);
    const again = await world.run('events cancel --tomorrow --confirm 3 --json');
    expect([again.code, posts(again), JSON.parse(again.stdout)]).toEqual([
      0,
      [],
      { run: null, total: 0, accepted: 0, rejected: 0, unknown: 0, skipped: 0, receipt: null, head: null },
    ]);
  });

  test('never cancels an event that has begun or is canceled, even if the service ignores the filters', async () => {
    const now = world.clock.now();
    const dry = await world.run('events cancel --since -60d --org current --dry-run', {
      send: async (request) =>
        world.service({ ...request, url: request.url.replace(/&(min_start_time|status)=[^&]*/g, '') }),
    });
    const urls: string[] = JSON.parse(dry.stdout).map(({ url }: { url: string }) => url.replace('/cancellation', ''));
    const all = (await listed('--any-time --org current')) as { uri: string; status: string; start_time: string }[];
    const ahead = all.filter(({ status, start_time: start }) => status === 'active' && Date.parse(start) > now);
    expect(urls.toSorted()).toEqual(ahead.map(({ uri }) => uri).toSorted());
    expect(ahead.length).toBeLessThan(all.length);
    const past = await world.run('events cancel --until -1d --yes');
    expect([past.code, past.stderr, posts(past)]).toEqual([0, expect.stringContaining('Nothing to cancel'), []]);
  });

  test.each([
    ['ABC --tomorrow', "An event can't be used with --tomorrow"],
    ['--from - --tomorrow --search x', "--from can't be used with --tomorrow, --search"],
    ['--org current', '--org only says whose events'],
    ['ABC --confirm 3', '--confirm needs a filter or --from'],
    ['--tomorrow --confirm many', '--confirm must be a whole number'],
    ['--tomorrow --status canceled', 'Unknown flag --status'],
    ['', 'Missing argument <event>'],
  ])('refuses %j before any request', async (words, problem) => {
    const { code, stderr, requests } = await world.run(`events cancel ${words}`);
    expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining(problem)]);
  });
});
