import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';

/** Source files by path under src/. */
type Sources = Record<string, string>;

interface Import {
  from: string;
  /** A path under src/, or a package. */
  to: string;
  isType: boolean;
  isDynamic: boolean;
}

type Rule = (sources: Sources, imports: Import[]) => string[];

/** Comments and the text inside quotes taken out, so that words in them are no code. `import` keeps its quotes. */
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1');
const codeOf = (text: string) =>
  withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*`/g, "''");

const target = (from: string, specifier: string) => {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
};

const importsOf = (sources: Sources): Import[] =>
  Object.entries(sources).flatMap(([from, text]) => {
    const code = withoutComments(text);
    const found: Import[] = [];
    for (const [, clause, specifier] of code.matchAll(
      /^\s*(?:import|export)\s+([^;'"]*?\s+from\s+)?['"]([^'"]+)['"]/gm,
    )) {
      const names = /\{([^}]*)\}/
        .exec(clause ?? '')?.[1]
        ?.split(',')
        .filter((name) => name.trim() !== '');
      const isType =
        /^type\s/.test(clause ?? '') ||
        (names !== undefined &&
          names.length > 0 &&
          names.every((name) => /^\s*type\s/.test(name)) &&
          /^\{/.test(clause!));
      found.push({ from, to: target(from, specifier!), isType, isDynamic: false });
    }
    for (const [, before, specifier] of code.matchAll(
      /(\w+\s*:\s*|<\s*|typeof\s+|=>\s*|\(\s*\w+:\s*)?\bimport\(\s*(?:\/\*.*?\*\/)?\s*['"]([^'"]+)['"]\s*(?:,[^)]*)?\)/g,
    )) {
      const isType = !/=>/.test(before ?? '') && /[:<]|typeof/.test(before ?? '');
      found.push({ from, to: target(from, specifier!), isType, isDynamic: !isType });
    }
    return found;
  });

const room = (path: string) => (path.includes('/') && !path.startsWith('node:') ? `${path.split('/')[0]}/` : path);
const isOurs = (path: string) => path.endsWith('.ts');
const isBuiltin = (path: string) => path.startsWith('node:') || builtinModules.includes(path);
const line = ({ from, to, isType }: Import) => `${from} imports ${isType ? 'types of ' : ''}${to}`;

/**
 * What each room may import besides itself: rooms (`api/`), files, packages, `node:` for builtins.
 * `type X` stands for its types only. A room that is not named here may import anything that no other rule forbids.
 */
const allowed: Record<string, string[]> = {
  'api/': ['zod'],
  'errors.ts': [],
  'json.ts': [],
  'json-error.ts': [],
  'nearest.ts': [],
  'redact.ts': [],
  'shell-quote.ts': [],
  'uri.ts': [],
  'version.ts': [],
  'http/': ['errors.ts', 'node:', 'undici'],
  'client/': ['api/', 'http/', 'errors.ts', 'json.ts', 'redact.ts', 'version.ts', 'type zod'],
  'state/': ['node:', 'errors.ts', 'shell-quote.ts'],
  'auth/': [
    'api/',
    'http/',
    'state/',
    'errors.ts',
    'redact.ts',
    'version.ts',
    'node:',
    'type runtime.ts',
    'oauth4webapi',
    'open',
    '@napi-rs/keyring',
    'zod',
  ],
  'jobs/': [
    'api/',
    'client/',
    'state/',
    'errors.ts',
    'json-error.ts',
    'uri.ts',
    'node:',
    'type runtime.ts',
    'type http/',
    'csv-parse',
  ],
  'output/': [
    'errors.ts',
    'json.ts',
    'nearest.ts',
    'shell-quote.ts',
    'type runtime.ts',
    'chalk',
    'cli-table3',
    'string-width',
    'jq-wasm',
    'node:module',
    'node:worker_threads',
  ],
  'time/': ['nearest.ts', 'temporal-polyfill'],
  'sandbox/': ['api/', 'type http/message.ts', 'type runtime.ts', 'type zod', 'node:', 'libsql', 'node:sqlite'],
  'docs/': ['api/', 'cli/', 'shell-quote.ts', 'type commander'],
  'runtime.ts': ['type http/message.ts', 'type redact.ts'],
  'redacted-output.ts': ['redact.ts', 'type runtime.ts'],
  'node/': ['runtime.ts', 'errors.ts', 'node:', 'http/transport.ts', 'type http/message.ts', 'auth/browser.ts'],
};

const mayImport = ({ from, to, isType }: Import) => {
  const list = allowed[from] ?? allowed[room(from)];
  if (list === undefined || (from.includes('/') && room(to) === room(from) && isOurs(to))) return true;
  const names = [to, room(to), ...(isBuiltin(to) ? ['node:'] : [])];
  return list.some((entry) => names.includes(entry) || (isType && names.some((name) => entry === `type ${name}`)));
};

const roomsKeepToThemselves: Rule = (_, imports) => imports.filter((each) => !mayImport(each)).map(line);

/** Packages, and the only places that may import them; `type` there means types are free everywhere. */
const homes: Record<string, { in: RegExp; typesAnywhere?: true }> = {
  undici: { in: /^http\/(transport|tunnel|undici-parts\.d)\.ts$/ },
  commander: { in: /^cli\/(parse|help)\/|^cli\/invoke\.ts|^docs\// },
  chalk: { in: /^output\// },
  'cli-table3': { in: /^output\// },
  'string-width': { in: /^output\// },
  zod: {
    in: /^(api\/|cli\/session\/profile-schema\.ts$|auth\/record-schema\.ts$)/,
    typesAnywhere: true,
  },
  'temporal-polyfill': { in: /^time\// },
  'csv-parse': { in: /^jobs\/csv-source\.ts$/ },
  '@napi-rs/keyring': { in: /^auth\/keychain/ },
  oauth4webapi: { in: /^auth\// },
  open: { in: /^auth\/browser\.ts$/ },
  libsql: { in: /^sandbox\/database\.ts$/ },
};

const onePackageOneRoom: Rule = (_, imports) =>
  imports
    .filter(({ from, to, isType }) => {
      const home = Object.hasOwn(homes, to) ? homes[to] : undefined;
      return home !== undefined && !home.in.test(from) && !(isType && home.typesAnywhere);
    })
    .map(line);

const onlyCommandsKnowTheSandbox: Rule = (_, imports) =>
  imports.filter(({ from, to }) => room(to) === 'sandbox/' && !['sandbox/', 'cli/'].includes(room(from))).map(line);

const worldly = [
  /(?<![.\w$])process(?=\s*[.[]|\s*;|\s*\))/,
  /(?<![.\w$])console\s*\./,
  /(?<![.\w$])set(?:Timeout|Interval|Immediate)\b/,
  /(?<![\w$])Date\s*\.\s*now\b/,
  /(?<![\w$])new\s+Date\s*(?:\(\s*\)|(?!\s*\())/,
  /(?<![\w$])Math\s*\.\s*random\b/,
  /(?<![.\w$])performance\s*\./,
];

const theWorldIsPassedIn: Rule = (sources) =>
  Object.entries(sources)
    .filter(([path]) => room(path) !== 'node/')
    .flatMap(([path, text]) =>
      worldly.flatMap((pattern) => {
        const found = pattern.exec(codeOf(text));
        return found === null ? [] : [`${path} uses ${found[0].trim()}`];
      }),
    );

const cycleFrom = (start: string, next: Map<string, Set<string>>): string[] | undefined => {
  const way = (path: string, seen: Set<string>): string[] | undefined => {
    for (const to of next.get(path) ?? []) {
      if (to === start) return [path];
      if (seen.has(to)) continue;
      seen.add(to);
      const rest = way(to, seen);
      if (rest !== undefined) return [path, ...rest];
    }
    return undefined;
  };
  return way(start, new Set([start]));
};

/** Each cycle once, under the file that comes first in the alphabet. */
const noCycles: Rule = (sources, imports) => {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to));
  const cycles = Object.keys(sources).flatMap((path) => {
    const cycle = cycleFrom(path, next);
    return cycle === undefined || cycle.toSorted()[0] !== path ? [] : [[...cycle, path].join(' → ')];
  });
  return [...new Set(cycles)];
};

const noBarrels: Rule = (sources) =>
  Object.entries(sources)
    .filter(([, text]) => {
      const code = withoutComments(text).trim();
      return (
        code !== '' &&
        code.replace(/export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+['"][^'"]+['"];?/g, '').trim() ===
          ''
      );
    })
    .map(([path]) => `${path} only hands on what others export`);

/** A file of operations that the catalogue doesn't load would have no commands, and nobody would notice. */
const everyOperationIsListed: Rule = (sources) =>
  Object.entries(sources)
    .filter(([path, text]) => /^api\/[\w-]+\.ts$/.test(path) && /:\s*operation\(\{/.test(withoutComments(text)))
    .filter(([path]) => !sources['api/catalogue.ts']?.includes(`'./${path.slice('api/'.length)}'`))
    .map(([path]) => `${path} has operations, but no entry in api/catalogue.ts loads it`);

const noGrabBags: Rule = (sources) =>
  Object.keys(sources).filter((path) => /(^|\/)(utils?|helpers?|misc|common)(\.\w+)*(\/|$)/i.test(path));

/** `--version` must start at once. */
const versionIsLight: Rule = (_, imports) => {
  const seen = new Set(['main.ts', 'node/runtime.ts']);
  for (const path of seen) {
    for (const { from, to, isType, isDynamic } of imports) if (from === path && !isType && !isDynamic) seen.add(to);
  }
  return [...seen].filter((path) => ['zod', 'undici', 'commander'].includes(path) || room(path) === 'sandbox/');
};

/** In the bundle `import()` of a CommonJS package has only `default`, whatever names the source sees. */
const latePackagesByDefault: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    [...withoutComments(text).matchAll(/^(.*)\bimport\('((?!node:|\.)[^']+)'\)/gm)]
      .filter(([, before]) => !/\{ default: \w+ \} = await $|:\s*$/.test(before!))
      .map(([, , name]) => `${path} takes more than the default of ${name}`),
  );

/** Facts that are easily written again, as code that gives them away, and the files that may hold it. */
const owners: { fact: string; pattern: RegExp; in: RegExp }[] = [
  // The sandbox has its own names, as a service of its own.
  { fact: 'the ID in a URI', pattern: /\.split\('\/'\)\.(at\(-1\)|pop\(\))/, in: /^(uri|sandbox\/names)\.ts$/ },
  { fact: 'how a shell quotes a word', pattern: /'\\\\''/, in: /^shell-quote\.ts$/ },
  { fact: 'the header of a token', pattern: /`Bearer \$\{token\}`/, in: /^http\/authorize\.ts$/ },
  { fact: 'the edges of a window', pattern: /['"`/^(]min_|['"`]max_/, in: /^api\/window\.ts$/ },
  { fact: 'how a file is written whole', pattern: /\bO_EXCL\b/, in: /^state\/whole-file\.ts$/ },
];

const oneOwnerPerFact: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    owners
      .filter((owner) => !owner.in.test(path) && owner.pattern.test(withoutComments(text)))
      .map(({ fact }) => `${path} works out ${fact} itself`),
  );

const rules: Record<string, Rule> = {
  'a room imports only what it may know': roomsKeepToThemselves,
  'each package has one room': onePackageOneRoom,
  'only the command line knows the sandbox': onlyCommandsKnowTheSandbox,
  'process, console, timers, the clock and chance live in node/': theWorldIsPassedIn,
  'nothing imports itself in a circle, not even types': noCycles,
  'no file only hands on what others export': noBarrels,
  'nothing is called utils': noGrabBags,
  'every operation belongs to a noun of the catalogue': everyOperationIsListed,
  '--version loads nothing heavy': versionIsLight,
  'a small fact has one owner': oneOwnerPerFact,
  'a package that is imported on first use gives its default alone': latePackagesByDefault,
};

const broken = (rule: string, sources: Sources) => rules[rule]!(sources, importsOf(sources));

const root = new URL('../src/', import.meta.url).pathname;
const src: Sources = Object.fromEntries(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

describe('architecture', () => {
  test.each(Object.keys(rules))('holds: %s', (rule) => {
    expect(broken(rule, src)).toEqual([]);
  });

  test('names only packages that package.json lists', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const listed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const entries = Object.values(allowed).flatMap((list) => list.map((entry) => entry.replace(/^type /, '')));
    const isPackage = (entry: string) => !/^node:|\/$|\.ts$/.test(entry);
    const named = new Set([...entries.filter(isPackage), ...Object.keys(homes)]);
    expect([...named].filter((name) => !listed.includes(name))).toEqual([]);
  });

  test('reads every import of src/, and each leads to a file', () => {
    const imports = importsOf(src);
    const count = Object.values(src)
      .join('\n')
      .match(/^import |^export .* from |import\('/gm)!.length;
    expect(imports.length).toBeGreaterThanOrEqual(count);
    expect(imports.filter(({ to }) => isOurs(to) && !Object.hasOwn(src, to)).map(line)).toEqual([]);
  });

  test('knows the imports of types, and those on first use', () => {
    const imports = importsOf({
      'cli/a.ts': [
        "import type { A } from './b.ts';",
        "import { type C, type D } from '../c.ts';",
        "import {\n  e,\n  type F,\n} from 'commander';",
        "import def, { type G } from 'zod/v4';",
        "import './side.ts';",
        "export type { H } from './h.ts';",
        "export * from './i.ts';",
        "const load = () => import('./j.ts');",
        "const { k } = await import('node:k');",
        "let l: import('./l.ts').L;",
        "// import { m } from './m.ts';",
      ].join('\n'),
    });
    expect(
      imports.map(({ to, isType, isDynamic }) => `${to}${isType ? ' type' : ''}${isDynamic ? ' late' : ''}`),
    ).toEqual([
      'cli/b.ts type',
      'c.ts type',
      'commander',
      'zod',
      'cli/side.ts',
      'cli/h.ts type',
      'cli/i.ts',
      'cli/j.ts late',
      'node:k late',
      'cli/l.ts type',
    ]);
  });
});

describe('architecture: a made-up house breaks', () => {
  const from = (...paths: string[]) => paths.map((path) => `import { x } from '${path}';`).join('\n');
  const houses: [string, Sources, number][] = [
    ['a room imports only what it may know', { 'api/a.ts': from('../errors.ts', 'commander', 'node:fs') }, 3],
    ['a room imports only what it may know', { 'errors.ts': "import type { X } from './runtime.ts';" }, 1],
    [
      'a room imports only what it may know',
      { 'http/a.ts': from('zod', '../client/a.ts', '../auth/a.ts', '../runtime.ts') },
      4,
    ],
    ['a room imports only what it may know', { 'client/a.ts': from('../cli/a.ts', '../state/a.ts', 'zod') }, 3],
    ['a room imports only what it may know', { 'state/a.ts': from('../api/a.ts', '../http/a.ts') }, 2],
    [
      'a room imports only what it may know',
      { 'output/a.ts': from('../runtime.ts', '../time/a.ts', '../api/a.ts') },
      3,
    ],
    ['a room imports only what it may know', { 'time/a.ts': from('../errors.ts', '../output/a.ts') }, 2],
    [
      'a room imports only what it may know',
      { 'sandbox/a.ts': from('../http/message.ts', '../runtime.ts', 'undici', '../client/a.ts') },
      4,
    ],
    ['a room imports only what it may know', { 'sandbox/a.ts': "import type { X } from '../http/proxy.ts';" }, 1],
    ['each package has one room', { 'http/proxy.ts': from('undici') }, 1],
    ['each package has one room', { 'main.ts': "const { Command } = await import('commander');" }, 1],
    ['each package has one room', { 'cli/a.ts': from('chalk', 'cli-table3', 'string-width', 'zod') }, 4],
    [
      'only the command line knows the sandbox',
      { 'main.ts': "import type { X } from './sandbox/open.ts';", 'jobs/a.ts': from('../sandbox/a.ts') },
      2,
    ],
    [
      'process, console, timers, the clock and chance live in node/',
      { 'cli/a.ts': 'process.exit(1); console.log(process.env);' },
      2,
    ],
    [
      'process, console, timers, the clock and chance live in node/',
      { 'a.ts': 'setTimeout(f, 1)', 'b.ts': 'new Promise(setImmediate)', 'c.ts': 'setInterval(f, 1)' },
      3,
    ],
    [
      'process, console, timers, the clock and chance live in node/',
      { 'a.ts': 'Date.now()', 'b.ts': 'new Date( )', 'c.ts': 'new Date;', 'd.ts': 'Math.random()' },
      4,
    ],
    [
      'nothing imports itself in a circle, not even types',
      { 'a.ts': from('./b.ts'), 'b.ts': from('./c.ts'), 'c.ts': "import type { A } from './a.ts';" },
      1,
    ],
    [
      'nothing imports itself in a circle, not even types',
      { 'a.ts': "await import('./b.ts');", 'b.ts': "let a: import('./a.ts').A;" },
      1,
    ],
    [
      'no file only hands on what others export',
      { 'api/index.ts': "// all\nexport * from './a.ts';\nexport { b } from './b.ts';" },
      1,
    ],
    [
      'nothing is called utils',
      { 'cli/utils.ts': '', 'helpers/a.ts': '', 'output/string-util.ts': '', 'cli/commonplace.ts': '' },
      2,
    ],
    [
      'every operation belongs to a noun of the catalogue',
      {
        'api/catalogue.ts': "load: async () => (await import('./a.ts')).a,",
        'api/a.ts': 'list: operation({})',
        'api/b.ts': 'list: operation({})',
      },
      1,
    ],
    [
      '--version loads nothing heavy',
      { 'main.ts': from('./a.ts'), 'a.ts': from('./cli/b.ts'), 'cli/b.ts': from('zod', 'commander') },
      2,
    ],
    ['--version loads nothing heavy', { 'node/runtime.ts': from('undici', '../sandbox/open.ts') }, 2],
    ['a small fact has one owner', { 'cli/a.ts': "uri.split('/').at(-1)!", 'jobs/a.ts': "uri.split('/').pop()" }, 2],
    ['a small fact has one owner', { 'cli/a.ts': src['shell-quote.ts']! }, 1],
    ['a small fact has one owner', { 'cli/a.ts': src['http/authorize.ts']! }, 1],
    ['a small fact has one owner', { 'cli/a.ts': src['state/whole-file.ts']! }, 1],
    ['a small fact has one owner', { 'cli/a.ts': src['api/window.ts']! }, 1],
    [
      'a package that is imported on first use gives its default alone',
      { 'a.ts': "const { Agent } = await import('undici');", 'b.ts': "const load = () => import('@a/b');" },
      2,
    ],
  ];
  test.each(houses)('%s (%#)', (rule, sources, times) => {
    expect(broken(rule, sources)).toHaveLength(times);
  });

  test('every rule', () => {
    expect(new Set(houses.map(([rule]) => rule))).toEqual(new Set(Object.keys(rules)));
  });

  test('nothing by what is allowed', () => {
    const good: Sources = {
      'main.ts': "import type { R } from './runtime.ts';\nawait import('./cli/parse/a.ts');\nlet x: import('zod').X;",
      'auth/browser.ts': "const { default: open } = await import('open');\nawait import('node:fs');",
      'cli/parse/a.ts': `${from('commander', '../../sandbox/open.ts')}\nimport type * as z from 'zod';`,
      'sandbox/open.ts': "import type { Send } from '../http/message.ts';\n// process.exit\nconst at = new Date(now);",
      'http/transport.ts': from('undici', 'node:zlib', './message.ts', '../errors.ts'),
      'http/message.ts': "export const text = 'console.log(1)'; this.process.x; inProcess.y",
      'errors.ts': 'export const x = 1;',
    };
    for (const rule of Object.keys(rules)) expect([rule, broken(rule, good)]).toEqual([rule, []]);
  });
});

// R12: what a test captures is searched for secrets by these two, so nothing is started or run around them.
const onlyWay: Record<string, RegExp> = {
  'support/processes.ts': /^(node:)?(child_process|cluster)$|^(execa|tinyexec|cross-spawn|node-pty)$/,
  'support/run.ts': /\/src\/(main|cli\/invoke)\.ts$/,
};

/** Measurements are no tests: nobody reads what they capture. And this file holds examples. */
const roundabouts = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !path.startsWith('bench/') && path !== 'architecture.test.ts')
    .flatMap(([path, text]) => {
      const imported = [...text.matchAll(/(?:^import\s[^;]*?from\s*|^import\s*|\bimport\(\s*)'([^']+)'/gm)];
      return Object.entries(onlyWay).flatMap(([way, what]) =>
        imported.some(([, name]) => what.test(name!)) && path !== way ? [`${path} goes around ${way}`] : [],
      );
    });

/** Directories are removed with the test file that made them. Measurements run without vitest, and whole-run.ts makes the first one. */
const ownDirectories = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^bench\/|^support\/(temporary|whole-run)\.ts$/.test(path))
    .filter(([, text]) => /\bmkdtemp(Sync)?\b/.test(codeOf(text)))
    .map(([path]) => `${path} makes temporary directories around support/temporary.ts`);

describe('architecture of the tests', () => {
  const folder = new URL('.', import.meta.url).pathname;
  const tests: Sources = Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

  test('holds: processes are started, and the program run, where the output is searched for secrets', () => {
    expect(roundabouts(tests)).toEqual([]);
    const config = readFileSync(new URL('../vitest.config.ts', import.meta.url), 'utf8');
    expect(config).toContain("setupFiles: ['test/support/scan.ts', ");
    expect(tests['torture/vitest.config.ts']).toContain('...suite.test,');
  });

  test.each([
    "import { spawn } from 'node:child_process';",
    "import {\n  type ChildProcess,\n  execFile,\n} from 'child_process';",
    "const { exec } = await import('node:child_process');",
    "import { run } from '../../src/main.ts';",
  ])('a made-up test breaks it: %s', (text) => {
    expect(roundabouts({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(roundabouts({ 'bench/a.bench.ts': text })).toEqual([]);
  });

  test('holds: temporary directories are made by support/temporary.ts', () => {
    expect(ownDirectories(tests)).toEqual([]);
  });

  test.each([
    "import { mkdtempSync } from 'node:fs';",
    "import { mkdtemp } from 'node:fs/promises';",
    "import * as fs from 'node:fs';\nfs.mkdtempSync('/tmp/x-');",
  ])('a made-up test makes its own directory: %s', (text) => {
    expect(ownDirectories({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(ownDirectories({ 'bench/a.bench.ts': text })).toEqual([]);
  });
});
