import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topHelp } from '../../src/cli/help.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { helpOf } from '../../src/cli/program.ts';
import { topics } from '../../src/cli/topics.ts';
import { commandLinesIn } from '../cli/help-lines.ts';
import { createWorld } from '../support/run.ts';
import { splitCommandLine } from '../support/shell-words.ts';

/** Examples that cannot run here, and why. Everything else runs. */
const exempt: [pattern: RegExp, reason: string][] = [
  [/^auth (login|refresh)/, 'needs a browser, or a login that can be renewed: test/e2e and test/auth have them'],
  [/^sandbox run/, "starts the reader's own program: test/e2e/sandbox.test.ts"],
  [/^sandbox start/, 'serves until it is stopped: test/e2e/sandbox.test.ts'],
  [/^compliance (runs|bundle) \d{8}T/, 'the number of a run is made when it runs'],
  [/ --head sha256:HASH| ORG_ID/, 'a value that only the reader knows'],
];

/** A receipt made in the sandbox says so, and these say it with their exit code. */
const provesNothing = /^compliance (verify|prove) /;

/** Files that examples name. */
const files: Record<string, string> = {
  'emails.txt': 'ada@engine.example\nbob@engine.example\n',
  'people.csv': `name,email\n${Array.from({ length: 1250 }, (_, n) => `Person ${n},person${n}@engine.example\n`).join('')}`,
  'events.txt': 'JW6SHQTS78SH7TS8\nXEFT95ZZDW9SPL93\n',
  'work.json': '{"base_url":"https://api.example.com"}',
};

const examples: string[] = commandLinesIn(topHelp());
for (const topic of Object.values(topics)) examples.push(...commandLinesIn(topic.text()));
for (const [noun, { leaf, commands }] of Object.entries(nouns))
  for (const command of await commands())
    examples.push(...commandLinesIn(helpOf(leaf ? noun : `${noun} ${command.name}`, command, 80)));

const lines = [
  ...new Set(
    examples.map((line) =>
      line
        .replace(/^sched /, '')
        .replace(' --sandbox', '')
        .replace('--sandbox ', ''),
    ),
  ),
];
const runnable = lines.filter((line) => !exempt.some(([pattern]) => pattern.test(line)));

/** A Sunday evening in winter, a Wednesday noon in summer, and a Friday just before a new year. */
const days = ['2026-11-15T18:00:00Z', '2027-06-09T12:00:00Z', '2027-12-31T22:30:00Z'];

describe.each(days)('examples on a sandbox seeded at %s', (day) => {
  const folder = mkdtempSync(join(tmpdir(), 'sched-examples-'));
  const shared = mkdtempSync(join(folder, 'home-'));
  const before = process.cwd();
  let world: Awaited<ReturnType<typeof createWorld>>;
  beforeAll(async () => {
    world = await createWorld({ start: Date.parse(day), env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    process.chdir(folder);
    const deletion = 'compliance delete --from emails.txt --confirm 2 --receipt receipt.jsonl';
    expect(await world.run(deletion, { home: shared })).toMatchObject({ code: 0 });
  });
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  /** What one example about accounts does would be in the way of the next; receipts need the key of the first. */
  const homeFor = (line: string) => {
    if (/^(profiles|auth|sandbox) /.test(line)) return mkdtempSync(join(folder, 'home-'));
    return /^(compliance|doctor)| --from /.test(line) ? shared : undefined;
  };

  /** As a shell would: what stands in `$(…)` runs first, and pipes and files are not the program's affair. */
  const runLine = async (line: string, home: string | undefined) => {
    const [own = ''] = line.split(/ (?:\||&&|>>?|<) (?=(?:[^'"]|'[^']*'|"[^"]*")*$)/);
    const inner = /\$\(sched ([^)]*)\)/.exec(own);
    const whole = inner === null ? own : own.replace(inner[0], (await world.run(inner[1]!)).stdout.trim());
    const words = splitCommandLine(whole);
    const isAsked = !words.includes('--yes') && !words.includes('--dry-run');
    return world.run(isAsked ? [...words, '--yes'] : words, {
      stdin: 'ada@engine.example\n',
      ...(home === undefined ? {} : { home }),
    });
  };

  test.each(runnable)('sched %s', async (line) => {
    const home = homeFor(line);
    if (/^profiles (?!add work )/.test(line)) {
      const added = await world.run('profiles add work --base-url https://api.example.com', { home: home! });
      expect(added.stderr, added.stderr).not.toContain('error:');
    }
    const { code, stderr } = await runLine(line, home);
    expect(code, stderr).toBe(provesNothing.test(line) ? 13 : 0);
  });
});

test('every reason not to run an example is needed', () => {
  for (const [pattern] of exempt)
    expect(
      lines.some((line) => pattern.test(line)),
      String(pattern),
    ).toBe(true);
});
