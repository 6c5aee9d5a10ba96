import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect } from 'vitest';
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
  [/\? Which event type\?[^?]*❯ Board preview/, 'onboard'],
  [/type\? onboard[^?]*❯ Customer onboarding/, enter],
  [/\? Day:[^?]*❯ \w+ \d+ \w+(?: \d{4})? · \d+ free/, '2030-12-02'],
  [/Day: 2030-12-02[^?]*❯ use "2030-12-02"/, enter],
  [/\? Time \(.*\):[^?]*❯ \d\d:\d\d/, '10:05'],
  [/Time \(.*\): 10:05[^?]*❯ use "10:05"/, enter],
  [/\? Invitee's email:/, `ada@example.com${enter}`],
  [/\? Invitee's name:/, `Ada Byron${enter}`],
  [/\? Invitee's time zone [^\n]*:/, `paris${enter}`],
  [/\? Company:/, `Analytical Engines${enter}`],
  [/\? Team size:[^?]*❯ 1 to 10/, enter],
  [/\? Anything we should prepare\? \(Enter skips\):/, enter],
  [/Customer onboarding with Ada Byron <ada@example\.com>[\s\S]*\? Book and send the invitation\? \(yes\)/, enter],
];

/** Rows of the sandbox's data file, or the number of rows that were changed. */
const inDatabase = async <Result>(
  home: string,
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Result,
): Promise<Result> => {
  const database = await openDatabase(join(home, '.local/state/sched/sandbox.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
};

const bookingsOf = (home: string): Promise<number> =>
  inDatabase(home, (database) => database.all("SELECT id FROM invitees WHERE email = 'ada@example.com'").length);

describe('questions for missing flags', () => {
  const ends = [
    { key: ctrlC, expected: 130, message: 'error: Interrupted' },
    { key: ctrlD, expected: 12, message: 'Stopped. Nothing was changed.' },
    { key: '\x1b', expected: 12, message: 'Stopped. Nothing was changed.' },
  ];
  const cells = ends.flatMap((end) => steps.map(([question], asked) => ({ ...end, asked, question })));

  few(
    1,
    {
      'book a meeting by answers alone, and print the command for a script': async () => {
        const home = await usedHome();
        const screen = await start(home);
        for (const [question, answer] of steps) {
          await screen.until(question);
          screen.type(answer);
        }
        const { code, text } = await screen.done;
        expect(text).toMatch(
          /✔ Booked: [^\n]* with Ada Byron[^\n]*\n[\s\S]* Join {2}https:\S+\n {2}Undo {2}sched --sandbox events cancel \w{4}\n/,
        );
        expect(text).toMatch(/For a script:\n {2}sched --sandbox invitees create --event-type 'Customer onboarding' /);
        expect(code, text).toBe(0);
        expect(await bookingsOf(home)).toBe(1);
      },
      'book a meeting with --accessible, in plain lines that are never redrawn': async () => {
        const home = await usedHome();
        const screen = await start(home, '--accessible');
        const answers: [RegExp, string][] = [
          [/name: $/, 'onboarding'],
          [/another date: $/, '2030-12-02T15:00:00+01:00'],
          [/Invitee's email: $/, 'ada@example.com'],
          [/Invitee's name: $/, 'Ada Byron'],
          [/time zone .*: $/, 'Europe/Paris'],
          [/Company: $/, 'AE'],
          [/name: $/, '1'],
          [/skips\): $/, ''],
          [/invitation\? \(Enter for yes\): $/, 'y'],
        ];
        for (const [question, answer] of answers) {
          await screen.until(question);
          screen.type(`${answer}\n`);
        }
        const { code, text } = await screen.done;
        expect(text).toMatch(/Booked: [^\n]* with Ada Byron/);
        expect(text).not.toMatch(/\x1b\[\d*A|[❯↑]/);
        expect(code).toBe(0);
      },
      'end with Ctrl-C, Ctrl-D or Esc at every question, and leave nothing behind': async () => {
        const home = await usedHome();
        for (const { key, expected, message, asked } of sample(cells, 1)) {
          const screen = await start(home);
          for (const [i, [question, answer]] of steps.slice(0, asked + 1).entries()) {
            await screen.until(question);
            screen.type(i === asked ? key : answer);
          }
          const { code, text } = await screen.done;
          expect(text).toContain(`${message}\n`);
          expect(text).toContain('\x1b[?25h');
          expect(code, text).toBe(expected);
        }
        expect(await bookingsOf(home)).toBe(0);
      },
    },
    300_000,
  );
});

interface DemoType {
  name: string;
  locations: { kind: string }[];
  questions?: { name: string; required?: boolean; answer_choices?: string[] }[];
}

/** The active event types of the demo, in the seed that a new sandbox has. */
const demoTypes = (): DemoType[] => {
  const found: DemoType[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray((value as DemoType).locations) && (value as { active?: boolean }).active !== false)
      found.push(value as DemoType);
    for (const inner of Object.values(value)) look(inner);
  };
  look(JSON.parse(readFileSync('src/sandbox/seed/demo.json', 'utf8')));
  return found;
};

const review = /with Ada Byron <ada@example\.com>[\s\S]*\? Book and send the invitation\?/;
const place = /\? (Invitee's phone number|Place of the meeting):/;
const againWithPlace = / · \+81 3 1234[\s\S]*\? Book and send the invitation\?/;

const literal = (text: string): string => text.replace(/[^\w ]/g, '.');

describe('a booking by prompts, first the time and then the people', () => {
  const tests = demoTypes().map(({ name, locations, questions = [] }) => {
    const isNamed = ({ kind }: { kind: string }) => ['ask_invitee', 'outbound_call'].includes(kind);
    const asksPlace = isNamed(locations[0]!);
    // Of several places, the latest events tell which one is usual. They are others each day.
    const other = asksPlace ? undefined : locations.find(isNamed);
    const flags = other === undefined ? [] : ['--location-kind', other.kind, '--location', '+81 3 1234'];
    const typed: [RegExp, string][] = [
      [/\? Day:[^?]*❯ /, enter],
      [/\? Time \(.*\):[^?]*❯ /, enter],
      [/\? Invitee's email:/, `ada@example.com${enter}`],
      [/\? Invitee's name:/, `Ada Byron${enter}`],
      [/\? Invitee's time zone [^\n]*:/, `tokyo${enter}`],
      ...questions.map(({ name: label, answer_choices: choices, required }): [RegExp, string] => [
        new RegExp(`\\? ${literal(label).slice(0, 40)}`),
        choices === undefined && required === true ? `An answer${enter}` : enter,
      ]),
      [review, enter],
      // Nothing tells before the refusal that this type takes place where the invitee says.
      ...(asksPlace
        ? ([
            [place, `+81 3 1234${enter}`],
            [againWithPlace, enter],
          ] as [RegExp, string][])
        : []),
    ];
    const body = async () => {
      const home = await usedHome();
      const screen = await start(home, '--event-type', name, ...flags);
      for (const [question, answer] of typed) {
        await screen.until(question);
        screen.type(answer);
      }
      const { code, text } = await screen.done;
      expect(code, text).toBe(0);
      expect(text).toContain(`✔ Booked: ${name} with Ada Byron`);
      expect(await bookingsOf(home)).toBe(1);
    };
    return [`books ${name}`, body] as const;
  });
  few(2, Object.fromEntries(tests));
});

describe('a list of events', () => {
  const down = '\x1b[B';
  const esc = '\x1b';

  const canceledIn = (home: string): Promise<string[]> =>
    inDatabase(home, (database) =>
      database.all<{ id: string }>("SELECT id FROM events WHERE status = 'canceled'").map(({ id }) => id),
    );

  const cancel = async (home: string): Promise<Terminal> => {
    terminal = schedInTerminal(['--sandbox', 'events', 'cancel'], home);
    await terminal.until(/\? Which events to cancel\?[\s\S]*space: several · ⏎ choose · esc stop/);
    return terminal;
  };

  /** Confirms the question, and returns which events the command names and which it canceled. */
  const finish = async (screen: Terminal, home: string, before: readonly string[]) => {
    await screen.until(/\[y\/N\] $/);
    screen.type('y\n');
    const { code, text } = await screen.done;
    expect(code, text).toBe(0);
    const [, ids = ''] = /For a script:\s+sched --sandbox events cancel ([\w ]+)\n/.exec(text)!;
    const after = await canceledIn(home);
    return { named: ids.split(' ').sort(), canceled: after.filter((id) => !before.includes(id)).sort() };
  };

  const ends: [string, number, string][] = [
    [ctrlC, 130, 'Interrupted'],
    [ctrlD, 12, 'Stopped. Nothing was changed.'],
    [esc, 12, 'Stopped. Nothing was changed.'],
  ];
  few(1, {
    'cancels the event that was found by a name': async () => {
      const home = await usedHome();
      const before = await canceledIn(home);
      const screen = await cancel(home);
      const [, person = ''] = await screen.until(/● [^\n·]* · ([^\n,+…]+)\n/);
      screen.type(person);
      await screen.until(new RegExp(`cancel\\? ${person}[^?]*❯  [^\\n]* · ${person}`));
      screen.type(enter);
      const { named, canceled } = await finish(screen, home, before);
      expect(named).toHaveLength(1);
      expect(canceled).toEqual(named);
      const [invited] = await inDatabase(home, (database) =>
        database.all<{ names: string }>(
          "SELECT group_concat(doc ->> 'name') AS names FROM invitees WHERE event = ?",
          named[0]!,
        ),
      );
      expect(invited!.names).toContain(person);
    },
    'cancels several that were chosen, whatever their names': async () => {
      const home = await usedHome();
      const nasty = `Evil\x1b]0;x\x07\x1b[2J\u202e\u009b31m\r\n9: forged ${'打'.repeat(60)}`;
      await inDatabase(home, (database) => {
        database.run("UPDATE events SET doc = json_set(doc, '$.name', ?)", nasty);
        database.run("UPDATE invitees SET doc = json_set(doc, '$.name', ?)", nasty);
      });
      const before = await canceledIn(home);
      const screen = await cancel(home);
      screen.type(' ');
      await screen.until(/1 chosen · /);
      screen.type(down);
      await screen.until(/\n❯ {2}[^?]*1 chosen · /);
      screen.type(' ');
      await screen.until(/2 chosen · /);
      screen.type(enter);
      const { named, canceled } = await finish(screen, home, before);
      expect(named).toHaveLength(2);
      expect(canceled).toEqual(named);
      expect(screen.text()).toContain('● Evil\\x1b]0;x\\x07\\x1b[2J<U+202E>\\x9b31m\\r\\n9: forged 打');
      expect(screen.text()).not.toMatch(/[\x07\u009b\u202e]|\x1b\]|\x1b\[2J|^9: forged/m);
    },
    'changes nothing at Esc, Ctrl-C and Ctrl-D': async () => {
      const home = await usedHome();
      const before = await canceledIn(home);
      for (const [key, expected, message] of sample(ends, 1)) {
        const screen = await cancel(home);
        screen.type(' ');
        await screen.until(/1 chosen · /);
        screen.type(key);
        const { code, text } = await screen.done;
        expect(code, text).toBe(expected);
        expect(text).toContain(`${message}\n`);
      }
      expect(await canceledIn(home)).toEqual(before);
    },
  });
});
