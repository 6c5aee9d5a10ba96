import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { emailText, hasTwelveHours } from '../../../src/commands/slots/email-text.ts';
import { wallClock } from '../../../src/time/show.ts';
import { utcText } from '../../../src/time/wall.ts';
import { createWorld, outputs, someday, type TestWorld } from '../../support/run.ts';
import { runs } from '../../support/tier.ts';

const minute = 60_000;

const textOf = (
  slots: readonly [start: string, end: string][],
  { zone = 'Europe/Paris', isTwelveHours = false, type = {} } = {},
) =>
  emailText({
    type,
    slots: slots.map(([start, end]) => ({ start_time: start, end_time: end })),
    zone,
    now: someday,
    isTwelveHours,
  });

describe('text of free times', () => {
  it.each<[string, [string, string][], object, string]>([
    [
      'joins times that touch, and names the day once',
      [
        ['2026-11-18T08:00:00Z', '2026-11-18T08:30:00Z'],
        ['2026-11-18T08:30:00Z', '2026-11-18T09:00:00Z'],
        ['2026-11-18T13:00:00Z', '2026-11-18T13:30:00Z'],
        ['2026-11-19T08:00:00Z', '2026-11-19T08:30:00Z'],
      ],
      {},
      'Wed 18 Nov: 9:00–10:00 and 14:00–14:30 (Paris time)\nThu 19 Nov: 9:00–9:30 (Paris time)\n',
    ],
    [
      'joins times that overlap',
      [
        ['2026-11-18T08:00:00Z', '2026-11-18T09:00:00Z'],
        ['2026-11-18T08:30:00Z', '2026-11-18T09:30:00Z'],
      ],
      {},
      'Wed 18 Nov: 9:00–10:30 (Paris time)\n',
    ],
    [
      'has noon and midnight on a clock of twelve hours',
      [
        ['2026-11-18T00:00:00Z', '2026-11-18T00:30:00Z'],
        ['2026-11-18T11:30:00Z', '2026-11-18T12:30:00Z'],
        ['2026-11-18T23:30:00Z', '2026-11-19T00:00:00Z'],
      ],
      { zone: 'UTC', isTwelveHours: true },
      'Wed 18 Nov: 12:00 am–12:30 am, 11:30 am–12:30 pm and 11:30 pm–12:00 am (UTC)\n',
    ],
    [
      'says which of two equal times it means when the clocks go back',
      [
        ['2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z'],
        ['2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z'],
      ],
      {},
      'Sun 25 Oct: 2:30 (UTC+02:00)–2:00 (UTC+01:00) and 2:30 (UTC+01:00)–3:00 (Paris time)\n',
    ],
    [
      'names the year if it is another one, and a zone by its place',
      [['2027-01-04T12:00:00Z', '2027-01-04T12:30:00Z']],
      { zone: 'America/Argentina/Buenos_Aires' },
      'Mon 4 Jan 2027: 9:00–9:30 (Buenos Aires time)\n',
    ],
    [
      'has the page to book',
      [['2026-11-18T08:00:00Z', '2026-11-18T08:30:00Z']],
      { type: { name: 'Intro', scheduling_url: 'https://book.example.com/intro' } },
      'Wed 18 Nov: 9:00–9:30 (Paris time)\nBook Intro: https://book.example.com/intro\n',
    ],
    [
      'leaves out an address that is no page',
      [['2026-11-18T08:00:00Z', '2026-11-18T08:30:00Z']],
      { type: { name: 'Intro', scheduling_url: 'javascript:alert(1)' } },
      'Wed 18 Nov: 9:00–9:30 (Paris time)\n',
    ],
    [
      'makes a hostile name safe',
      [['2026-11-18T08:00:00Z', '2026-11-18T08:30:00Z']],
      { type: { name: 'A\n\u001b[31m##[error]', scheduling_url: 'https://example.com/' } },
      'Wed 18 Nov: 9:00–9:30 (Paris time)\nBook A\\n\\x1b[31m# #[error]: https://example.com/\n',
    ],
  ])('%s', (_, slots, options, expected) => {
    expect(textOf(slots, options)).toBe(expected);
  });

  it('has each minute of each free time, and no other one', () => {
    const zones = ['Europe/Paris', 'America/St_Johns', 'Asia/Kathmandu', 'UTC'];
    const starts = fc.uniqueArray(fc.nat({ max: 3 * 24 * 4 }), { minLength: 1, maxLength: 60 });
    const steps = fc.constantFrom(15, 30, 45, 60, 90);
    const since = Date.parse('2026-11-18T00:00:00Z');
    fc.assert(
      fc.property(starts, steps, fc.constantFrom(...zones), fc.boolean(), (quarters, length, zone, isTwelveHours) => {
        const wallAt = wallClock(zone);
        const sorted = quarters.sort((a, b) => a - b).map((quarter) => since + quarter * 15 * minute);
        const expected = new Set<number>();
        for (const at of sorted) for (let each = 0; each < length; each += 1) expected.add(wallAt(at) + each * minute);
        const lines = textOf(
          sorted.map((at) => [utcText(at), utcText(at + length * minute)]),
          { zone, isTwelveHours },
        );
        const found = new Set<number>();
        for (const line of lines.trimEnd().split('\n')) {
          const [, date, month] = /^\w{3} (\d+) (\w{3}): /.exec(line)!;
          const midnight = Date.parse(`${date} ${month} 2026 00:00Z`);
          for (const [, from, to] of line.matchAll(/(\d+:\d\d(?: [ap]m)?)–(\d+:\d\d(?: [ap]m)?)/g)) {
            const [first, last] = [from!, to!].map((text) => {
              const [, hours, minutes, half] = /(\d+):(\d\d)(?: (\wm))?/.exec(text)!;
              return ((half ? Number(hours) % 12 : Number(hours)) + (half === 'pm' ? 12 : 0)) * 60 + Number(minutes);
            }) as [number, number];
            // A stretch can end after midnight, and never lasts a whole day longer.
            const end = last <= first ? last + 24 * 60 : last;
            for (let each = first; each < end; each += 1) found.add(midnight + each * minute);
          }
        }
        expect([...found].sort()).toEqual([...expected].sort());
      }),
      runs(40, 1000),
    );
  });

  it.each([
    [{ LANG: 'en_US.UTF-8' }, true],
    [{ LANG: 'en_US.UTF-8', LC_TIME: 'de_DE.UTF-8' }, false],
    [{ LANG: 'de_DE@euro', LC_ALL: 'hi_IN' }, true],
    [{ LANG: 'C.UTF-8' }, false],
    [{ LANG: 'POSIX' }, false],
    [{ LANG: '../../x\u001b' }, false],
    [{}, false],
  ])('has twelve hours if the locale has: %j', (env, expected) => {
    expect(hasTwelveHours(env)).toBe(expected);
  });
});

describe('event-types slots -o text', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });

  const lines = async (line: string, more = {}) => {
    const { code, stdout } = await world.run(`event-types slots ${line}`, more);
    expect(code).toBe(0);
    return stdout.split('\n');
  };

  it('prints the days of the reader, as many as asked for, and a part for each event type', async () => {
    const one = await lines('"Intro call" -o text --days 2 --tz Europe/Paris');
    expect(one).toEqual([
      expect.stringMatching(/^Mon 16 Nov: .*\d–\d.* \(Paris time\)$/),
      expect.stringMatching(/^Tue 17 Nov: /),
      expect.stringMatching(/^Book Intro call: http:\/\/127\.0\.0\.1:\d+\/\S+intro-call$/),
      '',
    ]);
    expect((await lines('"Intro call" "Support call" -o text --days 1')).filter((each) => each === '')).toHaveLength(2);
    const env = { LANG: 'en_US.UTF-8' };
    expect((await lines('"Intro call" -o text --days 1', { env }))[0]).toContain(' am–');
    expect(await lines('"Intro call" -o text --until +1m')).toEqual(['']);
  });

  it('keeps to the first days in every format', async () => {
    const all = await lines('"Intro call" --fields start_time');
    const two = await lines('"Intro call" --days 2 --fields start_time');
    expect(two.slice(0, -1)).toEqual(all.filter((start) => start !== '' && start < '2026-11-18'));
    const screen = await lines('"Intro call" --days 2', { terminals: outputs });
    expect(screen.join('\n')).not.toContain('Wed 18');
  });

  it.each([
    ['"Intro call" -o text --fields start_time', "--fields can't be used with -o text"],
    ['"Intro call" -o text --jq .', '--jq only works with -o json or -o jsonl, not with -o text'],
    ['"Intro call" --days 0', '--days must be a whole number from 1 up, not "0"'],
    ['"Intro call" --days two', '--days must be a whole number from 1 up, not "two"'],
  ])('refuses %s', async (line, problem) => {
    const { code, stderr, requests } = await world.run(`event-types slots ${line}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(problem);
  });

  it('is no format of other commands', async () => {
    for (const line of ['events list -o text', 'users me -o text', 'api /users/me -o text']) {
      const { code, stderr } = await world.run(line);
      expect([line, code]).toEqual([line, 2]);
      expect(stderr).toContain('-o text only works with event-types slots');
    }
  });
});
