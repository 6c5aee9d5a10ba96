import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { nouns } from '../src/cli/commands/registry.ts';

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

interface Parsed extends Pick<ReturnType<typeof parseSync>, 'comments' | 'module' | 'program'> {
  /** The text without its comments. */
  code: string;
}

const parsed = new Map<string, Parsed>();

const parse = (text: string): Parsed => {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { comments, module, program } = parseSync('source.ts', text);
  const code = comments.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);
  const all = { code, comments, module, program };
  parsed.set(text, all);
  return all;
};

/** Without comments and quoted text, so that words in them don't count as code. `import` keeps its quotes. */
const withoutComments = (text: string) => parse(text).code;
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
    const { comments, module } = parse(text);
    const { staticImports, staticExports, dynamicImports } = module;
    const allTypes = (entries: { isType: boolean }[]) => entries.length > 0 && entries.every(({ isType }) => isType);
    const known = [
      ...staticImports.map(({ moduleRequest, entries }) => ({ moduleRequest, isType: allTypes(entries) })),
      ...staticExports.map(({ entries }) => ({ moduleRequest: entries[0]?.moduleRequest, isType: allTypes(entries) })),
    ].flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, isType, isDynamic: false }] : [],
    );
    // The parser lists no type such as `import('./a.ts').A`, so that what it doesn't list is one.
    const others = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)]
      .filter(({ index }) => !comments.some(({ start, end }) => start <= index && index < end))
      .map(({ index, 1: specifier = '' }) => {
        const isDynamic = dynamicImports.some(({ start }) => start === index);
        return { specifier, isType: !isDynamic, isDynamic };
      });
    return [...known, ...others].map(({ specifier, ...kind }) => ({ from, to: target(from, specifier), ...kind }));
  });

const folderOf = (path: string) => (path.includes('/') && !path.startsWith('node:') ? `${path.split('/')[0]}/` : path);
const isOurs = (path: string) => path.endsWith('.ts');
const isText = (path: string) => /\.(sh|sql|json|yaml)$|^sandbox\/pages\/browser$/.test(path);
const isBuiltin = (path: string) => path.startsWith('node:') || builtinModules.includes(path);
const line = ({ from, to, isType }: Import) => `${from} imports ${isType ? 'types of ' : ''}${to}`;

/**
 * What each folder may import besides itself: folders (`api/`), files, packages, `node:` for builtins.
 * `type X` means only types. A folder that is not listed may import anything that no other rule forbids.
 */
const allowed: Record<string, string[]> = {
  'api/': ['once.ts', 'uri.ts', 'zod'],
  'capital.ts': [],
  'errors.ts': [],
  'json.ts': [],
  'json-error.ts': [],
  'nearest.ts': [],
  'once.ts': [],
  'network-errors.ts': [],
  'numbers.ts': [],
  'redact.ts': [],
  'shell-quote.ts': [],
  'system.ts': [],
  'uri.ts': [],
  'version.ts': [],
  'windows.ts': ['type system.ts'],
  'http/': [
    'errors.ts',
    'network-errors.ts',
    'uri.ts',
    'type state/budget.ts',
    'type state/shared-budget.ts',
    'type system.ts',
    'node:',
    'undici',
  ],
  'client/': ['api/', 'dialects/', 'http/', 'errors.ts', 'json.ts', 'redact.ts', 'version.ts', 'type zod'],
  'dialects/': ['api/', 'json.ts', 'nearest.ts', 'uri.ts', 'zod'],
  'state/': [
    'node/files.ts',
    'make-directory.ts',
    'uri.ts',
    'node:',
    'errors.ts',
    'json.ts',
    'type system.ts',
    'network-errors.ts',
    'numbers.ts',
    'once.ts',
    'shell-quote.ts',
    '@redis/client',
  ],
  'auth/': [
    'node/files.ts',
    'api/',
    'http/',
    'state/',
    'errors.ts',
    'json.ts',
    'redact.ts',
    'uri.ts',
    'version.ts',
    'windows.ts',
    'node:',
    'runtime.ts',
    'type system.ts',
    'oauth4webapi',
    'open',
    '@napi-rs/keyring',
    'zod',
  ],
  'jobs/': [
    'node/files.ts',
    'capital.ts',
    'api/',
    'client/',
    'config/',
    'state/',
    'time/',
    'errors.ts',
    'json.ts',
    'json-error.ts',
    'numbers.ts',
    'uri.ts',
    'node:',
    'type runtime.ts',
    'type system.ts',
    'type http/',
    'csv-parse',
  ],
  'output/': [
    'capital.ts',
    'errors.ts',
    'ics-text.ts',
    'json.ts',
    'nearest.ts',
    'numbers.ts',
    'once.ts',
    'uri.ts',
    'shell-quote.ts',
    'time/wall.ts',
    'type runtime.ts',
    'type system.ts',
    'chalk',
    'cli-table3',
    'string-width',
    'jq-wasm',
    'node:module',
    'node:worker_threads',
  ],
  'time/': ['api/weekdays.ts', 'json.ts', 'nearest.ts', 'numbers.ts', 'once.ts', 'temporal-polyfill'],
  'config/': [
    'api/',
    'json.ts',
    'numbers.ts',
    'output/yaml.ts',
    'output/sanitize.ts',
    'time/',
    'uri.ts',
    'yaml-file.ts',
    'node:',
    'zod',
  ],
  'yaml-file.ts': ['api/', 'nearest.ts', 'type zod', 'yaml'],
  'sandbox/': [
    'api/',
    'capital.ts',
    'dialects/',
    'ics-text.ts',
    'json.ts',
    'nearest.ts',
    'make-directory.ts',
    'numbers.ts',
    'once.ts',
    'shell-quote.ts',
    'time/',
    'yaml-file.ts',
    'uri.ts',
    'type http/message.ts',
    'type runtime.ts',
    'type system.ts',
    'zod',
    'node:',
    'libsql',
    'node:sqlite',
  ],
  'webhooks/': ['http/', 'json.ts', 'node:', 'type system.ts'],
  'runtime.ts': ['type http/message.ts', 'type redact.ts', 'type state/', 'type system.ts'],
  'redacted-output.ts': ['redact.ts', 'type runtime.ts', 'uri.ts'],
  'node/': [
    'runtime.ts',
    'type system.ts',
    'errors.ts',
    'node:',
    'http/transport.ts',
    'type http/message.ts',
    'auth/browser.ts',
    'state/named-file.ts',
    'state/redis/redis-client.ts',
    'windows.ts',
  ],
};

const mayImport = ({ from, to, isType }: Import) => {
  const list = allowed[from] ?? allowed[folderOf(from)];
  if (list === undefined || (from.includes('/') && folderOf(to) === folderOf(from) && (isOurs(to) || isText(to))))
    return true;
  const names = [to, folderOf(to), ...(isBuiltin(to) ? ['node:'] : [])];
  return list.some((entry) => names.includes(entry) || (isType && names.some((name) => entry === `type ${name}`)));
};

const importsAreAllowed: Rule = (_, imports) => imports.filter((each) => !mayImport(each)).map(line);

/** Packages, and the only places that may import them. `typesAnywhere`: their types may be imported everywhere. */
const homes: Record<string, { in: RegExp; typesAnywhere?: true }> = {
  undici: { in: /^http\/(transport|tunnel|undici-parts\.d)\.ts$/ },
  commander: { in: /^cli\/(parse|help)\// },
  chalk: { in: /^output\// },
  'cli-table3': { in: /^output\// },
  'string-width': { in: /^output\// },
  zod: {
    in: /^(api\/|cli\/session\/profile-schema\.ts$|cli\/commands\/mcp\/cursor\.ts$|auth\/credential-schema\.ts$|config\/file-schema\.ts$|dialects\/schema\.ts$|sandbox\/.*admin\.ts$|sandbox\/faults\/faults\.ts$|sandbox\/world\/schema\.ts$)/,
    typesAnywhere: true,
  },
  'temporal-polyfill': { in: /^time\// },
  'csv-parse': { in: /^jobs\/csv-source\.ts$/ },
  '@napi-rs/keyring': { in: /^auth\/keychain/ },
  oauth4webapi: { in: /^auth\// },
  '@inquirer/core': { in: /^cli\/session\/picker\.ts$/ },
  '@inquirer/prompts': { in: /^cli\/session\/key-prompts\.ts$/ },
  '@redis/client': { in: /^state\/redis\/redis-client\.ts$/ },
  open: { in: /^auth\/browser\.ts$/ },
  '@modelcontextprotocol/server': { in: /^cli\/commands\/mcp\// },
  yaml: { in: /^yaml-file\.ts$/ },
  libsql: { in: /^sandbox\/store\/database\.ts$/ },
};

const onePackageOneFolder: Rule = (_, imports) =>
  imports
    .filter(({ from, to, isType }) => {
      const home = Object.hasOwn(homes, to) ? homes[to] : undefined;
      return home !== undefined && !home.in.test(from) && !(isType && home.typesAnywhere);
    })
    .map(line);

/** Folders of cli/, each of which may only import those after it. */
const layers = ['commands/', 'scheduling/', 'operation/', 'session/'].map((folder) => `cli/${folder}`);
const layerOf = (path: string) => layers.findIndex((folder) => path.startsWith(folder));

const commandsAreInLayers: Rule = (_, imports) =>
  imports.filter(({ from, to }) => layerOf(to) >= 0 && layerOf(from) > layerOf(to)).map(line);

/** One module is the disk, so that tests can replace it. The sandbox is a service, with a disk of its own. */
const oneDisk: Rule = (_, imports) =>
  imports
    .filter(({ from, to }) => /^(node:)?fs(\/|$)/.test(to) && !['node/', 'sandbox/'].includes(folderOf(from)))
    .map(line);

const onlyCommandsKnowTheSandbox: Rule = (_, imports) =>
  imports
    .filter(
      ({ from, to }) =>
        folderOf(to) === 'sandbox/' && !['sandbox/', 'cli/', 'create-sandbox.ts'].includes(folderOf(from)),
    )
    .map(line);

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
    .filter(([path]) => folderOf(path) !== 'node/')
    .flatMap(([path, text]) => {
      const code = codeOf(text);
      return worldly.flatMap((pattern) => {
        const found = pattern.exec(code);
        return found === null ? [] : [`${path} uses ${found[0].trim()}`];
      });
    });

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

/** Lists each cycle once, under its alphabetically first file. */
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
    .filter(([path, text]) => {
      const code = withoutComments(text).trim();
      return (
        path !== 'node/files.ts' &&
        code !== '' &&
        code.replace(/export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+['"][^'"]+['"];?/g, '').trim() ===
          ''
      );
    })
    .map(([path]) => `${path} only re-exports from others`);

/** A file of operations that the catalogue doesn't load would have no commands, and nobody would notice. */
const everyOperationIsListed: Rule = (sources) =>
  Object.entries(sources)
    .filter(([path, text]) => /^api\/[\w-]+\.ts$/.test(path) && /= operations\(/.test(withoutComments(text)))
    .filter(([path]) => !sources['api/catalogue.ts']?.includes(`'./${path.slice('api/'.length)}'`))
    .map(([path]) => `${path} has operations, but no entry in api/catalogue.ts loads it`);

const noGrabBags: Rule = (sources) =>
  Object.keys(sources).filter((path) => /(^|\/)(utils?|helpers?|misc|common)(\.\w+)*(\/|$)/i.test(path));

/** What goes by this machine's clock in cli/, and why. What is next, upcoming or today goes by the service's clock. */
const onMachineTime: Record<string, string[]> = {
  'how long something takes or is kept on this machine': [
    'complete/names.ts',
    'commands/bulk/show-progress.ts',
    'commands/follow/follow.ts',
    'commands/mcp/http-sessions.ts',
    'commands/sandbox/screen.ts',
    'commands/webhooks/keep-listening.ts',
    'commands/webhooks/listen.ts',
    'commands/webhooks/recent-file.ts',
    'scheduling/filter-support.ts',
    'session/identity.ts',
  ],
  'the rate budget, whose windows this machine notes': [
    'commands/ratelimit.ts',
    'session/booking-limits.ts',
    'session/network.ts',
  ],
  'tokens, whose expiry this machine notes': [
    'commands/auth/auth.ts',
    'commands/auth/login-command.ts',
    'commands/auth/login-facts.ts',
    'commands/doctor/account.ts',
  ],
  'receipts and ledgers of this machine': [
    'commands/bulk/move.ts',
    'commands/bulk/run-bulk.ts',
    'commands/compliance/export.ts',
    'commands/compliance/receipts.ts',
    'commands/doctor/machine-checks.ts',
  ],
  'deliveries, which the sandbox signs by this clock': ['commands/webhooks/verify.ts'],
  'a sandbox that has no clock yet': ['commands/sandbox/input.ts'],
  'both clocks, compared or the earlier one of them': [
    'commands/webhooks/create.ts',
    'operation/write-result.ts',
    'session/both-clocks.ts',
    'session/context.ts',
  ],
};

const oneNow: Rule = (sources) => {
  const listed = Object.values(onMachineTime)
    .flat()
    .map((path) => `cli/${path}`);
  return Object.entries(sources)
    .filter(([path, text]) => path.startsWith('cli/') && /(?<!sandbox\.)\bclock\.now\b/.test(codeOf(text)))
    .flatMap(([path]) => (listed.includes(path) ? [] : [`${path} goes by this machine's clock`]));
};

/** `--version` must start fast. */
const versionIsLight: Rule = (_, imports) => {
  const seen = new Set(['main.ts', 'node/runtime.ts']);
  for (const path of seen) {
    for (const { from, to, isType, isDynamic } of imports) if (from === path && !isType && !isDynamic) seen.add(to);
  }
  return [...seen].filter((path) => ['zod', 'undici', 'commander'].includes(path) || folderOf(path) === 'sandbox/');
};

/** In the bundle, `import()` of a CommonJS package has only `default`, regardless of its types. */
const latePackagesByDefault: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    [...withoutComments(text).matchAll(/^(.*)\bimport\('((?!node:|\.)[^']+)'\)/gm)]
      .filter(([, before]) => !/\{ default: \w+ \} = await $|:\s*$/.test(before!))
      .map(([, , name]) => `${path} uses more than the default export of ${name}`),
  );

/** Facts that are easily duplicated: a pattern that finds the code, and the files that may contain it. */
const owners: { fact: string; pattern: RegExp; in: RegExp }[] = [
  { fact: 'the ID in a URI', pattern: /\.split\('\/'\)\.(at\(-1\)|pop\(\))/, in: /^uri\.ts$/ },
  { fact: 'how a shell quotes a word', pattern: /'\\\\''/, in: /^shell-quote\.ts$/ },
  { fact: 'the header of a token', pattern: /`Bearer \$\{token\}`/, in: /^http\/authorize\.ts$/ },
  { fact: 'the edges of a window', pattern: /['"`/^(]min_|['"`]max_/, in: /^api\/window\.ts$/ },
  { fact: 'how a file is written whole', pattern: /\bO_EXCL\b/, in: /^state\/whole-file\.ts$/ },
];

const oneOwnerPerFact: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    owners
      .filter((owner) => !owner.in.test(path) && owner.pattern.test(withoutComments(text)))
      .map(({ fact }) => `${path} duplicates ${fact}`),
  );

/** What the content security policy forbids, and attribute values that text could break out of. */
const unsafeMarkup = /\bstyle="|\son[a-z]+="|=\$\{|<script[^>]*>[^<]/;

const pagesAreSafe: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    path.startsWith('sandbox/pages/')
      ? [...text.matchAll(/html`[^`]*`/g)]
          .filter(([made]) => unsafeMarkup.test(made))
          .map(([made]) => `${path}: ${made}`)
      : [],
  );

/** A command of sched, as people would paste it. A sentence about sched goes on with another word. */
const pasteable = new RegExp(
  `(?<![\\w/.-])sched (?:--?[a-z]|\\$\\{|(?:${[...Object.keys(nouns), 'help'].join('|')})(?![\\w-]))`,
);

/** Files that contain commands, with the reason. Help texts of commands may contain them too. */
const mayNameCommands: Record<string, string> = {
  'cli/help/': 'help pages and topics: nothing runs, so there is no account',
  'cli/commands/completion.ts': 'lines for the start file of a shell, which need no account',
  'sandbox/pages/': 'pages for a browser: only its user knows how the shell reaches this sandbox',
  'cli/commands/bulk/run-bulk.ts': 'the version of sched',
  'cli/commands/bulk/show-progress.ts': 'a heading',
};
const helpTexts = ['examples', 'notes', 'description', 'summary'];

/** Ways to make a line without an account, and the files that may use them. */
const withoutAccount: Record<string, RegExp> = {
  'as CommandLine': /^cli\/messages\/suggested-line\.ts$/,
  helpLine: /^cli\/(invoke\.ts|parse\/|messages\/suggested-line\.ts)/,
  noAccount:
    /^cli\/(messages\/(error-report|suggested-line)|session\/connection|commands\/(mcp\/run-tool|compliance\/hide-addresses|doctor\/machine-checks))\.ts$/,
};

/** What is needed of a node of the syntax tree. */
interface SyntaxNode {
  type?: string;
  key?: { name?: string };
  id?: { name?: string };
  value?: unknown;
  quasis?: { value: { raw: string } }[];
}

/** The texts in the code, except for help texts. */
const textsIn = (node: unknown): string[] => {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, key, id, value, quasis } = node as SyntaxNode;
  const name = type === 'Property' ? key?.name : type === 'VariableDeclarator' ? id?.name : undefined;
  if (helpTexts.includes(name ?? '')) return [];
  return [
    ...(type === 'Literal' && typeof value === 'string' ? [value] : []),
    ...(quasis === undefined ? [] : [quasis.map((part) => part.value.raw).join('${')]),
    ...Object.values(node).flatMap(textsIn),
  ];
};

const linesAreMadeOnce: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) => {
    const code = withoutComments(text);
    const ways = Object.entries(withoutAccount).filter(
      ([way, files]) => new RegExp(`\\b${way}\\b`).test(code) && !files.test(path),
    );
    const isFree = Object.keys(mayNameCommands).some((each) => path.startsWith(each));
    const named =
      isFree || !pasteable.test(code) ? [] : textsIn(parse(text).program).filter((each) => pasteable.test(each));
    return [
      ...ways.map(([way]) => `${path} makes a command without an account: ${way}`),
      ...named.map((each) => `${path} has a command that names no account: ${each}`),
    ];
  });

const rules: Record<string, Rule> = {
  'a folder imports only what it may import': importsAreAllowed,
  'each package is imported by one folder': onePackageOneFolder,
  'files are reached through node/files.ts': oneDisk,
  'only cli/ imports the sandbox': onlyCommandsKnowTheSandbox,
  'in cli/, commands import scheduling, operation and session, in this order': commandsAreInLayers,
  'process, console, timers, the clock and random values are only in node/': theWorldIsPassedIn,
  "in cli/, only listed files go by this machine's clock instead of the service's": oneNow,
  'there are no import cycles, not even of types': noCycles,
  'no file only re-exports from others': noBarrels,
  'no file is called utils': noGrabBags,
  'every operation belongs to a noun of the catalogue': everyOperationIsListed,
  '--version loads nothing heavy': versionIsLight,
  'each small fact has one owner': oneOwnerPerFact,
  'command lines for pasting are made in cli/messages/suggested-line.ts': linesAreMadeOnce,
  'pages have quoted attributes, and no inline style or script': pagesAreSafe,
  'a dynamic import of a package uses only its default export': latePackagesByDefault,
};

const broken = (rule: string, sources: Sources, imports = importsOf(sources)) => rules[rule]!(sources, imports);

const root = new URL('../src/', import.meta.url).pathname;
const src: Sources = Object.fromEntries(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

describe('architecture', () => {
  const imports = importsOf(src);

  test.each(Object.keys(rules))('holds: %s', (rule) => {
    expect(broken(rule, src, imports)).toEqual([]);
  });

  test('lists only packages that are in package.json', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const listed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const entries = Object.values(allowed).flatMap((list) => list.map((entry) => entry.replace(/^type /, '')));
    const isPackage = (entry: string) => !/^node:|\/$|\.ts$/.test(entry);
    const named = new Set([...entries.filter(isPackage), ...Object.keys(homes)]);
    expect([...named].filter((name) => !listed.includes(name))).toEqual([]);
  });

  test('finds every import of src/, and each names an existing file', () => {
    const count = Object.values(src)
      .join('\n')
      .match(/^import |^export .* from |import\('/gm)!.length;
    expect(imports.length).toBeGreaterThanOrEqual(count);
    expect(imports.filter(({ to }) => isOurs(to) && !Object.hasOwn(src, to)).map(line)).toEqual([]);
  });

  test('recognizes type imports and dynamic imports', () => {
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

describe('architecture: an example with a violation breaks', () => {
  const from = (...paths: string[]) => paths.map((path) => `import { x } from '${path}';`).join('\n');
  const examples: [string, Sources, number][] = [
    ['a folder imports only what it may import', { 'api/a.ts': from('../errors.ts', 'commander', 'node:fs') }, 3],
    ['a folder imports only what it may import', { 'errors.ts': "import type { X } from './runtime.ts';" }, 1],
    [
      'a folder imports only what it may import',
      { 'http/a.ts': from('zod', '../client/a.ts', '../auth/a.ts', '../runtime.ts') },
      4,
    ],
    ['a folder imports only what it may import', { 'client/a.ts': from('../cli/a.ts', '../state/a.ts', 'zod') }, 3],
    ['a folder imports only what it may import', { 'state/a.ts': from('../api/a.ts', '../http/a.ts') }, 2],
    [
      'a folder imports only what it may import',
      { 'output/a.ts': from('../runtime.ts', '../time/a.ts', '../api/a.ts') },
      3,
    ],
    ['a folder imports only what it may import', { 'time/a.ts': from('../errors.ts', '../output/a.ts') }, 2],
    [
      'a folder imports only what it may import',
      { 'sandbox/a.ts': from('../http/message.ts', '../runtime.ts', 'undici', '../client/a.ts') },
      4,
    ],
    ['a folder imports only what it may import', { 'sandbox/a.ts': "import type { X } from '../http/proxy.ts';" }, 1],
    [
      'pages have quoted attributes, and no inline style or script',
      {
        'sandbox/pages/a.ts': `html\`<a href=\${url}>\` + html\`<p style="color: red">\` + html\`<p onclick="go()">\` + html\`<script>go()</script>\``,
        'sandbox/pages/b.ts': `html\`<a href="\${url}">\` + html\`<script src="/assets/a.js"></script>\``,
      },
      4,
    ],
    ['each package is imported by one folder', { 'http/proxy.ts': from('undici') }, 1],
    ['each package is imported by one folder', { 'main.ts': "const { Command } = await import('commander');" }, 1],
    ['each package is imported by one folder', { 'cli/a.ts': from('chalk', 'cli-table3', 'string-width', 'zod') }, 4],
    [
      'files are reached through node/files.ts',
      { 'state/a.ts': from('node:fs', 'node:fs/promises', 'fs', '../node/files.ts'), 'node/a.ts': from('node:fs') },
      3,
    ],
    [
      'only cli/ imports the sandbox',
      { 'main.ts': "import type { X } from './sandbox/open.ts';", 'jobs/a.ts': from('../sandbox/a.ts') },
      2,
    ],
    [
      'in cli/, commands import scheduling, operation and session, in this order',
      {
        'cli/session/a.ts': from('../operation/a.ts', '../messages/a.ts'),
        'cli/operation/a.ts': from('../scheduling/a.ts', '../session/a.ts'),
        'cli/scheduling/a.ts': "await import('../commands/a.ts');",
      },
      3,
    ],
    [
      'process, console, timers, the clock and random values are only in node/',
      { 'cli/a.ts': 'process.exit(1); console.log(process.env);' },
      2,
    ],
    [
      'process, console, timers, the clock and random values are only in node/',
      { 'a.ts': 'setTimeout(f, 1)', 'b.ts': 'new Promise(setImmediate)', 'c.ts': 'setInterval(f, 1)' },
      3,
    ],
    [
      'process, console, timers, the clock and random values are only in node/',
      { 'a.ts': 'Date.now()', 'b.ts': 'new Date( )', 'c.ts': 'new Date;', 'd.ts': 'Math.random()' },
      4,
    ],
    [
      "in cli/, only listed files go by this machine's clock instead of the service's",
      { 'cli/a.ts': 'context.runtime.clock.now()', 'cli/b.ts': 'now: clock.now', 'jobs/a.ts': 'clock.now()' },
      2,
    ],
    [
      'there are no import cycles, not even of types',
      { 'a.ts': from('./b.ts'), 'b.ts': from('./c.ts'), 'c.ts': "import type { A } from './a.ts';" },
      1,
    ],
    [
      'there are no import cycles, not even of types',
      { 'a.ts': "await import('./b.ts');", 'b.ts': "let a: import('./a.ts').A;" },
      1,
    ],
    [
      'no file only re-exports from others',
      { 'api/index.ts': "// all\nexport * from './a.ts';\nexport { b } from './b.ts';" },
      1,
    ],
    [
      'no file is called utils',
      { 'cli/utils.ts': '', 'helpers/a.ts': '', 'output/string-util.ts': '', 'cli/commonplace.ts': '' },
      2,
    ],
    [
      'every operation belongs to a noun of the catalogue',
      {
        'api/catalogue.ts': "load: async () => (await import('./a.ts')).a,",
        'api/a.ts': "export const a = operations('a', 'a', {})",
        'api/b.ts': "export const b = operations('b', 'b', {})",
      },
      1,
    ],
    [
      '--version loads nothing heavy',
      { 'main.ts': from('./a.ts'), 'a.ts': from('./cli/b.ts'), 'cli/b.ts': from('zod', 'commander') },
      2,
    ],
    ['--version loads nothing heavy', { 'node/runtime.ts': from('undici', '../sandbox/open.ts') }, 2],
    ['each small fact has one owner', { 'cli/a.ts': "uri.split('/').at(-1)!", 'jobs/a.ts': "uri.split('/').pop()" }, 2],
    ['each small fact has one owner', { 'cli/a.ts': src['shell-quote.ts']! }, 1],
    ['each small fact has one owner', { 'cli/a.ts': src['http/authorize.ts']! }, 1],
    ['each small fact has one owner', { 'cli/a.ts': src['state/whole-file.ts']! }, 1],
    ['each small fact has one owner', { 'cli/a.ts': src['api/window.ts']! }, 1],
    [
      'command lines for pasting are made in cli/messages/suggested-line.ts',
      {
        'jobs/a.ts': "fail({ advice: 'look at it: sched events list' });",
        'cli/commands/a.ts':
          'say(`Undo: sched events cancel $' + '{id}`); say(`sched $' + '{words}`); say("run sched -p work whoami");',
        'cli/commands/b.ts': "const line = text as CommandLine; say(helpLine('events')); adviceText(x, noAccount);",
        'cli/commands/c.ts':
          "export const c = { examples: ['$(sched events list)'], notes: ['As sched events list does.'] };",
        'cli/commands/d.ts': "say('sched reads the events'); // sched events list",
        'cli/help/a.ts': "page.commands(['sched events list']);",
      },
      7,
    ],
    [
      'a dynamic import of a package uses only its default export',
      { 'a.ts': "const { Agent } = await import('undici');", 'b.ts': "const load = () => import('@a/b');" },
      2,
    ],
  ];
  test.each(examples)('%s (%#)', (rule, sources, times) => {
    expect(broken(rule, sources)).toHaveLength(times);
  });

  test('each of the rules', () => {
    expect(new Set(examples.map(([rule]) => rule))).toEqual(new Set(Object.keys(rules)));
  });

  test('no rule if everything in it is allowed', () => {
    const good: Sources = {
      'main.ts': "import type { R } from './runtime.ts';\nawait import('./cli/parse/a.ts');\nlet x: import('zod').X;",
      'auth/browser.ts': "const { default: open } = await import('open');\nawait import('node:os');",
      'cli/parse/a.ts': `${from('commander', '../../sandbox/open.ts')}\nimport type * as z from 'zod';`,
      'sandbox/open.ts': "import type { Send } from '../http/message.ts';\n// process.exit\nconst at = new Date(now);",
      'http/transport.ts': from('undici', 'node:zlib', './message.ts', '../errors.ts'),
      'http/message.ts': "export const text = 'console.log(1)'; this.process.x; inProcess.y",
      'errors.ts': 'export const x = 1;',
    };
    for (const rule of Object.keys(rules)) expect([rule, broken(rule, good)]).toEqual([rule, []]);
  });
});

/** What test files may use although it waits for real time or measures it, with the reason. */
const timed: Record<string, { what: string; why: string }> = {
  'sandbox/robustness.test.ts': {
    what: 'patienceMs: 5 ',
    why: 'Node disconnects slow clients by its own clock, here after 5 ms, the shortest limit that it accepts',
  },
  'webhooks/receiver.test.ts': { what: 'patienceMs: 5 ', why: 'the same limit of Node for slow senders' },
  'support/until.ts': { what: 'setTimeout(', why: 'looks again; a busy loop would slow down what it waits for' },
  'e2e/clocked.js': { what: 'setTimeout(', why: 'the same, for programs that wait for each other' },
  'auth/support/worker.ts': { what: 'setTimeout(', why: 'the same, for processes that wait for a lock' },
  'deep.js': { what: 'setTimeout(', why: 'stops the deep tier when its time is over' },
  'support/terminal.ts': { what: 'setTimeout(', why: 'gives up if a text does not appear on the screen' },
};

/** Sleeps, timers, polls and measured durations. `Date.now()` alone is a time, not a duration. */
const realTime =
  /\b(?:setTimeout|setInterval)\s*\(|timers\/promises|\brealClock\.sleep\(|\bperformance\.now\b|\bhrtime\b|\bDate\.now\(\)\s*-\s*[a-z]|\bexpect\.poll\(|\bvi\.wait(?:For|Until)\(|\bpatienceMs\b/i;

/** In a shell command, or as a fault of a sandbox with a real clock. A process that others end can `sleep infinity`. */
const quotedTime = (path: string): RegExp =>
  path.startsWith('e2e/') ? /\bsleep(?: |', \[')\d|\b(?:delay|drip|slow-token) ms=\d/ : /\bsleep(?: |', \[')\d/;

/** Without quoted text on one line, where the words don't count. */
const unquoted = (text: string) => withoutComments(text).replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");

const waiting = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^(bench|torture)\//.test(path))
    .map(([path, text]): [string, string] => [path, text.replace(timed[path]?.what ?? '', '')])
    // Most files have none of the words anywhere, and need not be parsed.
    .filter(([path, text]) => realTime.test(text) || quotedTime(path).test(text))
    .filter(
      ([path, text]) =>
        realTime.test(unquoted(text)) ||
        importsOf({ [path]: text }).some(({ to }) => realTime.test(to)) ||
        // This file contains examples.
        (path !== 'architecture.test.ts' && quotedTime(path).test(withoutComments(text))),
    )
    .map(([path]) => path);

// R12: these two files search the output of every test for secrets, so all processes must be started through them.
const onlyWay: Record<string, RegExp> = {
  'support/processes.ts': /^(node:)?(child_process|cluster)$|^(execa|tinyexec|cross-spawn|node-pty)$/,
  'support/run.ts': /\/src\/(main|cli\/invoke)\.ts$/,
};

/** Benchmarks and the start of a run are not tests, the simulator searches outputs itself, and this file contains examples. */
const roundabouts = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(
      ([path]) => !/^(bench\/|simulation\/machine\.ts$|support\/whole-run\.ts$|architecture\.test\.ts$)/.test(path),
    )
    .flatMap(([path, text]) => {
      const imported = [...text.matchAll(/(?:^import\s[^;]*?from\s*|^import\s*|\bimport\(\s*)'([^']+)'/gm)];
      return Object.entries(onlyWay).flatMap(([way, what]) =>
        imported.some(([, name]) => what.test(name!)) && path !== way ? [`${path} goes around ${way}`] : [],
      );
    });

/** Directories are removed after the test file that created them. Benchmarks run without vitest, a simulated disk has this call, and whole-run.ts creates the first. */
const ownDirectories = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^bench\/|^simulation\/files\.ts$|^support\/(temporary|whole-run)\.ts$/.test(path))
    .filter(([, text]) => text.includes('mkdtemp') && /\bmkdtemp(Sync)?\b/.test(codeOf(text)))
    .map(([path]) => `${path} makes temporary directories around support/temporary.ts`);

describe('architecture of the tests', () => {
  const folder = new URL('.', import.meta.url).pathname;
  const filesWith = (end: string): Sources =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith(end))
        .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
    );
  const tests = filesWith('.ts');

  test('holds: no test sleeps or measures real time', () => {
    const all = { ...tests, ...filesWith('.js') };
    expect(waiting(all)).toEqual([]);
    for (const path of Object.keys(timed)) expect(waiting({ [`x/${path}`]: all[path]! })).toHaveLength(1);
  });

  test.each([
    'await new Promise((go) => setTimeout(go, 5));',
    'setInterval (look, 5);',
    "import { setTimeout as pause } from 'node:timers/promises';",
    'await realClock.sleep(300);',
    'expect(Date.now() - began).toBeLessThan(6_000);',
    'const began = performance.now();',
    'await expect.poll(lines).toContain(1);',
    'await vi.waitFor(() => isDone);',
    "run('sh', 'sleep 0.2; cat');",
    "spawn('sleep', ['60']);",
  ])('notices %s', (text) => {
    expect(waiting({ 'a.test.ts': text, 'torture/a.torture.ts': text })).toEqual(['a.test.ts']);
  });

  test('notices a slow fault only where the sandbox has a real clock', () => {
    const text = "start('--fault', 'oauth.token slow-token ms=60');";
    expect(waiting({ 'e2e/a.test.ts': text, 'sandbox/a.test.ts': text })).toEqual(['e2e/a.test.ts']);
  });

  test('allows a time, the word in a text, and a process that others end', () => {
    const text =
      "const now = Date.now(); const old = Date.now() - 86_400_000; run('setTimeout(f, 1)'); // setTimeout(f)";
    expect(waiting({ 'a.test.ts': `${text}\nspawn('sleep', ['infinity']);` })).toEqual([]);
  });

  test('holds: only helpers that search the output for secrets start processes or run the program', () => {
    expect(roundabouts(tests)).toEqual([]);
    const config = readFileSync(new URL('../vitest.config.ts', import.meta.url), 'utf8');
    expect(config).toContain("setupFiles: ['test/support/scan.ts', ");
  });

  test.each([
    "import { spawn } from 'node:child_process';",
    "import {\n  type ChildProcess,\n  execFile,\n} from 'child_process';",
    "const { exec } = await import('node:child_process');",
    "import { run } from '../../src/main.ts';",
  ])('reports a test that starts a process or runs the program itself: %s', (text) => {
    expect(roundabouts({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(roundabouts({ 'bench/a.bench.ts': text })).toEqual([]);
  });

  test('holds: only test files import support/tier.ts, because deep.js finds its files by that', () => {
    const importing = Object.entries(tests).filter(([, text]) => /from '.*\/tier\.ts'/.test(text));
    expect(importing.map(([path]) => path).filter((path) => !/\.(test|torture)\.ts$/.test(path))).toEqual([]);
  });

  test('holds: only support/temporary.ts creates temporary directories', () => {
    expect(ownDirectories(tests)).toEqual([]);
  });

  test.each([
    "import { mkdtempSync } from 'node:fs';",
    "import { mkdtemp } from 'node:fs/promises';",
    "import * as fs from 'node:fs';\nfs.mkdtempSync('/tmp/x-');",
  ])('reports a test that creates its own directory: %s', (text) => {
    expect(ownDirectories({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(ownDirectories({ 'bench/a.bench.ts': text })).toEqual([]);
  });
});
