import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld, terminals, type WorldOptions, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n');
const calendar = (...events: string[]) => ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR', ''].join('\r\n');
const holidays = calendar(
  event('SUMMARY:Christmas', 'DTSTART;VALUE=DATE:20201225', 'RRULE:FREQ=YEARLY'),
  event('SUMMARY:Over', 'DTSTART;VALUE=DATE:20200501'),
  event('SUMMARY:Far away', 'DTSTART;VALUE=DATE:20300501'),
  event('SUMMARY:Party', 'DTSTART:20261218T150000Z', 'DURATION:PT2H'),
);

const withFile = async (text: string | Buffer) => {
  const world = await createWorld();
  const home = temporaryDirectory();
  const file = join(home, 'holidays.ics');
  writeFileSync(file, text);
  const off = (flags = '', more: WorldOptions = {}) =>
    world.run(`availability off --from ${file} ${flags}`, { home, ...more });
  const listed = async () =>
    (await world.run('availability off --list')).stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]);
  return { world, off, listed, home };
};

describe('availability off --from', () => {
  test('takes the days of a calendar off, and the same file takes them back', async () => {
    const { off, listed } = await withFile(holidays);
    const before = await listed();
    const plan = await off('--dry-run');
    expect([plan.code, writes(plan)]).toEqual([0, []]);
    expect((await off()).code).toBe(12);
    const asked = await off('', { terminals, stdin: 'n\n', columns: 120 });
    expect([asked.code, asked.stderr]).toEqual([12, expect.stringContaining('Take Fri 25 Dec off')]);
    const done = await off('--yes');
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('off: Fri 25 Dec')]);
    expect(await listed()).toEqual([...before, '2026-12-25'].filter((date) => date !== '').sort());
    expect((await off('--yes')).stderr).toContain('Nothing to change');
    expect((await off('--undo --yes')).code).toBe(0);
    expect(await listed()).toEqual(before);
  });

  test('goes as far as --until, and takes events at times of a day with --timed', async () => {
    const { off, listed } = await withFile(holidays);
    expect((await off('--timed --until 2028-12-31 --yes')).code).toBe(0);
    expect(await listed()).toEqual(expect.arrayContaining(['2026-12-18', '2026-12-25', '2027-12-25', '2028-12-25']));
    expect(await listed()).not.toContain('2030-05-01');
  });

  test.each<[string, string | Buffer, string, string]>([
    ['no calendar', 'hello', '', 'holidays.ics is not a calendar'],
    ['no days', calendar(event('DTSTART;VALUE=DATE:20200501')), '', 'has no all-day events in that time'],
    ['too long', Buffer.alloc(1024 * 1024 + 1, 'x'), '', 'is larger than 1 MiB'],
    ['not text', Buffer.from([0xff, 0xfe, 0x00]), '', 'not UTF-8 text'],
    [
      'too many days',
      calendar(event('DTSTART;VALUE=DATE:20261201', 'DURATION:P1500D')),
      '--until 2036-01-01',
      'and 1000 is the most',
    ],
    ['with dates', holidays, 'tomorrow', "--from can't be used with dates"],
    ['with --every', holidays, '--every friday', "--every can't be used with --from"],
    ['with --list', holidays, '--list', "--list can't be used with --from"],
    ['an end in the past', holidays, '--until 2020-01-01', '--until must be in the future'],
  ])('refuses %s', async (_, text, flags, problem) => {
    const { off } = await withFile(text);
    const { code, stderr, ...result } = await off(`${flags} --yes`);
    expect([code, writes(result)]).toEqual([2, []]);
    expect(stderr).toContain(problem);
  });

  test('names what it leaves out, and makes its names safe', async () => {
    const odd = event('SUMMARY:A\u001b[31m\\n::error::x', 'DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=HOURLY');
    const { off } = await withFile(calendar(odd, event('DTSTART;VALUE=DATE:20261225')));
    const { stderr, code } = await off('--yes', { terminals });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Left out: A')]);
    expect(stderr).not.toContain('\u001b[31m');
    expect(stderr).toContain("sched can't follow its rule (FREQ=HOURLY)");
  });

  test('needs --from for --timed and --until', async () => {
    const { world } = await withFile(holidays);
    const { code, stderr } = await world.run('availability off tomorrow --timed --until +1w');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--timed needs --from.*--until needs --from/s)]);
  });
});
