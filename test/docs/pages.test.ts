import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { scopes } from '../../src/api/scopes.ts';

const root = join(import.meta.dirname, '../..');

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => `${folder}/${file}`);

const pages = ['CODE_OF_CONDUCT.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesIn('docs', /\.md$/)];
/** This file contains examples. */
const code = [...filesIn('src', /\.ts$/), ...filesIn('test', /\.(ts|js)$/)].filter(
  (path) => path !== 'test/docs/pages.test.ts',
);

const promisesIn = (text: string): string[] => [...text.matchAll(/\bR\d{1,2}\b/g)].map(([number]) => number);

const promisesOf = (page: string): string[] => [...page.matchAll(/^- \*\*(R\d{1,2})\*\*/gm)].map((match) => match[1]!);

/** Pages of this repository that a text names, by path from its root; files that the program writes aren't pages. */
const pagesIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./-])(?:docs\/[\w./-]+|[a-z][a-z-]*|CONTRIBUTING|SECURITY)\.md\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'summary.md');

/** Files and folders of the repository that a page names, without the full stop of a sentence. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w./-])(?:src|test|scripts|bin|completions|man|\.ci)\/[\w./-]*/g)].map(([path]) =>
    path.replace(/\.$/, ''),
  );

/** Where the links of a page to this repository lead: a path from the root, and a heading there. */
const linksIn = (page: string, text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)].map(
    ([, path, heading = '']) => (path === '' ? page : join(dirname(page), path!)) + heading,
  );

/** The names of a page's headings in links. */
const headingsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

const leadsSomewhere = (link: string): boolean => {
  const [path = '', heading] = link.split('#');
  return existsSync(join(root, path)) && (heading === undefined || headingsIn(read(path)).includes(heading));
};

const missing = (paths: readonly string[]): string[] => paths.filter((path) => !existsSync(join(root, path)));

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');

  /** The paths of the picture: two more blanks are one folder deeper. */
  const pictured = (): string[] => {
    const around: string[] = [];
    return /^```\n(src\/\n[\s\S]*?)^```/m
      .exec(page)![1]!
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const [, indent, names] = /^( *)((?:[\w./-]+(?: · )?)+)/.exec(line)!;
        const paths = names!.split(' · ').map((name) => around.slice(0, indent!.length / 2).join('') + name);
        around.splice(indent!.length / 2, around.length, names!);
        return paths;
      });
  };

  test('shows every folder and file of src/ and src/commands/, and every folder of src/cli/ and src/sandbox/', () => {
    const inside = (folder: string, isNamed: (name: string) => boolean = () => false) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || isNamed(entry.name))
        .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
    const isFile = (name: string) => name !== 'registry.ts';
    const expected = ['src/', ...inside('src/', isFile), ...inside('src/commands/', isFile)];
    expected.push(...inside('src/cli/'), ...inside('src/sandbox/'));
    expect(pictured().toSorted()).toEqual(expected.toSorted());
  });

  test('says where to look: each of ten files exists and has the word', () => {
    const [table] = /^\| what [\s\S]*?\n\n/m.exec(page)!;
    const rows = [...table.matchAll(/^\|[^|]+\| `([^`]+)` +\| `([^`]+)` +\|$/gm)];
    expect(rows).toHaveLength(10);
    const wrong = rows.filter(([, path, word]) => !new RegExp(`\\b${word}\\b`).test(read(path!)));
    expect(wrong.map(([row]) => row)).toEqual([]);
  });

  test('shows the way of two commands: each step is in a file of src/ that has the word', () => {
    const picture = /^## Two commands [\s\S]*?^```\n([\s\S]*?)^```/m.exec(page)![1]!;
    const steps = [...picture.matchAll(/([\w/-]+\.ts) (\w+(?:, \w+)*)/g)].flatMap(([, path, words]) =>
      words!.split(', ').map((word) => ({ path: `src/${path}`, word })),
    );
    expect(steps.length).toBeGreaterThan(40);
    const wrong = steps.filter(({ path, word }) => !new RegExp(`\\b${word}\\b`).test(read(path)));
    expect(wrong).toEqual([]);
  });
});

describe('docs/reliability.md', () => {
  const promises = promisesOf(read('docs/reliability.md'));

  test('has an entry for every promise that src/, test/ or a page cites', () => {
    const cited = [...code, ...pages].flatMap((path) =>
      promisesIn(read(path)).map((number) => ({ number, where: `${path} cites ${number}` })),
    );
    expect(cited.filter(({ number }) => !promises.includes(number)).map(({ where }) => where)).toEqual([]);
    expect(promises).toHaveLength(new Set(promises).size);
  });

  test('names a test for every promise', () => {
    const entries = read('docs/reliability.md').split(/^(?=- \*\*R|## )/m);
    const untested = entries.filter((entry) => entry.startsWith('- **R') && !/ Tests:\s+`test\//.test(entry));
    expect(untested).toEqual([]);
  });
});

describe('pages', () => {
  test.each(pages)('%s mentions only files that exist', (page) => {
    expect(missing(pathsIn(read(page)))).toEqual([]);
  });

  test.each(['README.md', ...pages])('%s links only to files and headings that exist', (page) => {
    expect(linksIn(page, read(page)).filter((link) => !leadsSomewhere(link))).toEqual([]);
  });

  test('mentioned in src/, test/ or README.md exist', () => {
    const cited = [...code, 'README.md'].flatMap((path) =>
      missing(pagesIn(read(path))).map((page) => `${path} cites ${page}`),
    );
    expect(cited).toEqual([]);
  });
});

describe('pages: the checks find', () => {
  test('promises', () => {
    expect(promisesIn('// R2, R34: why (R5). FR6 R789')).toEqual(['R2', 'R34', 'R5']);
    expect(promisesOf('- **R1** Text (R3).\n- **R2** Text.\n')).toEqual(['R1', 'R2']);
  });

  test('pages, including those without a folder', () => {
    const text = 'see docs/x.md and gaps.md, SECURITY.md; not README.md, a/LICENSE.md or summary.md';
    expect(pagesIn(text)).toEqual(['docs/x.md', 'gaps.md', 'SECURITY.md']);
  });

  test('paths and links', () => {
    expect(pathsIn('In `src/a.ts` and test/b/. Not dist/src/c.ts.')).toEqual(['src/a.ts', 'test/b/']);
    expect(linksIn('docs/a.md', '[b](b.md#top) [c](../C.md) [d](https://d.example) [e](#e)')).toEqual([
      'docs/b.md#top',
      'C.md',
      'docs/a.md#e',
    ]);
    expect(headingsIn('# A `b`: c, D?\n\n### E_f')).toEqual(['a-b-c-d', 'e_f']);
    expect(['README.md#no-such-heading', 'no-such-page.md', 'README.md#start'].map(leadsSomewhere)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test('docs/sandbox.md puts every scope into one domain', () => {
  const table = /^\| domain[\s\S]*?\n\n/m.exec(read('docs/sandbox.md'))![0];
  const named = [...table.matchAll(/`([a-z_]+:(?:read|write))`/g)].map((match) => match[1]);
  expect(named.toSorted()).toEqual(Object.keys(scopes).toSorted());
});
