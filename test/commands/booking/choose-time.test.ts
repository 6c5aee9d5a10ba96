import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import {
  createWorld,
  isWrite,
  lastJson,
  type Result,
  replying,
  type TestWorld,
  terminals,
  type WorldOptions,
} from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const who = '--email ada@example.com --name "Ada Byron" --timezone America/New_York --tz Europe/Paris';

let world: TestWorld;
let home: string;
const fresh = async () => {
  world = await createWorld();
  home = temporaryDirectory('booking-prompts');
};

/** Answers to the questions of `--accessible`, one per line. The last one is followed by Ctrl-D. */
const answering = (line: string, answers: string[], more: WorldOptions = {}): Promise<Result> =>
  world.run(`invitees create ${line} --accessible`, { terminals, home, stdin: answers.join('\n'), ...more });

const posts = ({ requests }: Result): HttpRequest[] => requests.filter(isWrite);
const startSent = (result: Result): string => JSON.parse(posts(result)[0]!.body!).start_time;
const questionsAsked = ({ stderr }: Result): number => stderr.match(/^Number, or part|: $/gm)?.length ?? 0;

describe('the prompts for a time', () => {
  beforeAll(fresh);

  /** All free times of the next 60 days, by the date in Paris. */
  const freeDays = async (): Promise<string[][]> => {
    const { stdout } = await world.run('event-types slots "Intro call" --until +60d --json=start_time');
    const starts: string[] = JSON.parse(stdout).map((slot: { start_time: string }) => slot.start_time);
    const days = new Map<string, string[]>();
    for (const start of starts) days.set(start.slice(0, 10), [...(days.get(start.slice(0, 10)) ?? []), start]);
    return [...days.values()];
  };
  const choose = (...answers: string[]) => answering(`--event-type "Intro call" ${who} --dry-run`, answers);

  test('offer every free time of 60 days, each with the local time of the invitee', async () => {
    const days = await freeDays();
    expect(days.length).toBeGreaterThan(40);
    const all = days.flatMap((starts, day) => starts.map((start, time) => ({ start, day, time, starts })));
    for (const { start, day, time, starts } of [...sample(all, 1), all.at(-1)!]) {
      const { code, stdout, stderr } = await choose(String(day + 1), String(time + 1));
      expect([code, JSON.parse(stdout).body.start_time]).toEqual([0, start]);
      const [, listed = '', more = '0'] = /Time \(.*\n((?:\d+: .*\n)*)(?:and (\d+) more)?/m.exec(stderr)!;
      expect(listed.split('\n').length - 1 + Number(more)).toBe(starts.length);
      const clock = (zone: string) => new Date(starts[0]!).toLocaleTimeString('en-GB', { timeZone: zone }).slice(0, 5);
      expect(listed).toContain(`1: ${clock('Europe/Paris')} (${clock('America/New_York')} for Ada)\n`);
    }
    const { stderr } = await choose();
    expect(stderr).toMatch(/Day:\n1: Mon 16 Nov, 20 free\n2: Tue 17 Nov, 26 free\n/m);
    expect(stderr).toContain(`and ${days.length - 20} more`);
  });

  test('leave out the local time if it is the same', async () => {
    const { stderr } = await answering(
      '--event-type "Intro call" --email a@example.com --name Ada --timezone Europe/Berlin --tz Europe/Paris',
      ['1'],
    );
    expect(stderr).toContain('Time (Europe/Paris):\n1: 10:00\n');
  });

  const others: [string, string[], string][] = [
    ['a time that is not in the list', ['1', '10:07'], '2026-11-16T09:07:00Z'],
    ['a time of another day', ['1', '2026-11-18 14:00'], '2026-11-18T13:00:00Z'],
    ['a whole time instead of a day', ['2026-11-18 14:05'], '2026-11-18T13:05:00Z'],
    ['a day as a word', ['tomorrow', '10am'], '2026-11-16T09:00:00Z'],
    ['a day far ahead', ['2027-06-01', '2'], '2027-06-01T07:15:00Z'],
  ];
  test.each(sample(others, 2))('take %s', async (_, answers, start) => {
    const { code, stdout } = await choose(...answers);
    expect([code, JSON.parse(stdout).body.start_time]).toEqual([0, start]);
  });

  test('say why a typed time is not free, and ask again', async () => {
    const wrong = {
      '12:40': "Mon 16 Nov 12:40 isn't free: Amara's hours: every Monday 09:00–12:30, 13:00–17:00 Europe/Berlin",
      '11:00': "Mon 16 Nov 11:00 isn't free: Amara has a Support call 11:00–11:30",
      '2026-11-21 10:00': "Sat 21 Nov 10:00 isn't free: Amara has no hours on Saturdays",
      '2026-11-01 10:00': 'Sun 1 Nov 10:00 is in the past',
      nonsense: `Can't read "nonsense"`,
    };
    const { code, stdout, stderr } = await choose('1', ...Object.keys(wrong), '1');
    for (const words of Object.values(wrong)) expect(stderr).toContain(words);
    expect([code, JSON.parse(stdout).body.start_time]).toEqual([0, '2026-11-16T09:00:00Z']);
  });

  test('refuse a day that is over, and say if a day has no free time', async () => {
    const { stderr } = await choose('yesterday', '2026-11-21', '11:00');
    expect(stderr).toContain('Sat 14 Nov is in the past\n');
    expect(stderr).toContain('No free times on this day: type a time\n');
    expect(stderr).toContain("Sat 21 Nov 11:00 isn't free");
  });

  test('offer the days of --since and --until', async () => {
    const window = '--since 2026-11-18 --until 2026-11-19';
    const { code, stdout, stderr } = await answering(`--event-type "Intro call" ${who} --dry-run ${window}`, [
      '2',
      '1',
    ]);
    expect(stderr).toMatch(/Day:\n1: Wed 18 Nov, \d+ free\n2: Thu 19 Nov, \d+ free\nNumber/m);
    expect([code, JSON.parse(stdout).body.start_time]).toEqual([0, '2026-11-19T08:00:00Z']);
    expect(stderr).toContain('--start 2026-11-19T09:00:00+01:00');
    expect(stderr).not.toMatch(/--since|--until/);
    const none = await answering(`--event-type "Intro call" ${who} --since 2026-11-21 --until 2026-11-22`, []);
    expect(none.stderr).toContain('No free times until Mon 23 Nov 00:00: type a date\n');
  });

  test('report a window that is too long', async () => {
    const { code, stderr } = await answering(`--event-type "Intro call" ${who} --until 2036-01-01`, ['1']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 366 days')]);
  });

  test('ask for a typed time if the hours are hidden', async () => {
    const send: Send = async (request) =>
      request.url.includes('/event_type_availability_schedules')
        ? replying({ status: 403, body: '{"title":"Permission Denied"}' })(request)
        : world.service(request);
    const line = `--event-type "Intro call" ${who} --dry-run`;
    const { code, stdout, stderr } = await answering(line, ['2026-11-16T09:00:00Z'], { send });
    expect(stderr).toContain('Start time of the meeting: ');
    expect([code, JSON.parse(stdout).body.start_time]).toEqual([0, '2026-11-16T09:00:00Z']);
  });

  test('refuse an event type that is not active', async () => {
    const { code, stderr } = await answering(`--event-type "Summer office hours" ${who}`, ['1']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("Summer office hours is not active, so it can't be booked"),
    ]);
  });
});

describe('the review', () => {
  beforeEach(fresh);

  const booking = `--event-type "Customer onboarding" ${who} --answer Company=AE`;
  const answers = ['2', '1', '1', ''];

  test('shows the meeting, and Enter books it', async () => {
    const result = await answering(booking, [...answers, '']);
    expect(result.code).toBe(0);
    expect(posts(result)).toHaveLength(1);
    expect(result.screen.slice(result.screen.indexOf('Customer onboarding with'))).toMatchInlineSnapshot(`
      "Customer onboarding with Ada Byron <ada@example.com>
      Tue 17 Nov 09:00–10:00 Europe/Paris, 03:00 in New York, usually Zoom
      Company: AE
      Team size: 1 to 10
      Book and send the invitation? (Enter for yes): Booked: Customer onboarding with Ada Byron
      Tue 17 Nov 09:00–10:00 Europe/Paris, 03:00 in New York
      Join: https://meet.northlight.example/z/bf75ytbh32ax392u
      Undo: sched events cancel BF75 --tz Europe/Paris
      For a script:
        sched invitees create --event-type 'Customer onboarding' \\
            --email ada@example.com --name 'Ada Byron' --timezone America/New_York \\
            --tz Europe/Paris --answer Company=AE --accessible \\
            --start 2026-11-17T09:00:00+01:00 --answer 'Team size=1 to 10'
      "
    `);
  });

  test('is left out with --yes, and for a whole command line', async () => {
    const yes = await answering(`${booking} --yes`, answers);
    expect([yes.code, posts(yes).length]).toEqual([0, 1]);
    expect(yes.stderr).not.toContain('Book and send');
    const line = '--answer "Team size=1 to 10" --start 2026-11-19T09:00:00Z';
    const whole = await answering(`${booking} ${line}`, []);
    expect([whole.code, posts(whole).length, questionsAsked(whole)]).toEqual([0, 1, 0]);
    expect(whole.stderr).toContain('Booked: Customer onboarding with Ada Byron\nThu 19 Nov 10:00–11:00 Europe/Paris');
    expect(whole.stderr).not.toContain('For a script');
  });

  test('asks again after another answer', async () => {
    const { code, stderr } = await answering(booking, [...answers, 'what', 'YES']);
    expect(stderr).toContain('(Enter for yes): Answer y or n\nBook and send the invitation? (Enter for yes): ');
    expect(code).toBe(0);
  });

  test('prints the record in other formats', async () => {
    const { stdout, stderr } = await answering(`${booking} --json`, [...answers, 'y']);
    expect(JSON.parse(stdout)).toMatchObject({ email: 'ada@example.com', timezone: 'America/New_York' });
    expect(stderr).toContain('Booked: Tue 17 Nov 09:00 Europe/Paris');
    expect(stderr).toContain('Undo');
  });

  test('books nothing after no, and nothing after Ctrl-D at any step', async () => {
    for (const no of sample(['n', 'No'], 1)) {
      const refused = await answering(booking, [...answers, no]);
      expect([refused.code, posts(refused)]).toEqual([12, []]);
      expect(refused.stderr).toContain('Nothing booked.\n');
    }
    for (const steps of sample([0, 1, 2, 3, 4], 1)) {
      const { code, stderr, requests } = await answering(booking, answers.slice(0, steps));
      expect([steps, code]).toEqual([steps, 12]);
      expect(stderr).toContain('Stopped. Nothing was changed.\n');
      expect(requests.every(({ method }) => method === 'GET')).toBe(true);
    }
  });
});

describe('a refused time', () => {
  beforeEach(fresh);

  const at = (start: string) => `--event-type "Intro call" ${who} --start ${start}`;
  const inPipe = (line: string, more: WorldOptions = {}) => world.run(`invitees create ${line}`, { home, ...more });
  /** An event of the demo is at this time. */
  const taken = '2026-11-16T10:00:00Z';
  const around = ['09:15', '09:30', '09:45', '10:30', '10:45', '11:00'].map((time) => `2026-11-16T${time}:00Z`);

  test('has free ones around it in the error', async () => {
    const text = await inPipe(at(taken));
    expect(text.code).toBe(7);
    expect(text.stderr).toContain('; free: 10:15, 10:30, 10:45, 11:30, 11:45, 12:00 (Europe/Paris)\n');
    const json = await inPipe(`${at(taken)} --json`);
    expect(lastJson(json.stderr).error).toMatchObject({ code: 'conflict', free_times: around });
  });

  test('outside the hours has those of the days around it', async () => {
    const { code, stderr } = await inPipe(at('2026-11-21T10:00:00Z'));
    expect(code).toBe(7);
    expect(stderr).toContain('cause: Amara Lindqvist (no hours on Saturdays); the service: ');
    expect(stderr).toContain('free: Fri 20 Nov 16:15, 16:30, 16:45, Mon 23 Nov 10:00,');
    const together = await inPipe(`--event-type "Partner interview" ${who} --start 2026-11-16T11:20:00Z`);
    expect(together.stderr).toContain('ends 50 minutes too late) and 3 more; the service: ');
  });

  test('stays as it is if the rate limit has no room for reads', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const left = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '30' };
      return { ...reply, headers: { ...reply.headers, ...left } };
    };
    const { code, stderr, requests } = await inPipe(at(taken), { send });
    expect([code, requests.at(-1)!.method]).toEqual([7, 'POST']);
    expect(stderr).not.toContain('free: ');
  });

  test('stays as it is if free ones can not be read', async () => {
    const send: Send = async (request) =>
      request.url.includes('/event_type_availability_schedules')
        ? replying({ status: 500, body: '' })(request)
        : world.service(request);
    const { code, stderr } = await inPipe(at(taken), { send });
    expect(code).toBe(7);
    expect(stderr).toContain("error: That time isn't available\ncause: Already Exists:");
    expect(stderr).not.toContain('free: ');
  });

  test('can be replaced by a free one at a terminal, after a review', async () => {
    const result = await answering(at(taken), ['2', '']);
    expect(result.code).toBe(0);
    expect(result.screen).toMatchInlineSnapshot(`
      "Mon 16 Nov 11:00 isn't free: Amara has a Support call 11:00–11:30
      Another time (Europe/Paris):
      1: Mon 16 Nov 10:15 (04:15 for Ada)
      2: Mon 16 Nov 10:30 (04:30 for Ada)
      3: Mon 16 Nov 10:45 (04:45 for Ada)
      4: Mon 16 Nov 11:30 (05:30 for Ada)
      5: Mon 16 Nov 11:45 (05:45 for Ada)
      6: Mon 16 Nov 12:00 (06:00 for Ada)
      Number, or part of the name, or another time: Intro call with Ada Byron <ada@example.com>
      Mon 16 Nov 10:30–10:45 Europe/Paris, 04:30 in New York, usually Google Meet
      Book and send the invitation? (Enter for yes): Booked: Intro call with Ada Byron
      Mon 16 Nov 10:30–10:45 Europe/Paris, 04:30 in New York
      Join: https://meet.northlight.example/g/bf75ytbh32ax392u
      Undo: sched events cancel BF75 --tz Europe/Paris
      For a script:
        sched invitees create --event-type 'Intro call' --email ada@example.com \\
            --name 'Ada Byron' --timezone America/New_York --tz Europe/Paris \\
            --start 2026-11-16T10:30:00+01:00 --accessible
      "
    `);
    expect(posts(result).map(({ body }) => JSON.parse(body!).start_time)).toEqual([taken, around[1]]);
  });

  test('can be replaced by a typed one, which is checked', async () => {
    const result = await answering(at(taken), ['11:05', '12:05', 'y']);
    expect(result.stderr).toContain("Mon 16 Nov 11:05 isn't free: Amara has a Support call ");
    expect(result.code).toBe(0);
    expect(startSent({ ...result, requests: posts(result).slice(1) })).toBe('2026-11-16T11:05:00Z');
  });

  test('is not booked after no, Ctrl-D or with --yes', async () => {
    for (const answers of [[], ['1'], ['1', 'n']]) {
      const result = await answering(at(taken), answers);
      expect([answers, result.code, posts(result).length]).toEqual([answers, 12, 1]);
    }
    const yes = await answering(`${at(taken)} --yes`, []);
    expect([yes.code, questionsAsked(yes)]).toEqual([7, 0]);
  });
});
