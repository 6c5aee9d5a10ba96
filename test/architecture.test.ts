import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, test } from 'vitest';
import { filesBelow, type Import, importsOf, parse, type Sources } from './support/source-files.ts';

type Rule = (sources: Sources, imports: Import[]) => string[];

const line = ({ from, to, isType }: Import) => `${from} imports ${isType ? 'types of ' : ''}${to}`;
const entriesOf = (list = '') => list.split(/\s+/).filter((entry) => entry !== '');

/** A folder ends with a slash. */
const covers = (place: string, path: string) => path === place || (place.endsWith('/') && path.startsWith(place));
const isIn = (path: string, list: string) => entriesOf(list).some((place) => covers(place, path));

const shell = 'api/ base/ client/ http/ state/ time/ auth/ dialects/ output/ node/files.ts type:runtime.ts node:';

/** What `mirror export` makes a sandbox of. */
const mirrorExport = `sandbox/mirror/answer.ts sandbox/mirror/invented.ts sandbox/mirror/pseudonyms.ts sandbox/open.ts
  type:sandbox/seed/name.ts sandbox/store/database.ts sandbox/world/draft.ts sandbox/world/file.ts yaml-file.ts`;

/**
 * What each place may import besides itself: folders, files, packages, `node:` for builtins. `type:` means only types.
 * The innermost place counts, and stands below those around it. Each names whole folders only if they stand above it.
 */
const places: Record<string, string> = {
  'base/': '',
  'api/': 'base/ zod',
  'dialects/': 'api/ base/ yaml-file.ts zod node:',
  'time/': 'api/weekdays.ts base/',
  'runtime.ts': 'base/ type:http/message.ts type:state/redis/address.ts type:state/redis/redis-client.ts',
  'http/': 'base/ type:state/budget.ts type:state/budget-state.ts type:state/shared-budget.ts node: undici',
  'client/': 'api/ base/ dialects/ http/',
  'state/': 'base/ node/files.ts node/make-directory.ts node: @redis/client',
  'auth/': 'api/ base/ http/ state/ node/files.ts runtime.ts node: oauth4webapi open zod',
  'output/': 'base/ time/wall.ts type:runtime.ts node: chalk cli-table3 string-width jq-wasm',
  'yaml-file.ts': 'api/ base/ yaml type:zod',
  'sandbox/': `api/ base/ dialects/ time/ yaml-file.ts node/make-directory.ts type:http/message.ts type:runtime.ts node:
    libsql zod`,
  'node/': `base/ runtime.ts auth/browser.ts http/transport.ts type:http/message.ts state/named-file.ts
    state/redis/redis-client.ts node:`,
  'library-mcp.ts': `node/ type:dialects/dialect.ts type:runtime.ts sandbox/open.ts type:sandbox/mcp/endpoint.ts
    type:sandbox/run.ts commands/registry.ts commands/mcp/serve.ts node:`,
  'create-sandbox.ts': 'base/ dialects/ node/ sandbox/ time/ type:yaml-file.ts node: library-mcp.ts',
  'cli/': 'base/ state/ output/ time/zone.ts type:api/ type:runtime.ts commands/registry.ts',
  'cli/messages/': 'base/ output/ time/ type:runtime.ts type:yaml-file.ts type:cli/parse/own-command.ts',
  'cli/input/': `api/ base/ client/ time/ type:runtime.ts type:cli/command.ts type:cli/session/context.ts
    type:cli/session/settings.ts type:cli/answer/plan.ts`,
  'cli/session/': `${shell} cli/messages/ type:cli/answer/plan.ts type:cli/input/given.ts @inquirer/core @inquirer/prompts zod
    sandbox/clock/answer-time.ts sandbox/oauth/ready-tokens.ts sandbox/open.ts sandbox/server/http-server.ts
    sandbox/mirror/answer.ts sandbox/mirror/forget.ts sandbox/mirror/open.ts sandbox/rules/forgotten-texts.ts
    sandbox/store/database.ts
    type:sandbox/store/store.ts`,
  'cli/operation/': `api/ base/ client/ dialects/ http/ output/ time/ node: cli/messages/ cli/input/ cli/session/
    cli/answer/plan.ts type:cli/answer/answer.ts cli/json-file.ts cli/parse/shared-flags.ts type:cli/command.ts
    type:cli/parse/line-part.ts`,
  'cli/answer/': `base/ output/ api/catalogue.ts api/operation.ts client/client.ts type:client/wire.ts type:http/message.ts
    cli/messages/ cli/operation/ cli/session/`,
  'cli/parse/': `api/ base/ output/ commander cli/messages/ cli/input/ cli/command.ts cli/help/topics.ts
    commands/registry.ts type:runtime.ts type:cli/session/profile-schema.ts`,
  'cli/help/': 'api/ base/ commander cli/messages/ cli/operation/ cli/parse/ cli/command.ts',
  'cli/complete/': `api/ base/ client/ http/ output/ time/ type:runtime.ts cli/messages/ cli/session/ cli/operation/
    cli/parse/ cli/help/ type:cli/command.ts type:cli/input/given.ts cli/run-command.ts cli/resolve-settings.ts`,
  'main.ts': 'base/ output/ state/ cli/ auth/refresh-helper.ts node/redacted-output.ts runtime.ts node:',
  'work*.ts': 'api/ base/ client/ http/ state/ time/ node/files.ts yaml-file.ts node: csv-parse ical.js zod',
  'commands/': `${shell} cli/ ../completions/ ../man`,
  'commands/mcp/': `${shell} cli/ type:sandbox/mcp/endpoint.ts type:sandbox/run.ts @modelcontextprotocol/server zod`,
  'commands/mirror/': `${shell} cli/ runtime.ts sandbox/mirror/forget.ts sandbox/mirror/open.ts sandbox/mirror/query.ts
    sandbox/mirror/write.ts sandbox/rules/forgotten-texts.ts type:sandbox/store/store.ts type:sandbox/handler.ts
    ${mirrorExport}`,
  'commands/sandbox/': `${shell} cli/ sandbox/ yaml-file.ts`,
  'commands/skill/': `${shell} cli/ node/make-directory.ts`,
};

/** The rooms that import other rooms, and which. Each names only rooms that stand above it, or have no row. */
const rooms: Record<string, string> = {
  events: 'bulk',
  groups: 'events',
  administration: 'events groups',
  follow: 'events',
  availability: 'events',
  mirror: 'bulk follow',
  compliance: 'bulk events follow mirror',
  slots: 'availability events',
  agenda: 'availability events slots',
  stats: 'events',
  users: 'slots',
  booking: 'bulk events slots',
  move: 'booking bulk events slots',
  invitees: 'booking events move',
  doctor: 'bulk move',
  api: 'administration booking bulk events',
  webhooks: 'bulk compliance events follow',
  skill: 'schema',
  mcp: 'bulk compliance schema',
  sandbox: 'mcp schema webhooks',
  config: 'availability booking bulk mcp webhooks',
  'event-types': 'events',
};

const roomOf = (path: string) => /^commands\/([^/]+?)(?:\.ts$|\/)/.exec(path)?.[1];

/** The work of a room: what it does, without command line and screen. */
const isWork = (path: string) => /^commands\/[^/]+\/work/.test(path);

const placeOf = (path: string): string =>
  isWork(path) ? 'work*.ts' : (Object.keys(places).findLast((place) => covers(place, path)) ?? '');

const allows = (entry: string, { to, isType }: Import) =>
  (isType || !entry.startsWith('type:')) &&
  (covers(entry.replace('type:', ''), to) || (entry === 'node:' && isBuiltin(to)));

const isInside = ({ from, to }: Import) =>
  roomOf(from) === undefined ? covers(placeOf(from), to) : roomOf(to) !== undefined;

const importsAreAllowed: Rule = (_, imports) =>
  imports
    .filter((each) => !isInside(each) && !entriesOf(places[placeOf(each.from)]).some((entry) => allows(entry, each)))
    .map(line);

/** The registry loads all rooms when they run, and is the only way into them. */
const roomsAreInOrder: Rule = (_, imports) =>
  imports
    .filter(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      if (own === undefined || own === 'registry' || other === undefined) return false;
      return (own !== other && !entriesOf(rooms[own]).includes(other)) || (isWork(from) && !isWork(to));
    })
    .map(line);

/** Packages that fewer files than a place may import. Types of zod may be imported where its place allows it. */
const homes: Record<string, string> = {
  undici: 'http/transport.ts http/tunnel.ts http/undici-parts.d.ts',
  zod: `api/ auth/credential-schema.ts cli/session/profile-schema.ts commands/config/work-file-schema.ts
    commands/mcp/cursor.ts dialects/schema.ts sandbox/admin/ sandbox/faults/ sandbox/world/`,
  'csv-parse': 'commands/bulk/work-csv-source.ts',
  'ical.js': 'commands/availability/work-holidays.ts',
  '@inquirer/core': 'cli/session/picker.ts',
  '@inquirer/prompts': 'cli/session/key-prompts.ts',
  '@redis/client': 'state/redis/redis-client.ts',
  open: 'auth/browser.ts',
  libsql: 'sandbox/store/',
};

const packagesHaveHomes: Rule = (_, imports) =>
  imports
    .filter(({ from, to, isType }) => homes[to] !== undefined && !isIn(from, homes[to]) && !(to === 'zod' && isType))
    .map(line);

/** One module is the disk, so that tests can replace it. The sandbox is a service, with a disk of its own. */
const oneDisk: Rule = (_, imports) =>
  imports.filter(({ from, to }) => /^(node:)?fs(\/|$)/.test(to) && !isIn(from, 'node/ sandbox/')).map(line);

/** Lists each cycle once, under its alphabetically first file. */
const noCycles: Rule = (sources, imports) => {
  const next = new Map(Object.keys(sources).map((path) => [path, [] as Import[]]));
  for (const each of imports) next.get(each.from)!.push(each);
  const wayTo = (goal: string, path: string, seen: Set<string>): string[] | undefined => {
    for (const { to } of next.get(path) ?? []) {
      if (to === goal) return [path];
      if (seen.has(to)) continue;
      const rest = wayTo(goal, to, seen.add(to));
      if (rest !== undefined) return [path, ...rest];
    }
    return undefined;
  };
  const cycles = Object.keys(sources).map((path) => wayTo(path, path, new Set([path])) ?? []);
  return cycles
    .filter(([first, ...others]) => first !== undefined && others.every((path) => first < path))
    .map((cycle) => cycle.join(' → '));
};

/** `--version` must start fast. */
const versionIsLight: Rule = (_, imports) => {
  const seen = new Set(['main.ts', 'node/runtime.ts']);
  for (const path of seen) {
    for (const { from, to, isType, isDynamic } of imports) if (from === path && !isType && !isDynamic) seen.add(to);
  }
  return [...seen].filter((path) => isIn(path, 'zod undici commander sandbox/'));
};

/** In the bundle, `import()` of a CommonJS package has only `default`, regardless of its types. */
const latePackagesByDefault: Rule = (sources) =>
  Object.entries(sources).flatMap(([path, text]) =>
    [...parse(text).withoutComments.matchAll(/^(.*)\bimport\('((?!node:|\.)[^']+)'\)/gm)]
      .filter(([, before]) => !/\{ default: \w+ \} = await $|:\s*$/.test(before!))
      .map(([, , name]) => `${path} uses more than the default export of ${name}`),
  );

/** A file of operations that the catalogue doesn't load would have no commands, and nobody would notice. */
const everyOperationIsListed: Rule = (sources) =>
  Object.entries(sources)
    .filter(([path, text]) => /^api\/[\w-]+\.ts$/.test(path) && /= operations\(/.test(parse(text).withoutComments))
    .filter(([path]) => !sources['api/catalogue.ts']?.includes(`'./${path.slice('api/'.length)}'`))
    .map(([path]) => `${path} has operations, but no entry in api/catalogue.ts loads it`);

const noBarrels: Rule = (sources) =>
  Object.entries(sources)
    .map(([path, text]) => [path, parse(text).withoutComments.trim()] as const)
    .filter(([path, text]) => {
      const rest = text.replace(/export\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+['"][^'"]+['"];?/g, '');
      return path !== 'node/files.ts' && text !== '' && rest.trim() === '';
    })
    .map(([path]) => `${path} only re-exports from others`);

/** Commands that talk to their reader by themselves. All others return what they have to say. */
const programs = [
  'commands/agenda/run.ts',
  'commands/auth/command.ts',
  'commands/man.ts',
  'commands/mcp/serve.ts',
  'commands/sandbox/command.ts',
  'commands/sandbox/run-program.ts',
];

const fewPrograms: Rule = (sources) =>
  Object.entries(sources)
    .filter(
      ([path, text]) => path.startsWith('commands/') && text.includes("kind: 'program'") && !programs.includes(path),
    )
    .map(([path]) => `${path} is a program`);

/** What prints and asks. Rooms get its types only, and only programs see the whole context. */
const shellFiles =
  'output/printer.ts output/forms.ts output/screen-form.ts cli/answer/show.ts cli/answer/show-stream.ts\n\
  cli/answer/show-text.ts cli/answer/say.ts cli/answer/take.ts cli/answer/carry-out.ts cli/answer/rehearse.ts\n\
  cli/answer/review.ts cli/session/ask.ts cli/session/key-prompts.ts cli/session/picker.ts cli/session/prompt.ts';

/** Programs, and what belongs to them. */
const ofPrograms = 'commands/agenda/ commands/auth/ commands/mcp/ commands/sandbox/';

const roomsReturnAnswers: Rule = (sources, imports) => [
  ...imports
    .filter(({ from, to, isType }) => from.startsWith('commands/') && !isType && isIn(to, shellFiles))
    .filter(({ from }) => !isIn(from, ofPrograms))
    .map(line),
  ...Object.entries(sources)
    .filter(([path]) => path.startsWith('commands/') && !isIn(path, ofPrograms))
    .filter(([, text]) => /import (type )?\{[^}]*\bShell\b[^}]*\} from '[./]*cli\/session\/context\.ts'/.test(text))
    .map(([path]) => `${path} sees the whole context`),
];

const noGrabBags: Rule = (sources) =>
  Object.keys(sources).filter((path) => /(^|\/)(utils?|helpers?|misc|common)(\.\w+)*(\/|$)/i.test(path));

const rules: Record<string, Rule> = {
  'a place imports only what it may import': importsAreAllowed,
  'rooms import only rooms above them, and work only work': roomsAreInOrder,
  'each package is imported by its home': packagesHaveHomes,
  'files are reached through node/files.ts': oneDisk,
  'there are no import cycles, not even of types': noCycles,
  '--version loads nothing heavy': versionIsLight,
  'a dynamic import of a package uses only its default export': latePackagesByDefault,
  'every operation belongs to a noun of the catalogue': everyOperationIsListed,
  'no file only re-exports from others': noBarrels,
  'no file is called utils': noGrabBags,
  'few commands are programs': fewPrograms,
  'rooms return answers: only programs print and ask': roomsReturnAnswers,
};

const broken = (rule: string, sources: Sources, imports = importsOf(sources)) => rules[rule]!(sources, imports);

const src = filesBelow(new URL('../src/', import.meta.url).pathname, '.ts');

describe('architecture', () => {
  const imports = importsOf(src);

  test.each(Object.keys(rules))('holds: %s', (rule) => {
    expect(broken(rule, src, imports)).toEqual([]);
  });

  test('finds every import of src/, and each names an existing file', () => {
    const count = Object.values(src)
      .join('\n')
      .match(/^import |^export .* from |import\('/gm)!.length;
    expect(imports.length).toBeGreaterThanOrEqual(count);
    const missing = imports.filter(({ to }) => to.endsWith('.ts') && !Object.hasOwn(src, to));
    expect(missing.map(line)).toEqual([]);
  });

  test('recognizes type imports and dynamic imports', () => {
    const examples = {
      "import type { A } from './b.ts';": 'cli/b.ts type',
      "import { type C, type D } from '../c.ts';": 'c.ts type',
      "import {\n  e,\n  type F,\n} from 'commander';": 'commander',
      "import def, { type G } from 'zod/v4';": 'zod',
      "import './side.ts';": 'cli/side.ts',
      "export type { H } from './h.ts';": 'cli/h.ts type',
      "export * from './i.ts';": 'cli/i.ts',
      "const load = () => import('./j.ts');": 'cli/j.ts late',
      "const { k } = await import('node:k');": 'node:k late',
      "let l: import('./l.ts').L;": 'cli/l.ts type',
    };
    const found = importsOf({ 'cli/a.ts': [...Object.keys(examples), "// import { m } from './m.ts';"].join('\n') });
    const shown = found.map(({ to, isType, isDynamic }) => `${to}${isType ? ' type' : ''}${isDynamic ? ' late' : ''}`);
    expect(shown).toEqual(Object.values(examples));
  });
});

describe('architecture: the tables', () => {
  const imports = importsOf(src);
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const namedIn = (list = '') => entriesOf(list.replaceAll('type:', ''));

  test('name only places above, single files, and packages of package.json', () => {
    const wrong = Object.entries(places).flatMap(([place, list], index, all) => {
      const above = all.slice(0, index).map(([each]) => each);
      const isKnown = (name: string) => above.includes(name) || Object.hasOwn(src, name) || packages.includes(name);
      return namedIn(list)
        .filter((name) => !isKnown(name) && !/^node:|^\.\./.test(name))
        .map((name) => `${place} names ${name}`);
    });
    expect(wrong).toEqual([]);
    expect(Object.keys(homes).filter((name) => !packages.includes(name))).toEqual([]);
  });

  test('name only rooms above, or without a row', () => {
    const all = Object.keys(rooms);
    const wrong = all.flatMap((room, index) => namedIn(rooms[room]).filter((other) => all.indexOf(other) >= index));
    expect(wrong).toEqual([]);
  });

  test('allow nothing that no import needs', () => {
    const unused = Object.entries(places).flatMap(([place, list]) => {
      const own = imports.filter((each) => placeOf(each.from) === place && !isInside(each));
      const shared = place.startsWith('commands/') ? entriesOf(`${shell} cli/`) : [];
      const entries = entriesOf(list).filter((entry) => !shared.includes(entry));
      return entries.filter((entry) => !own.some((each) => allows(entry, each))).map((entry) => `${place} ${entry}`);
    });
    const pairs = new Set(imports.map(({ from, to }) => `${roomOf(from)} ${roomOf(to)}`));
    const idle = Object.keys(rooms).flatMap((room) => namedIn(rooms[room]).map((other) => `${room} ${other}`));
    expect([...unused, ...idle.filter((pair) => !pairs.has(pair))]).toEqual([]);
  });
});

describe('architecture: an example with a violation breaks', () => {
  const from = (...paths: string[]) => paths.map((path) => `import { x } from '${path}';`).join('\n');
  const [ofPlaces, ofRooms, , , ofCycles] = Object.keys(rules) as [string, string, string, string, string];
  /** A file that imports others, which are named from src/. */
  const file = (path: string, ...others: string[]): Sources => ({
    [path]: from(...others.map((other) => '../'.repeat(path.split('/').length - 1).replace(/^$/, './') + other)),
  });

  test.each(Object.keys(places))('the row of %s, if a file imports an unknown file and package', (place) => {
    const path = place.replace('work*.ts', 'commands/a/work-a.ts').replace(/\/$/, '/a.ts');
    const sources = { [path]: `${file(path, 'new.ts')[path]}\n${from('new')}` };
    expect(broken(ofPlaces, sources)).toEqual([`${path} imports new.ts`, `${path} imports new`]);
  });

  test.each(Object.keys(rooms))('the row of the room %s, if it imports a room below', (room) => {
    const names = Object.keys(rooms);
    const below = names.slice(names.indexOf(room) + 1).map((each) => `commands/${each}/a.ts`);
    expect(broken(ofRooms, file(`commands/${room}/a.ts`, ...below, 'commands/new.ts'))).toHaveLength(below.length + 1);
  });

  const examples: [string, Sources, number][] = [
    [ofPlaces, { 'api/a.ts': from('../cli/a.ts', 'commander', 'node:fs') }, 3],
    [ofPlaces, { 'base/errors.ts': "import type { X } from '../runtime.ts';" }, 1],
    [ofPlaces, { 'http/a.ts': from('zod', '../client/a.ts', '../auth/a.ts', '../runtime.ts') }, 4],
    [ofPlaces, { 'http/a.ts': from('../state/budget.ts') }, 1],
    [ofPlaces, { 'sandbox/a.ts': from('../http/message.ts', '../runtime.ts', 'undici', '../client/a.ts') }, 4],
    [ofPlaces, { 'sandbox/a.ts': "import type { X } from '../http/proxy.ts';" }, 1],
    [ofPlaces, { ...file('main.ts', 'sandbox/open.ts'), ...file('commands/move/a.ts', 'sandbox/open.ts') }, 2],
    [ofPlaces, { ...file('cli/session/a.ts', 'sandbox/run.ts'), ...file('commands/mcp/a.ts', 'sandbox/open.ts') }, 2],
    [ofPlaces, file('commands/move/work-a.ts', 'cli/command.ts', 'output/view.ts', 'dialects/dialect.ts'), 3],
    [ofPlaces, { 'cli/a.ts': "const load = () => import('../commands/move/command.ts');" }, 1],
    [ofPlaces, { ...file('cli/session/a.ts', 'cli/operation/a.ts'), ...file('cli/input/a.ts', 'cli/parse/a.ts') }, 2],
    [ofPlaces, { 'a.ts': from('./base/errors.ts') }, 1],
    [ofRooms, { 'commands/bulk/a.ts': "await import('../move/one.ts');" }, 1],
    [ofRooms, { 'commands/bulk/a.ts': "import type { A } from '../booking/work.ts';" }, 1],
    [ofRooms, file('commands/move/work-a.ts', 'commands/move/plan.ts', 'commands/booking/context.ts'), 2],
    ['each package is imported by its home', { 'http/proxy.ts': from('undici'), 'cli/session/a.ts': from('zod') }, 2],
    [
      'files are reached through node/files.ts',
      { 'state/a.ts': from('node:fs', 'node:fs/promises', 'fs', '../node/files.ts'), 'node/a.ts': from('node:fs') },
      3,
    ],
    [ofCycles, { 'a.ts': from('./b.ts'), 'b.ts': from('./c.ts'), 'c.ts': "import type { A } from './a.ts';" }, 1],
    [ofCycles, { 'a.ts': "await import('./b.ts');", 'b.ts': "let a: import('./a.ts').A;" }, 1],
    [
      '--version loads nothing heavy',
      { 'main.ts': from('./a.ts'), 'a.ts': from('./cli/b.ts'), 'cli/b.ts': from('zod', 'commander') },
      2,
    ],
    ['--version loads nothing heavy', { 'node/runtime.ts': from('undici', '../sandbox/open.ts') }, 2],
    [
      'a dynamic import of a package uses only its default export',
      { 'a.ts': "const { Agent } = await import('undici');", 'b.ts': "const load = () => import('@a/b');" },
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
      'few commands are programs',
      { 'commands/a.ts': "return { kind: 'program', run };", 'cli/answer/a.ts': "kind: 'program';" },
      1,
    ],
    [
      'rooms return answers: only programs print and ask',
      {
        'commands/a.ts': "import { show } from '../cli/answer/show.ts';",
        'commands/b.ts': "import type { Context, Shell } from '../cli/session/context.ts';",
        'commands/c.ts': "import type { Facts } from '../cli/session/prompt.ts';",
        'commands/auth/login.ts': "import { askYes } from '../../cli/session/prompt.ts';",
      },
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
      'main.ts': "import type { R } from './runtime.ts';\nawait import('./cli/parse/a.ts');",
      'auth/browser.ts': "const { default: open } = await import('open');\nawait import('node:os');",
      'cli/parse/a.ts': from('commander', '../command.ts', '../../commands/registry.ts'),
      'commands/registry.ts': "const load = () => import('./move/command.ts');",
      'commands/move/command.ts': from('./work.ts', '../booking/work.ts', '../../cli/operation/a.ts'),
      'commands/move/work.ts': from('../booking/work.ts', '../../client/client.ts'),
      'commands/mcp/a.ts': "import type { A } from '../../sandbox/run.ts';",
      'sandbox/open.ts': "import type { Send } from '../http/message.ts';\n// import '../cli/a.ts'",
      'yaml-file.ts': "let x: import('zod').X;",
      'http/transport.ts': from('undici', 'node:zlib', './message.ts', '../base/errors.ts'),
      'http/message.ts': "export const text = 'console.log(1)';",
      'base/errors.ts': 'export const x = 1;',
    };
    for (const rule of Object.keys(rules)) expect([rule, broken(rule, good)]).toEqual([rule, []]);
  });
});
