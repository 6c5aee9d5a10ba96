import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { type Chosen, hasPlaceholder, otherAccount, printedLines } from '../support/printed-lines.ts';
import {
  createWorld,
  network,
  type Result,
  replying,
  someday,
  type TestWorld,
  terminals,
  type WorldOptions,
} from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { everyExample, exampleFiles, ownPart } from './example-lines.ts';

interface Mode extends Chosen {
  name: string;
  words: string[];
  env: Record<string, string>;
}

/** How a command can be told its account. */
const modes: Mode[] = [
  { name: '-p jonas', words: ['-p', 'jonas'], env: {}, profile: 'jonas' },
  { name: 'SCHED_PROFILE=jonas', words: [], env: { SCHED_PROFILE: 'jonas' }, profile: 'jonas' },
  { name: '--sandbox', words: ['--sandbox'], env: {}, sandbox: true },
  { name: 'SCHED_SANDBOX=1', words: [], env: { SCHED_SANDBOX: '1' }, sandbox: true },
  {
    name: '-p jonas --tz',
    words: ['-p', 'jonas', '--tz', 'Asia/Tokyo'],
    env: {},
    profile: 'jonas',
    zone: 'Asia/Tokyo',
  },
];

const tokens = { work: 'sandbox_admin', jonas: 'sandbox_owner' };
const service = 'http://127.0.0.1:4010';
const isOfService = ({ url }: Pick<HttpRequest, 'url'>): boolean => new URL(url).origin === service;

/** Examples that run until they are stopped, start programs, or take seconds. */
const notRun =
  /^(auth login|auth refresh|auth logout|profiles remove|sandbox (start|run|open|reset|env|trigger)|webhooks (listen|verify)|mcp serve|events follow|events agenda.*--watch)| --seed large:/;

/** Commands whose output is documentation. */
const isText = /^(man|schema|skill|completion|config schema|sandbox (export|openapi))\b/;

const { lines } = await everyExample();
const examples = lines.map(ownPart).filter((line) => !notRun.test(line) && !line.includes('$('));

/** The same command with a typing error, without its last word, and with a record that doesn't exist. */
const mistakes = (words: string[]): string[][] => {
  const wrongId = words.map((word) => (/^[A-Z0-9]{16}$/.test(word) ? 'NOPE' : word));
  return [
    [...words, '--verbsoe'],
    words.length > 2 ? words.slice(0, -1) : [words[0]!, `${words[1] ?? ''}x`, ...words.slice(2)],
    ...(wrongId.includes('NOPE') ? [[...wrongId, '--yes']] : []),
  ];
};

const someAddress = 'ada@engine.example\n';
const atTerminal: WorldOptions = { terminals, columns: 1000, rows: 500 };

/** Somebody with two profiles, who has used the sandbox too. The default profile is the wrong one everywhere here. */
const openWorld = async () => {
  const home = await usedHome(someday);
  const world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
  const { service: answer } = world;
  /** The sandbox of a command listens on a port of its own. */
  const send: Send = (request) => (isOfService(request) ? answer(request) : network(request));
  const run: TestWorld['run'] = (line, more) => world.run(line, { send, ...more });
  for (const [name, token] of Object.entries(tokens)) {
    const line = `auth login --with-token --credential-store file --base-url ${service} -p ${name}`;
    expect(await run(line, { stdin: `${token}\n` })).toMatchObject({ code: 0 });
  }
  return { ...world, run, send };
};

/** Requests of another account than the chosen one. */
const strayed = ({ requests }: Result, { sandbox, profile }: Mode): string[] =>
  requests
    .filter(isOfService)
    .filter(({ headers }) => sandbox || headers.authorization !== `Bearer ${tokens[profile as 'jonas']}`)
    .map(({ method, url }) => `${method} ${url}`);

const lost = () => Promise.reject(new NetworkFailure('127.0.0.1', 'reset', true));
const refusing = (status: number, headers: Record<string, string> = {}) => replying({ status, headers, body: '{}' });

/** A command that ends with an error or asks questions, and what the network does with some of its requests. */
interface Situation {
  argv: string;
  fails?: { when: RegExp; send: Send };
  /** Answers at a terminal. */
  stdin?: string;
  env?: Record<string, string>;
}

const booking = "invitees create --event-type 'Intro call' --email ada@example.com --name Ada --timezone Europe/Paris";

/** In this order: a move that is not finished is named by the commands after it. */
const situations: Situation[] = [
  { argv: 'availability off 2026-11-18', stdin: 'n\n' },
  { argv: 'availability off 2026-11-19', stdin: 'y\n' },
  { argv: 'availability off 2026-11-19 --undo --yes', stdin: '' },
  { argv: "invitees create --event-type 'Intro call' --first-free", stdin: 'ada@example.com\nAda\nEurope/Paris\ny\n' },
  { argv: `${booking} --first-free --yes`, stdin: '' },
  { argv: `${booking} --start 2026-11-17T13:15:00+01:00 --yes`, fails: { when: /^POST .*\/invitees$/, send: lost } },
  { argv: `${booking} --start 2026-11-16T03:00:00+01:00 --yes` },
  { argv: 'event-types create --name Lost --duration 15', fails: { when: /^POST .*\/event_types$/, send: lost } },
  { argv: 'invitations create --email new@example.com --yes', fails: { when: /^POST .*\/invitations$/, send: lost } },
  {
    argv: 'events move XEFT95ZZDW9SPL93 --to 2026-12-02T10:00:00+01:00 --yes',
    fails: { when: /cancellation$/, send: lost },
  },
  { argv: 'events move JW6SHQTS78SH7TS8 --to 2026-12-03T10:00:00+01:00', stdin: 'y\n' },
  { argv: 'events move --since 2026-11-16 --until 2026-11-20 --shift +1h', stdin: 'n\n' },
  { argv: 'invitees reconcile' },
  { argv: 'doctor' },
  { argv: 'events list', fails: { when: /scheduled_events/, send: lost } },
  { argv: 'events list', fails: { when: /scheduled_events/, send: refusing(401) } },
  { argv: 'events get next', fails: { when: /scheduled_events/, send: refusing(404) } },
  { argv: 'events list', env: { SCHED_USER: 'http://127.0.0.1:4010/groups/X' } },
  { argv: 'event-types slots Intro call' },
  { argv: "event-types slots 'Intro call'", stdin: '' },
  { argv: 'events cancel next', stdin: 'n\n' },
  { argv: 'compliance delete ada@example.com --yes', env: { CI: '1' } },
  { argv: 'compliance key-file' },
  { argv: 'compliance key' },
  { argv: 'compliance verify nothing.jsonl' },
  { argv: 'config diff team.yaml', stdin: '' },
  { argv: 'config apply team.yaml' },
  { argv: 'config apply team.yaml --yes' },
  { argv: 'config export', stdin: '' },
  { argv: 'events agenda --watch' },
  { argv: 'ratelimit', stdin: '' },
  { argv: 'evnts list' },
  { argv: 'events -- list' },
  { argv: 'events lsit --limt 3' },
  { argv: 'mcp serve', stdin: '' },
  { argv: 'schema evnts' },
  { argv: 'man evnts' },
  // Then the rate limit is used up.
  { argv: 'events list --no-wait', fails: { when: /scheduled_events/, send: refusing(429, { 'retry-after': '40' }) } },
];

/** Only these read or show times, so --tz means something to them. */
const hasTimes = /^(availability|events|event-types|invitees) /;

const cells = modes.flatMap((mode) =>
  examples.filter((line) => mode.zone === undefined || hasTimes.test(line)).map((line) => ({ mode, line })),
);
const withSituations = sample(modes, 1);
const chosenSituations = sample(situations, 12);
const chosen = sample(cells, 1, ({ mode }) => mode.name);

describe.each(modes)('a line that is printed with $name', (mode) => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  const before = process.cwd();
  const tried = new Map<string, Promise<string[]>>();

  beforeAll(async () => {
    world = await openWorld();
    const folder = temporaryDirectory('lines');
    for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
    process.chdir(folder);
  }, 60_000);
  afterAll(() => {
    process.chdir(before);
  });

  /** What is wrong with a printed line. It is pasted at a terminal where no variable chooses an account. */
  const problemsOf = async (line: string): Promise<string[]> => {
    if (line.startsWith('unreadable')) return [line];
    const other = await otherAccount(line, mode);
    if (other !== undefined) return [`${line}: ${other}`];
    const words = splitCommandLine(line).slice(1);
    if (hasPlaceholder(line) || notRun.test(words.filter((word) => word !== '--sandbox').join(' '))) return [];
    // A line that reads from stdin gets what its command had.
    const result = await world.run(words, words.includes('-') ? { ...atTerminal, stdin: someAddress } : atTerminal);
    // The command line is right if the service's data is refused.
    const isRefused = /items? ha(s|ve) a problem\. Nothing was sent/.test(result.stderr);
    if ([1, 2].includes(result.code) && !isRefused) return [`${line}: exit ${result.code}: ${result.stderr}`];
    // Without --api, doctor looks at the profile.
    if (words.includes('doctor') && !words.includes('--api')) return [];
    return strayed(result, mode).map((request) => `${line}: ${request}`);
  };

  const problemsIn = async (found: readonly string[]): Promise<string[]> => {
    const problems = [];
    for (const line of new Set(found)) {
      if (!tried.has(line)) tried.set(line, problemsOf(line));
      problems.push(...(await tried.get(line)!));
    }
    return problems;
  };

  const linesOf = async (argv: string[], options: WorldOptions): Promise<{ code: number; found: string[] }> => {
    const { code, stdout, stderr } = await world.run([...mode.words, ...argv], { env: mode.env, ...options });
    return { code, found: await printedLines(isText.test(argv.join(' ')) ? stderr : `${stderr}\n${stdout}`) };
  };

  test.each(withSituations.filter((each) => each === mode))(
    'by an error or a prompt',
    { timeout: 120_000 },
    async () => {
      const found = [];
      for (const { argv, fails, stdin, env = {} } of chosenSituations) {
        const send: Send = (request) =>
          fails?.when.test(`${request.method} ${request.url.split('?')[0]}`)
            ? fails.send(request)
            : world.send(request);
        const options = {
          ...(stdin === undefined ? {} : { ...atTerminal, stdin }),
          send,
          env: { ...mode.env, ...env },
        };
        found.push(...(await linesOf(splitCommandLine(argv), options)).found);
      }
      expect(new Set(found).size).toBeGreaterThan(chosenSituations.length / 3);
      expect(await problemsIn(found)).toEqual([]);
    },
  );

  test.each(chosen.filter((cell) => cell.mode === mode).map(({ line }) => line))('by sched %s', async (line) => {
    const words = splitCommandLine(line);
    const { found } = await linesOf([...words, '--yes'], { ...atTerminal, stdin: someAddress });
    const unconfirmed = await linesOf(words, { stdin: someAddress });
    found.push(...unconfirmed.found);
    // A command that fails anyway can't be corrected.
    for (const wrong of unconfirmed.code === 2 ? [] : mistakes(words)) found.push(...(await linesOf(wrong, {})).found);
    expect(await problemsIn(found)).toEqual([]);
  });
});

describe('the check of printed lines', () => {
  test.each<[text: string, found: string[]]>([
    ['Undo: sched events cancel E1 -p work', ['sched events cancel E1 -p work']],
    ['fix: sched auth refresh -p a, or sched auth login -p a', ['sched auth refresh -p a', 'sched auth login -p a']],
    ['run sched invitees reconcile -p a against https://b.example', ['sched invitees reconcile -p a']],
    ['check both times (sched events list), then remove the file', ['sched events list']],
    ["try: sched events list \\\n    --search 'a b'", ["sched events list --search 'a b'"]],
    ['{"note":"For a script: sched users me"}', ['sched users me']],
    [
      '{"error":{"message":"m","cause":"see sched orgs get","hint":"sched whoami"}}',
      ['sched orgs get', 'sched whoami'],
    ],
    ['Another sched process is running; "sched events" needs a subcommand', []],
    ['look: sched events <what>', ['unreadable: sched events <what>']],
  ])('finds the commands in %j', async (text, found) => {
    expect(await printedLines(text)).toEqual(found);
  });

  test.each<[line: string, chosen: Chosen, problem: string | undefined]>([
    ['sched events list', { sandbox: true }, 'it is not for the sandbox'],
    ['sched --sandbox events list', { sandbox: true }, undefined],
    ['sched events list -p home', { profile: 'work' }, 'it is not for the profile work'],
    ['sched events list -p work', { profile: 'work', zone: 'UTC' }, 'it is not for the time zone UTC'],
    ['sched auth login', { profile: 'work' }, "it doesn't name the profile work"],
    ['sched auth login', { sandbox: true }, undefined],
    ['sched doctor --api', { sandbox: true }, 'it is not for the sandbox'],
    ['sched compliance verify a.jsonl', { sandbox: true }, undefined],
    ['sched help time', { profile: 'work' }, undefined],
  ])('%s with %j', async (line, chosen, problem) => {
    expect(await otherAccount(line, chosen)).toBe(problem);
  });
});
