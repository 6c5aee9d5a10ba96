import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, eventTypeNamed, jsonOf, type TestWorld, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('availability update', () => {
  const schedule = async () => {
    const type = await eventTypeNamed(world, 'Intro call');
    const [first] = jsonOf(await world.run(`availability list --event-type ${type.uri} --json`));
    return { type: type.uri as string, ...first };
  };

  test('adds a day off and keeps the other rules', async () => {
    const before = await schedule();
    const { code, stdout, stderr } = await world.run(
      `availability update ${before.uri} --event-type ${before.type} --day-off 2027-12-24 --yes --json`,
    );
    expect(code).toBe(0);
    expect(stderr).toContain('Fri 24 Dec 2027: 09:00–12:30, 13:00–17:00 → off');
    expect(JSON.parse(stdout).rules).toEqual([...before.rules, { type: 'date', date: '2027-12-24', intervals: [] }]);
  });

  test('prints a line with short IDs that brings the hours back', async () => {
    world = await createWorld({ home: temporaryDirectory('home'), columns: 200 });
    const before = await schedule();
    const asked = { terminals, stdin: 'y\n' };
    const words = `${before.uri} --event-type ${before.type} --rule "friday 09:00-12:00" --day-off 2027-12-24`;
    const { screen } = await world.run(`availability update ${words}`, asked);
    const [, undo] = /✔ Changed: Working hours.*\n {2}Undo {2}sched (.+)\n/.exec(screen)!;
    expect(undo).toMatch(
      /^availability update \w{4} --event-type \w{4} --rule 'friday 09:00-12:30,13:00-17:00' --remove/,
    );
    expect((await world.run(undo!, asked)).code).toBe(0);
    expect(await schedule()).toEqual(before);
  });

  test('says that a weekday is taken off every week', async () => {
    const { uri, type } = await schedule();
    const { stderr } = await world.run(`availability update ${uri} --event-type ${type} --day-off friday --dry-run`);
    expect(stderr).toContain('every Friday: 09:00–12:30, 13:00–17:00 → off');
  });

  test.each([
    ['', 'Tue 17 Nov'],
    ['--timezone America/Los_Angeles', 'Mon 16 Nov'],
  ])("reads tomorrow in the schedule's time zone, not in the user's: %s", async (flags, date) => {
    const { uri, type, timezone } = await schedule();
    expect(timezone).toBe('Europe/Berlin');
    // After midnight in Berlin, but not in New York.
    const late = await createWorld({ start: Date.parse('2026-11-15T23:30:00Z') });
    const line = `availability update ${uri} --event-type ${type} --day-off tomorrow ${flags} --tz America/New_York`;
    const { code, stderr } = await late.run(`${line} --dry-run`);
    expect(code).toBe(0);
    expect(stderr).toContain(`${date}: 09:00–12:30, 13:00–17:00 → off`);
  });

  test('takes off each date of a range, and removes their rules again', async () => {
    const { uri, type, rules } = await schedule();
    const line = `availability update ${uri} --event-type ${type} --yes --json`;
    const off = jsonOf(await world.run(`${line} --day-off 2027-12-24..2027-12-26`)).rules.slice(rules.length);
    expect(off.map(({ date }: { date: string }) => date)).toEqual(['2027-12-24', '2027-12-25', '2027-12-26']);
    expect(jsonOf(await world.run(`${line} --remove 2027-12-24..2027-12-26`)).rules).toEqual(rules);
  });

  test('rejects a date that is also in a range', async () => {
    const flags = '--day-off 2027-12-24..2027-12-26 --remove 2027-12-25';
    const { code, stderr } = await world.run(`availability update S --event-type T ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('2027-12-25 is given twice')]);
  });

  test('asks for confirmation, and reports if there is nothing to change', async () => {
    const before = await schedule();
    const line = `availability update ${before.uri} --event-type ${before.type} --day-off 2027-12-24`;
    expect((await world.run(line)).code).toBe(12);
    expect((await world.run(`${line} --yes`)).code).toBe(0);
    const again = await world.run(`${line} --json`);
    expect(jsonOf(again)._sched).toEqual({ already: true });
  });

  test('with --dry-run shows the whole difference before the request', async () => {
    const { uri, type } = await schedule();
    const { stdout, stderr, screen } = await world.run(
      `availability update ${uri} --event-type ${type} --day-off fri --day-off sat --dry-run`,
    );
    expect(stderr).toBe('every Friday: 09:00–12:30, 13:00–17:00 → off\nevery Saturday: no hours → off\n');
    expect(screen).toBe(stderr + stdout);
  });

  test('replaces all rules with --replace', async () => {
    const before = await schedule();
    const { requests } = await world.run([
      'availability',
      'update',
      before.uri,
      '--event-type',
      before.type,
      '--replace',
      '--rule',
      'monday 09:00-12:00,13:00-17:00',
      '--yes',
    ]);
    expect(JSON.parse(requests.findLast(({ method }) => method === 'PATCH')!.body!)).toEqual({
      rules: [
        {
          type: 'wday',
          wday: 'monday',
          intervals: [
            { from: '09:00', to: '12:00' },
            { from: '13:00', to: '17:00' },
          ],
        },
      ],
    });
  });

  test('reports all problems together, and sends nothing', async () => {
    const wrong = await world.run(
      'availability update S --rule "mnoday 09:00-10:00" --day-off 2026-02-30 --timezone CET',
    );
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    for (const part of [
      'Did you mean monday?',
      '"2026-02-30" is not a day',
      'CET',
      'Missing required flag --event-type',
    ]) {
      expect(wrong.stderr).toContain(part);
    }
  });
});
