import { readFileSync } from 'node:fs';
import { commandHelp } from '../../src/cli/help/command-help.ts';
import { HelpPage } from '../../src/cli/help/help-page.ts';
import { topHelp } from '../../src/cli/help/overview.ts';
import { topicHelp, topics } from '../../src/cli/help/topics.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { buildRoot, buildTree } from '../../src/cli/parse/tree.ts';
import { commandLinesIn, joinedLines } from './help-lines.ts';

/** Examples that can't run inside a test process, with the reason. All others run. */
export const exempt: [pattern: RegExp, reason: string][] = [
  [/^auth (login|refresh)/, 'needs a browser, or a login that can be refreshed: covered by test/e2e and test/auth'],
  [/^sandbox run/, "starts the user's own program: covered by test/commands/sandbox/run-program.test.ts"],
  [/^events follow(?!.*--once)/, 'runs until it is stopped: covered by test/commands/follow'],
  [
    /^events move --(tomorrow|from)/,
    'needs events whose hosts are free at another time: covered by test/commands/move/command.test.ts',
  ],
  [/^events agenda.*--watch/, 'draws until it is stopped: covered by test/commands/agenda/watch.test.ts'],
  [/^sandbox start/, 'runs until it is stopped: covered by test/commands/sandbox/command.test.ts'],
  [/^sandbox env/, 'needs a sandbox that runs: covered by test/commands/sandbox/command.test.ts'],
  [/^sandbox (wait|mark)( |$)/, 'needs a sandbox that runs: covered by test/commands/sandbox/wait.test.ts'],
  [/^sandbox oauth( |$)/, 'needs a sandbox that runs: covered by test/commands/sandbox/oauth.test.ts'],
  [/^sandbox open( |$)/, 'needs a sandbox that runs: covered by test/commands/sandbox/command.test.ts'],
  [
    /^sandbox snapshot (restore|delete)/,
    'needs a saved snapshot: covered by test/commands/sandbox/data.snapshot.test.ts',
  ],
  [/^sandbox trigger/, 'needs a sandbox that runs: covered by test/commands/sandbox/serving.test.ts'],
  [/^webhooks listen/, 'runs until it is stopped: covered by test/commands/webhooks/listen.test.ts'],
  [/^webhooks backfill/, 'needs a handler that runs: covered by test/commands/webhooks/backfill.test.ts'],
  [/^webhooks verify/, 'needs the signature of a delivery: covered by test/commands/webhooks/verify.test.ts'],
  [/^compliance (runs|bundle|recheck) \d{8}T/, 'the ID of a run is only known when it runs'],
  [
    /^config diff .*--exit-code/,
    'exits with 7 because the file differs: covered by test/commands/config/command.test.ts',
  ],
  [
    /^config apply .*--confirm/,
    'the digest of a plan is only known when it runs: covered by test/commands/config/command.test.ts',
  ],
  [/^(invitees create|events cancel|availability list)$/, 'asks on a terminal: covered by test/e2e/prompts.test.ts'],
  [/^(--)?mirror /, 'needs a directory for the mirror: covered by test/commands/mirror'],
  [/^invitees get-no-show/, 'needs a no-show: covered by test/dialects/calendly.test.ts'],
  [/ --head sha256:HASH| ORG_ID/, 'a value that only the user knows'],
];

/** The files used in examples. */
export const exampleFiles: Record<string, string> = {
  'emails.txt': 'ada@engine.example\nbob@engine.example\n',
  'people.csv': `name,email\n${Array.from({ length: 1250 }, (_, n) => `Person ${n},person${n}@engine.example\n`).join('')}`,
  'events.txt': 'JW6SHQTS78SH7TS8\nXEFT95ZZDW9SPL93\n',
  'bookings.csv': 'start,email,name,timezone\n2030-12-02T09:00:00Z,ada@engine.example,Ada Byron,Europe/Paris\n',
  'world.yaml': 'sandbox: 1\norganization: { name: Engine }\nusers: { ada: { name: Ada Byron } }\n',
  'team.yaml': 'sched: 1\nusers: { me: { event_types: { intro: { name: Intro call, duration: 20 } } } }\n',
  'holidays.ics':
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20201225\r\nDURATION:P7D\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  'work.json': '{"base_url":"https://api.example.com"}',
};

/** A command to run before the examples about receipts. */
export const firstDeletion = 'compliance delete --from emails.txt --confirm 2 --receipt receipt.jsonl';

/** A command to run before the examples about profiles. */
export const firstProfile = 'profiles add work --base-url https://api.example.com';

const page = new HelpPage({ columns: 80, heading: (text) => text });

const withoutSandbox = (line: string): string => line.replace(/^sched /, '').replace(/ --sandbox|--sandbox /, '');

const isRunnable = (line: string): boolean => !exempt.some(([pattern]) => pattern.test(line));

/** The examples of each command, by its name. */
export const examplesByCommand = async (): Promise<Map<string, string[]>> => {
  const found = new Map<string, string[]>();
  for (const noun of (await buildTree()).commands)
    for (const leaf of (noun.commands.length === 0 ? [noun] : noun.commands) as Leaf[]) {
      const words = leaf === noun ? noun.name() : `${noun.name()} ${leaf.name()}`;
      found.set(words, commandLinesIn(commandHelp(leaf, page)).map(withoutSandbox));
    }
  return found;
};

/** The commands of the README, each with the commands of its variables in it. Those inside another program are left out. */
const readmeExamples = (): string[] =>
  [...readFileSync('README.md', 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, script]) => {
    let text = joinedLines(script!);
    for (const [, name, command] of text.matchAll(/^(\w+)=(\$\(sched .*\))$/gm))
      text = text.replaceAll(`"$${name}"`, () => command!);
    return text.split('\n').filter((line) => line.startsWith('sched '));
  });

/** Returns the examples of all help texts and the README without duplicates: all of them, and those that can run in a test. */
export const everyExample = async (): Promise<{ lines: string[]; runnable: string[] }> => {
  const pages = [topHelp(buildRoot(), page), ...Object.keys(topics).map((name) => topicHelp(name, page))];
  const examples = [...pages.flatMap(commandLinesIn).map(withoutSandbox), ...(await examplesByCommand()).values()];
  const lines = [...new Set([...examples.flat(), ...readmeExamples().map(withoutSandbox)])];
  return { lines, runnable: lines.filter(isRunnable) };
};

/** The part of a line up to the first pipe, redirection or `&&`, which a shell would handle. */
export const ownPart = (line: string): string =>
  line.split(/ (?:\||&&|>>?|<) (?=(?:[^'"]|'[^']*'|"[^"]*")*$)/)[0] ?? '';
