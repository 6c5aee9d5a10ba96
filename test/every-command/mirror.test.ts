import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDialect, shippedDialects } from '../../src/cli/session/dialect-file.ts';
import { createWorld, type TestWorld } from '../support/run.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { exampleFiles, exempt } from './example-lines.ts';

/** What a mirror answers in another way than the service, and why. */
const reasons: [pattern: RegExp, where: string, reason: string][] = [
  [/^(auth|whoami|doctor|webhooks|mcp|mirror|invitees reconcile|events follow)/, '*', 'about the service itself'],
  [/^compliance (export|expired)/, '*', 'the receipt and the window are those of the service'],
  [/^(event-types (slots|why))/, 'calendly', 'the free times of the service itself'],
  [/^users busy/, 'calendly', 'the service knows other calendars too'],
  [/^availability get 7XMLWK4XT9XSSFB2/, 'calendly', 'no list shows this schedule'],
  [/YBL6DUNR9FS4PNP6|"Support call"/, 'sandbox_user', 'no list that a user may read shows this event type'],
  [/JW6SHQTS78SH7TS8/, 'sandbox_user', "an event of others: the mirror doesn't know that it exists"],
];

interface Described {
  commands: { command: string; effect: string; examples: string[] }[];
}

const dialectNamed = async (name: string) =>
  name === ''
    ? {}
    : {
        dialect: {
          ...(await readDialect({ place: name, text: shippedDialects[name]! })),
          digest: '',
          place: '',
        },
      };

const tokens = ['sandbox_owner', 'sandbox_admin', 'sandbox_user', 'sandbox_read_only', 'sandbox_legacy'];
const places = [...tokens.map((token) => ({ token, dialect: '' })), { token: 'sandbox_owner', dialect: 'calendly' }];

describe.each(sample(places, 2))('the mirror of $token $dialect', ({ token, dialect }) => {
  const home = temporaryDirectory('home');
  const folder = temporaryDirectory('examples');
  const before = process.cwd();
  const env = { SCHED_TOKEN: token, ...(dialect === '' ? {} : { SCHED_DIALECT: dialect }) };
  let world: TestWorld;
  let lines: string[] = [];
  beforeAll(async () => {
    world = await createWorld({ env, ...(await dialectNamed(dialect)) });
    for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
    process.chdir(folder);
    const { stdout } = await world.run('schema');
    const { commands } = JSON.parse(stdout) as Described;
    lines = commands
      .filter(({ effect }) => effect === 'read')
      .flatMap(({ examples }) => examples)
      .map((line) => line.replace(/^sched /, ''))
      .filter((line) => !exempt.some(([pattern]) => pattern.test(line)));
    const { code, stderr } = await world.run('mirror sync --yes', { home });
    expect(stderr).toContain('the mirror is complete');
    expect(code).toBe(0);
  });

  afterAll(() => process.chdir(before));

  test('answers every read example as the service does', async () => {
    const differing: string[] = [];
    const offline = async () => {
      throw new Error('a mirror sends nothing');
    };
    for (const line of lines) {
      const words = splitCommandLine(line.includes('--json') ? line : `${line} --json`);
      const there = await world.run(words, { home });
      const here = await world.run(['--mirror', ...words], { home, send: offline, env: { SCHED_TOKEN: token } });
      if (there.code !== here.code || there.stdout !== here.stdout)
        differing.push(
          `${line}: ${there.code} ${there.stdout.length} ${here.code} ${here.stdout.length} ${here.stderr} / ${there.stderr}`,
        );
    }
    expect(
      differing.filter(
        (line) => !reasons.some(([pattern, where]) => pattern.test(line) && ['*', dialect, token].includes(where)),
      ),
    ).toEqual([]);
  }, 200_000);
});
