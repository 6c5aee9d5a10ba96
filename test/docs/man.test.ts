import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { staleFiles } from '../../scripts/docs/generate.ts';
import { lastRelease, manPages } from '../../scripts/docs/man.ts';
import { escaped, roff } from '../../scripts/docs/roff.ts';
import { onceEach } from '../../src/base/once.ts';
import { spell } from '../../src/base/words.ts';
import { pipeColumns } from '../../src/cli/help/command-help.ts';
import { topics } from '../../src/cli/help/topics.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { buildTree } from '../../src/cli/parse/tree.ts';
import { spawnSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const folder = join(import.meta.dirname, '../../man');
const tree = await buildTree();
const changelog = '# Changelog\n\n## Unreleased\n\n- More.\n\n## 1.2.0 (2025-12-01)\n\n## 1.1.0 (2025-11-01)\n';
const pages = manPages(tree, changelog);
const names = Object.keys(pages);

const leavesOf = (noun: (typeof tree.commands)[number]) =>
  (noun.commands.length === 0 ? [noun] : noun.commands) as Leaf[];
const leaves = tree.commands.flatMap((noun) =>
  leavesOf(noun).map((leaf) => ({
    words: leaf === noun ? noun.name() : `${noun.name()} ${leaf.name()}`,
    page: pages[`man/${['sched', noun.name(), ...(leaf === noun ? [] : [leaf.name()])].join('-')}.1`]!,
    leaf,
  })),
);

/** The text of a page as a reader gets it: markup gone, continued command lines and wrapped sentences joined. */
const plainOf = onceEach((page: string): string =>
  page
    .replaceAll(/\\f[BIR]/g, '')
    .replaceAll(/\\\[u([0-9A-F]+)\]/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('\\-', '-')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(ga', '`')
    .replaceAll('\\(ha', '^')
    .replaceAll('\\(ti', '~')
    .replaceAll('\\&', '')
    .replaceAll(/\\e\n +/g, '')
    .replaceAll('\\e', '\\')
    .replaceAll('\n', ' '),
);

describe('man pages', () => {
  test('are there for sched, for each noun, verb and topic', () => {
    const expected = [
      'man/sched.1',
      ...tree.commands.map((noun) => `man/sched-${noun.name()}.1`),
      ...tree.commands.flatMap((noun) => noun.commands.map((verb) => `man/sched-${noun.name()}-${verb.name()}.1`)),
      ...Object.keys(topics).map((topic) => `man/sched-${topic}.7`),
      'man/scheds.1',
    ];
    expect(names).toEqual(expected);
    expect(readdirSync(folder).toSorted()).toEqual(expected.map((path) => path.slice('man/'.length)).toSorted());
  });

  test('are listed in package.json, so that npm installs each of them', () => {
    expect(manifest.man).toEqual(names.toSorted());
    expect(manifest.files).toContain('man');
  });

  test.each(leaves)('name every flag, argument, example and column of $words', ({ words, page, leaf }) => {
    const text = plainOf(page);
    const { definition: command } = leaf;
    expect(text).toContain(`sched ${words} ${leaf.usage()}`);
    const lines = page.replaceAll(/\\f[BIR]/g, '').split('\n');
    const terms = lines.filter((_, index) => lines[index - 1] === '.TP').map((line) => line.replaceAll('\\-', '-'));
    for (const { name, negatable } of command.flags) {
      const flags = negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`];
      for (const flag of flags)
        expect(
          terms.some((term) => new RegExp(`(^|, )${flag}($|[ [])`).test(term)),
          flag,
        ).toBe(true);
    }
    for (const { name, description } of command.arguments) {
      expect(lines).toContain(escaped(name));
      expect(text).toContain(spell(description));
    }
    for (const example of command.examples) expect(text).toContain(`sched ${example} `);
    for (const note of command.notes ?? []) expect(text).toContain(note.split('\n')[0]!);
    expect(text).toContain(pipeColumns(command).join(', '));
  });

  test.each(Object.keys(topics))('hold everything that sched help %s says', (topic) => {
    const recorded: string[] = [];
    topics[topic]!.blocks({
      items: (pairs) => String(recorded.push(...pairs.flat())),
      commands: (lines) => String(recorded.push(...lines)),
      text: (words) => String(recorded.push(words)),
    });
    const text = plainOf(pages[`man/sched-${topic}.7`]!);
    expect(recorded.length).toBeGreaterThan(3);
    expect(recorded.filter((words) => !text.includes(words))).toEqual([]);
  });

  test('refer only to pages that exist', () => {
    const referred = Object.values(pages).flatMap((page) =>
      [...page.replaceAll('\\-', '-').matchAll(/\b(sched[\w-]*) ?\((\d)\)/g)].map(([, name, n]) => `man/${name}.${n}`),
    );
    expect(referred.length).toBeGreaterThan(100);
    expect(referred.filter((path) => !names.includes(path))).toEqual([]);
  });

  test('have the version and date of the last release, and no date before the first', () => {
    expect(lastRelease(changelog)).toEqual({ version: '1.2.0', date: '2025-12-01' });
    expect(lastRelease('## [2.0.0-rc.1] - 2027-01-02\n')).toEqual({ version: '2.0.0-rc.1', date: '2027-01-02' });
    expect(lastRelease('## Unreleased\n\n- Since 2026-11-01: 1.0.0\n')).toBeUndefined();
    expect(pages['man/sched.1']).toContain('\n.TH SCHED 1 "2025-12-01" "sched 1.2.0" "User Commands"\n');
    expect(manPages(tree, '## Unreleased\n')['man/sched.1']).toContain('\n.TH SCHED 1 "" "sched" "User Commands"\n');
  });

  test('of nouns that no longer exist are reported', () => {
    expect(staleFiles(pages, ['sched.1', 'sched-gone.1'])).toEqual(['man/sched-gone.1']);
  });
});

describe('man pages: escapes', () => {
  test.each([
    ['a\\b', 'a\\eb'],
    ['--dry-run', '\\-\\-dry\\-run'],
    ["don't `x` ^ ~/a", 'don\\(aqt \\(gax\\(ga \\(ha \\(ti/a'],
    ['sha256:…', 'sha256:\\[u2026]'],
    ['\u001b[31m\u{1f600}', '\\[u001B][31m\\[u1F600]'],
  ])('%j', (text, expected) => {
    expect(escaped(text)).toBe(expected);
  });

  test('lines that would be requests', () => {
    expect(roff.text('.so /etc/passwd')).toBe('.PP\n\\&.so /etc/passwd');
    expect(roff.text("'so x")).toBe('.PP\n\\(aqso x');
    expect(roff.commands(['.sh x'])).toContain('\n\\&.sh x\n');
    // The break comes right before the second word.
    expect(roff.text(`${'x'.repeat(70)} .gitignore-and-more`)).toMatch(/\n\\&\.gitignore/);
  });

  test('flags in bold, their values in italics', () => {
    expect(roff.items([['-o, --output FORMAT', 'format']])).toBe(
      '.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFORMAT\\fR\nformat',
    );
    expect(roff.items([['--event-type NAME|ID', 'type']])).toContain('\\fB\\-\\-event\\-type\\fR \\fINAME|ID\\fR\n');
    expect(roff.items([['--json[=FIELDS]', 'json']])).toContain('\\fB\\-\\-json\\fR[=\\fIFIELDS\\fR]\n');
    expect(roff.items([['SCHED_TOKEN', 'token']])).toBe('.TP\n\\fBSCHED_TOKEN\\fR\ntoken');
  });
});

describe('man pages: readers', () => {
  const place = temporaryDirectory('man');
  const files = names.map((path) => join(place, path.slice('man/'.length)));
  for (const [index, file] of files.entries()) writeFileSync(file, pages[names[index]!]!);

  test('mandoc -Tlint finds nothing', () => {
    const { stdout, stderr, error } = spawnSync('mandoc', ['-Tlint', ...files], { encoding: 'utf8' });
    expect(error).toBeUndefined();
    expect(stdout + stderr).toBe('');
  });

  test('man shows them without a warning, with commands that can be copied', () => {
    const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat', HOME: place };
    const asked = ['sched-formatting.7', 'sched-flags.7'].map((name) => join(place, name));
    const read = [...asked, ...sample(files, 1)];
    const { stdout, stderr, error } = spawnSync('man', ['--warnings', ...read], { encoding: 'utf8', env });
    expect(error).toBeUndefined();
    expect(stderr).toBe('');
    const shown = stdout.replaceAll(/.\x08/g, '');
    expect(shown).toContain('--jq \'.[] | select(.status == "active") | .name\'');
    expect(shown).not.toContain('\u2010');
    expect(shown).toMatch(/^ {7}--json\[=FIELDS\]$/m);
    expect(readFileSync(files[0]!, 'utf8')).toBe(pages['man/sched.1']);
  });
});
