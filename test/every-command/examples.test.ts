import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOperations } from '../../src/api/catalogue.ts';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import { shippedDialects } from '../../src/dialects/read.ts';
import { createWorld } from '../support/run.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { isDeep, sample } from '../support/tier.ts';
import { everyExample, exampleFiles, exempt, firstDeletion, firstProfile, ownPart } from './example-lines.ts';

/** A receipt made in the sandbox says so, and these say it with their exit code. */
const provesNothing = /^compliance (verify|prove) /;

/** Which event it is, and whether its hosts are free then, depends on the day. An outdated time would be another error. */
const mayBeTaken = /^events move JW6/;

const { lines, runnable } = await everyExample();

/**
 * A Sunday evening in winter, then a day, a month and a year later, a Wednesday noon in summer, a Friday just before a new year,
 * and the day that most years lack. Examples must not rot.
 */
const days = [
  '2026-11-15T18:00:00Z',
  '2026-11-16T18:00:00Z',
  '2026-12-15T18:00:00Z',
  '2027-11-15T18:00:00Z',
  '2027-06-09T12:00:00Z',
  '2027-12-31T22:30:00Z',
  '2028-02-29T09:00:00Z',
];

/** What is said of accounts, and the worlds that are seeded besides this one, are the same on every day. */
const sameEveryDay = /^(auth|completion|doctor|mcp|profiles|ratelimit|sandbox) /;

/** Takes seconds. test/e2e/sandbox.test.ts makes a smaller world. */
const isSlow = (line: string) => line.includes('--seed large:');

/** Commands of operations that only some services have. */
const optional = (await allOperations()).flatMap((row) => (row.optional ? [row.name.replace('.', ' ')] : []));
const isOffered = (line: string, dialect: string) =>
  dialect !== '' || !optional.includes(line.split(' ').slice(0, 2).join(' '));

/** The sandbox on each day, or on one of them, and once in the dialect of a public service. */
const places = [...sample(days, 1).map((day) => ({ day, dialect: '' })), { day: days[0]!, dialect: 'calendly' }];

const cells = places.flatMap((place) =>
  runnable
    .filter((line) => isOffered(line, place.dialect))
    .filter((line) => (place === places[0] || !sameEveryDay.test(line)) && (isDeep || !isSlow(line)))
    .map((line) => ({ place, line })),
);
/** An example of each noun, or all of them in each place. */
const chosen = sample(cells, 1, ({ line }) => line.split(' ')[0]);

describe.each(places)('examples on a sandbox seeded at $day $dialect', (place) => {
  const { day, dialect: name } = place;
  const folder = temporaryDirectory('examples');
  const shared = temporaryDirectory('home');
  const before = process.cwd();
  let world: Awaited<ReturnType<typeof createWorld>>;
  beforeAll(async () => {
    const env = { SCHED_MCP_URL: 'http://127.0.0.1:4010', SCHED_DIALECT: name };
    const file = name === '' ? undefined : await readDialect({ place: name, text: shippedDialects[name]! });
    world = await createWorld({
      start: Date.parse(day),
      env,
      ...(file === undefined ? {} : { dialect: { ...file, digest: '', place: '' } }),
    });
    for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
    process.chdir(folder);
    expect(await world.run(firstDeletion, { home: shared })).toMatchObject({ code: 0 });
  });
  afterAll(() => {
    process.chdir(before);
  });

  /** What an example about accounts or bookings leaves would be in the way of the next; receipts need the key of the first. */
  const homeFor = (line: string) => {
    if (/^(profiles|auth|invitees create|events (cancel|follow|move)|config apply|sandbox export)\b/.test(line))
      return temporaryDirectory('home');
    return /^(compliance|doctor|sandbox)| --(from|log) /.test(line) ? shared : undefined;
  };

  /** Runs a line as a shell would: each command in `$(…)` first. Pipes and files are left out. */
  const runLine = async (line: string, home: string | undefined) => {
    let whole = ownPart(line);
    for (const [text, inner] of whole.matchAll(/\$\(sched ([^)]*)\)/g))
      whole = whole.replace(text, (await world.run(inner!)).stdout.trim());
    const words = splitCommandLine(whole);
    const isAsked = !words.includes('--yes') && !words.includes('--dry-run');
    return world.run(isAsked ? [...words, '--yes'] : words, {
      stdin: 'ada@engine.example\n',
      // It compares the clocks, and finds nothing wrong.
      ...(words.includes('--network') ? { clockAheadMs: 0 } : {}),
      ...(home === undefined ? {} : { home }),
    });
  };

  const here = chosen.filter((cell) => cell.place === place).map(({ line }) => line);

  // In their order: some delete what earlier ones show.
  describe('in order', { shuffle: false }, () => {
    test.each(here)('sched %s', async (line) => {
      const home = homeFor(line);
      if (/^profiles (?!add work )/.test(line)) {
        const added = await world.run(firstProfile, { home: home! });
        expect(added.stderr, added.stderr).not.toContain('error:');
      }
      // The example that creates it may not be among the chosen ones.
      if (line.startsWith('invitations revoke ada@'))
        await world.run('invitations create --email ada@example.com --yes');
      const { code, stderr } = await runLine(line, home);
      const codes = provesNothing.test(line) ? [13] : mayBeTaken.test(line) ? [0, 7] : [0];
      expect(codes, stderr).toContain(code);
    });
  });
});

test('every reason not to run an example is needed', () => {
  for (const [pattern] of exempt)
    expect(
      lines.some((line) => pattern.test(line)),
      String(pattern),
    ).toBe(true);
});
