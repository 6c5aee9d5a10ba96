import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { ctrlC, ctrlD, type Terminal } from '../support/terminal.ts';
import { few, sample } from '../support/tier.ts';
import { schedInTerminal, usedHome } from './program.ts';

const enter = '\r';

let terminal: Terminal | undefined;
afterEach(() => terminal?.close());

const start = async (home: string, ...flags: string[]): Promise<Terminal> => {
  terminal = schedInTerminal(['--sandbox', 'invitee', 'create', ...flags], home);
  return terminal;
};

/** What to type at each question, and how the question looks when it waits for the answer. */
const steps: [RegExp, string][] = [
  [/\? Event type to book:[^?]*❯ Board preview/, 'onboard'],
  [/book: onboard[^?]*❯ Customer onboarding/, enter],
  [/\? Email address of the invitee:/, `ada@example.com${enter}`],
  [/\? Full name of the invitee:/, `Ada Byron${enter}`],
  [/\? IANA time zone of the invitee: \(\S+\)/, `Europe/Paris${enter}`],
  [/\? Start time of the meeting:[^?]*❯ /, 'another'],
  [/meeting: another[^?]*❯ another one/, enter],
  [/✔ Start time of the meeting: another one[\s\S]*\? Start time of the meeting:/, `2030-12-02T15:00:00+01:00${enter}`],
  [/\? Company:/, `Analytical Engines${enter}`],
  [/\? Team size:[^?]*❯ 1 to 10/, enter],
];

const bookingsOf = async (home: string): Promise<number> => {
  const database = await openDatabase(join(home, '.local/state/sched/sandbox.db'));
  const bookings = database.all("SELECT id FROM invitees WHERE email = 'ada@example.com'");
  database.close();
  return bookings.length;
};

describe('questions for missing flags', () => {
  few(1, {
    'book a meeting by answers alone, and print the command for a script': async () => {
      const home = await usedHome();
      const screen = await start(home);
      for (const [question, answer] of steps) {
        await screen.until(question);
        screen.type(answer);
      }
      const { code, text } = await screen.done;
      expect(text).toMatch(
        /The same command without questions: sched --sandbox invitees create --event-type \w+ --email ada@example\.com/,
      );
      expect(text).toContain('booked: ');
      expect(code).toBe(0);
      expect(await bookingsOf(home)).toBe(1);
    },
    'book a meeting with --accessible, in plain lines that are never redrawn': async () => {
      const home = await usedHome();
      const screen = await start(home, '--accessible');
      const answers = [
        'onboarding',
        'ada@example.com',
        'Ada Byron',
        'Europe/Paris',
        'another',
        '2030-12-02T15:00:00+01:00',
        'AE',
        '1',
      ];
      for (const [i, answer] of answers.entries()) {
        await screen.until(
          [/name: $/, /invitee: $/, /invitee: $/, /\): $/, /name: $/, /meeting: $/, /Company: $/, /name: $/][i]!,
        );
        screen.type(`${answer}\n`);
      }
      const { code, text } = await screen.done;
      expect(text).toContain('booked: ');
      expect(text).not.toMatch(/\x1b\[\d*A|[❯↑]/);
      expect(code).toBe(0);
    },
  });

  const ends = [
    { key: ctrlC, expected: 130, message: 'Interrupted' },
    { key: ctrlD, expected: 12, message: 'Stopped at a question. Nothing was changed' },
  ];
  const cells = ends.flatMap((end) => steps.map(([question], asked) => ({ ...end, asked, question })));

  test('end with Ctrl-C and Ctrl-D at every question, and leave nothing behind', async () => {
    const home = await usedHome();
    for (const { key, expected, message, asked } of sample(cells, 1, ({ key }) => key)) {
      const screen = await start(home);
      for (const [i, [question, answer]] of steps.slice(0, asked + 1).entries()) {
        await screen.until(question);
        screen.type(i === asked ? key : answer);
      }
      const { code, text } = await screen.done;
      expect(text).toContain(`error: ${message}\n`);
      expect(text).toContain('\x1b[?25h');
      expect(code, text).toBe(expected);
    }
    expect(await bookingsOf(home)).toBe(0);
  }, 120_000);
});
