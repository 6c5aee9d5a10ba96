import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { assumptionsIn } from '../../scripts/docs/assumptions.ts';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Field } from '../../src/api/field.ts';
import { inspect } from '../../src/api/inspect.ts';
import { limits } from '../../src/api/limits.ts';
import { AccessToken, CodeGrant, DeviceGrant, OAuthError, RefreshGrant } from '../../src/api/oauth.ts';
import { oauthPaths } from '../../src/api/oauth-paths.ts';
import type { Operation } from '../../src/api/operation.ts';
import { scopes } from '../../src/api/scopes.ts';
import * as documented from './documented.ts';

/** Something in `src/api` that the documentation doesn't show. An assumption in `file` must name the word in backticks. */
interface Bet {
  file: string;
  where: string;
  word: string;
  /** The assumption must also say that the word is required. */
  isRequired?: true;
}

type Names = Map<string, { isRequired: boolean; values: string[] }>;

/** Reads the notation of `documented.ts`. */
const namesIn = (text = ''): Names =>
  new Map(
    text.split(/\s+/).flatMap((item) => {
      const [, name, star, values] = /^([\w.]+)(\*?)(?:=(.*))?$/.exec(item) ?? [];
      return name === undefined ? [] : [[name, { isRequired: star === '*', values: values?.split('|') ?? [] }]];
    }),
  );

interface Definition {
  type: string;
  innerType: Field;
  values?: unknown[];
  checks?: Array<{ _zod: { def: { check: string; [name: string]: unknown } } }>;
}

const definitionOf = (field: Field): Definition => {
  const definition = field._zod.def as unknown as Definition;
  return definition.type === 'optional' || definition.type === 'nullable'
    ? definitionOf(definition.innerType)
    : definition;
};

/** The values of an enum or a literal, or those that a description lists: `solo or group`. */
const valuesOf = (field: Field): string[] => {
  const { type, choices, description = '' } = inspect(field);
  if (choices) return [...choices];
  if (type === 'literal') return (definitionOf(field).values ?? []).map(String);
  const listed = type === 'string' ? /(?:^|: )(\w+(?:, \w+)*) or (\w+)$/.exec(description) : null;
  return listed ? [...listed[1]!.split(', '), listed[2]!] : [];
};

const boundNames = ['value', 'maximum'];

/** The numbers that a field's checks compare with. An empty text or list has no meaning, so its bound is not a bet. */
const boundsOf = (field: Field): number[] =>
  (definitionOf(field).checks ?? []).flatMap(({ _zod: { def } }) =>
    boundNames.map((name) => def[name]).filter((bound) => typeof bound === 'number'),
  );

const hasPattern = (field: Field): boolean =>
  (definitionOf(field).checks ?? []).some(({ _zod: { def } }) => def.check === 'string_format' && 'pattern' in def);

/**
 * The bets in a field at `path` and in the fields inside it. `isSent` if a caller must send it unless it is optional:
 * that doesn't apply to replies, and not to the items of a list, of which there may be none.
 */
const betsIn = (field: Field, path: string, names: Names, isSent: boolean): Omit<Bet, 'file'>[] => {
  const { fields = {}, element, options = [], sortedBy, isOptional } = inspect(field);
  const name = path.slice(path.lastIndexOf('.') + 1);
  const known = names.get(path);
  const words: string[] = valuesOf(field).filter((value) => !known?.values.includes(value));
  words.push(
    ...boundsOf(field)
      .filter((bound) => !documented.bounds[name]?.includes(bound))
      .map(String),
  );
  if (sortedBy) words.push(...sortedBy.map((each) => `sort=${each}`));
  else if (hasPattern(field) || (path !== '' && !known)) words.push(name);
  const isDemanded = isSent && !isOptional && known?.isRequired === false;
  return [
    ...words.map((word) => ({ where: path, word })),
    ...(isDemanded ? [{ where: path, word: name, isRequired: true as const }] : []),
    ...(element ? betsIn(element, path, names, false) : []),
    ...options.flatMap((option) => betsIn(option, path, names, false)),
    ...Object.entries(fields).flatMap(([inner, each]) =>
      betsIn(each, path === '' ? inner : `${path}.${inner}`, names, isSent),
    ),
  ];
};

const files = readdirSync('src/api').map((name) => `src/api/${name}`);
const sources = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
const assumptions = assumptionsIn(sources);

/** The file that defines a noun. */
const fileOf = (noun: string): string => {
  const entry = new RegExp(`^  '?${noun}'?: \\{[\\s\\S]*?import\\('\\./([\\w-]+\\.ts)'\\)`, 'm');
  return `src/api/${entry.exec(sources['src/api/catalogue.ts']!)![1]}`;
};

const listFile = 'src/api/operation.ts';

/** A file of `src/api` and those it takes its fields from. What all lists share is checked on its own. */
const withImports = (file: string): string[] => {
  const imported = [...sources[file]!.matchAll(/from '\.\/([\w-]+\.ts)'/g)].map((match) => `src/api/${match[1]}`);
  return [file, ...imported.filter((each) => each !== listFile).flatMap(withImports)];
};

const isNamed = ({ file, word, isRequired }: Bet): boolean =>
  assumptions.some(
    (each) =>
      (file === listFile ? [file] : withImports(file)).includes(each.file) &&
      each.text.includes(`\`${word}\``) &&
      (!isRequired || each.text.includes(' required')),
  );

const unmarked = (bets: readonly Bet[]): string[] => [
  ...new Set(
    bets
      .filter((bet) => !isNamed(bet))
      .map(({ file, where, word, isRequired }) => `${file}: ${where}: ${word}${isRequired ? ' is required' : ''}`),
  ),
];

const keyOf = ({ method, path }: Operation) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`;

/** The bets of an operation, without those of its reply's fields. */
const operationBets = (file: string, row: Operation): Bet[] => {
  const key = keyOf(row);
  const shown = documented.operations[key] ?? documented.namedOperations[key];
  const { query, meant, body, status = 200 } = shown ?? (row.reply.kind === 'many' ? documented.anyList : {});
  // All reads and updates reply 200. Of other operations, only those with a documented reply have a known status.
  const isKnownStatus = status === row.reply.status && (/^(GET|PATCH) /.test(key) || key in documented.operations);
  const named = namesIn(query);
  const bets: Omit<Bet, 'file'>[] = [
    ...(row.query ? betsIn(row.query, '', new Map([...namesIn(meant), ...named]), true) : []),
    ...(row.body ? betsIn(row.body, '', namesIn(body), true) : []),
    ...(shown === undefined ? [{ where: 'path', word: `${row.method} ${row.path}` }] : []),
    ...(isKnownStatus ? [] : [{ where: 'status', word: String(row.reply.status) }]),
    ...(row.scope === undefined ? [{ where: 'headers', word: 'Authorization' }] : []),
  ];
  const meanings = [...namesIn(meant).keys()].filter((name) => row.query?.shape[name] && !named.has(name));
  return [
    ...bets.map((bet) => ({ ...bet, file, where: `${key} ${bet.where}` })),
    ...meanings.map((word) => ({ file: listFile, where: key, word })),
  ];
};

const rows = Object.entries(await loadCatalogue()).flatMap(([noun, verbs]) =>
  Object.values(verbs).map((row) => ({ file: fileOf(noun), row })),
);

/** The numbers of an object, by dotted name. */
const numbersIn = (value: object, path = ''): Array<[string, number]> =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'number' ? [[path + name, each] as [string, number]] : numbersIn(each, `${path}${name}.`),
  );

const bets: Record<string, Bet[]> = {
  'requests, paths and statuses': rows.flatMap(({ file, row }) => operationBets(file, row)),
  'fields and values of records': rows.flatMap(({ file, row: { reply } }) =>
    betsIn(reply.of.record, '', namesIn(documented.resources[reply.of.name]), false).map((bet) => ({
      ...bet,
      file,
      where: `${reply.of.name} ${bet.where}`,
    })),
  ),
  limits: numbersIn(limits)
    .filter(([name, value]) => documented.limits[name] !== value)
    .map(([where, value]) => ({ file: 'src/api/limits.ts', where, word: String(value) })),
  'OAuth paths and scopes': [
    ...Object.values(oauthPaths)
      .filter((path) => path !== documented.oauth.path)
      .map((word) => ({ file: 'src/api/oauth-paths.ts', where: 'path', word })),
    ...Object.keys(scopes).map((word) => ({ file: 'src/api/scopes.ts', where: 'scope', word })),
  ],
  'OAuth forms and replies': [
    ...betsIn(CodeGrant, '', namesIn(documented.oauth.grant), true),
    ...betsIn(AccessToken, '', namesIn(documented.oauth.reply), false),
    ...[RefreshGrant, DeviceGrant, OAuthError].flatMap((form) => betsIn(form, '', new Map(), true)),
  ].map((bet) => ({ ...bet, file: 'src/api/oauth.ts' })),
};

describe('src/api', () => {
  test.each(Object.keys(bets))('marks what the documentation does not show as assumed: %s', (kind) => {
    expect(unmarked(bets[kind]!)).toEqual([]);
  });

  test('finds every kind of bet', () => {
    const found = Object.values(bets)
      .flat()
      .map(({ word, isRequired }) => (isRequired ? `${word} is required` : word));
    const known = [
      'GET /users/me',
      'Authorization',
      'organization is required',
      'invitee_email',
      'sort=start_time',
      'page_token',
      'color',
      'round_robin',
      'wday',
      '202',
      '7200',
      '2048',
    ];
    expect(known.filter((word) => !found.includes(word))).toEqual([]);
  });

  test('marks exactly the operations as assumed that the documentation does not show', () => {
    const assumed = rows.filter(({ row }) => row.assumed).map(({ row }) => keyOf(row));
    const shown = Object.keys(documented.operations);
    expect([...assumed, ...shown].toSorted()).toEqual(rows.map(({ row }) => keyOf(row)).toSorted());
  });
});
