import { isDeepStrictEqual } from 'node:util';
import { collections } from '../../api/collections.ts';
import { isOpenAt } from '../../api/inspect.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { windowIn } from '../../api/window.ts';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { collectionOf, readId } from '../../client/ids.ts';
import type { Input } from '../../client/wire.ts';
import { addressOf } from '../../dialects/dialect.ts';
import { isObject, type Json } from '../../json.ts';
import { idIn } from '../../uri.ts';
import type { Invocation } from '../command.ts';
import { isSandboxOrigin, shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import type { FieldFlag } from './field-flags.ts';
import { referredRecord } from './references.ts';
import { readValue, typedValues, type Value } from './values.ts';

const setAt = (target: Json, [name, ...rest]: readonly string[], value: unknown): void => {
  if (rest.length === 0) {
    target[name!] = value;
    return;
  }
  if (!isObject(target[name!])) target[name!] = {};
  setAt(target[name!] as Json, rest, value);
};

const isSet = (value: unknown, [name, ...rest]: readonly string[]): boolean =>
  name === undefined || (isObject(value) && Object.hasOwn(value, name) && isSet(value[name], rest));

/** The path of a parameter as the service writes it: `invitee.email`, `custom_questions[0].answer`. */
const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

/** Whether the documentation leaves open what a body may have here. It shows nothing of an assumed operation's body. */
const isOpen = ({ assumed, body }: Operation, path: readonly PropertyKey[]): boolean =>
  assumed === true || (body !== undefined && isOpenAt(body, path));

const issuesOf = ({ body: schema }: Operation, body: Json) => schema?.safeParse(body, plainErrors).error?.issues ?? [];

/**
 * The problems of a body. Each names the flag that sets the field, if there is one. What `--body` has in places that
 * the documentation leaves open is no problem: there our own shape is only a guess.
 */
const bodyProblems = (
  operation: Operation,
  body: Json,
  fromFile: Json | undefined,
  flags: readonly FieldFlag[],
): string[] => {
  const fileIssues = fromFile === undefined ? [] : issuesOf(operation, fromFile);
  const open = fileIssues.filter((issue) =>
    isOpen(operation, issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path),
  );
  const problems = issuesOf(operation, body).filter((issue) => !open.some((each) => isDeepStrictEqual(each, issue)));
  return problems.map(({ path, message }) => {
    const flag = flags.find((candidate) => candidate.part === 'body' && candidate.path.join('.') === path.join('.'));
    return problemOf(flag === undefined ? dotted(path) || 'the body' : `--${flag.name}`, message);
  });
};

/**
 * Reads a command's arguments. Returns the IDs by path parameter, the roots of arguments typed as full URIs, and the
 * names of records whose IDs must be looked up.
 */
const readArguments = async ({ args, problems, context }: Invocation, operation: Operation) => {
  const { path } = operation;
  const names = pathParameters(path);
  const { path: elsewhere } = addressOf(await context.dialect(), operation);
  // The full `uri` of the innermost record contains the IDs of the outer records.
  const whole = args.length === 1 && names.length > 1 ? readId(args[0]!, path, names.at(-1)!) : undefined;
  if (whole?.ok && whole.ids.length === names.length) {
    return {
      ids: Object.fromEntries(names.map((name, index) => [name, whole.ids[index]!])),
      roots: [whole.root!],
      named: {},
    };
  }
  const ids: Record<string, string> = {};
  const roots: string[] = [];
  const named: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const raw = args[index];
    const read = raw === undefined ? undefined : readId(raw, path, name, elsewhere);
    if (read === undefined) problems.missingArgument(name.replaceAll('_', '-'));
    else if (!read.ok) problems.add(read.problem);
    else {
      if (read.name === undefined) ids[name] = read.ids.at(-1)!;
      else named[name] = read.name;
      if (read.root !== undefined) roots.push(read.root);
    }
  }
  return { ids, roots, named };
};

/** The typed values of each flag: one, or several for a repeatable flag. Wrong ones are problems. */
export const readFlags = async (
  invocation: Invocation,
  flags: readonly FieldFlag[],
): Promise<[FieldFlag, Value[]][]> => {
  const read: [FieldFlag, Value[]][] = [];
  for (const flag of flags) {
    const raws = invocation.typed[flag.name];
    if (raws === undefined) continue;
    const values: Value[] = [];
    for (const raw of typedValues(flag, raws)) {
      const value = await readValue(flag, raw, invocation);
      if (value.ok) values.push(value.value);
      else invocation.problems.value(flag.name, String(raw), value.problem, value.meant);
    }
    read.push([flag, values]);
  }
  return read;
};

/** Rejects URIs of another service. Requests the service's own root only if an origin differs from the base URL. */
export const checkOrigins = async (
  { context, problems }: Pick<Invocation, 'context' | 'problems'>,
  roots: readonly (string | undefined)[],
): Promise<void> => {
  const connection = await context.connection();
  const base = new URL(connection.baseUrl).origin;
  const isOwn = (root: string) => new URL(root).origin === base || isSandboxOrigin(root, connection, context.runtime);
  const foreign = roots.filter((root) => root !== undefined).filter((root) => !isOwn(root));
  if (foreign.length === 0) return;
  const own = new URL(await context.identity.root()).origin;
  for (const { origin } of foreign.map((root) => new URL(root))) {
    if (origin !== own) problems.add(`${origin} is not the service of this profile (${shownUrl(base, connection)})`);
  }
};

const finalOf = async (value: Value, flag: FieldFlag, context: Context): Promise<unknown> => {
  if ('ready' in value) return value.ready;
  const { uri, isUnchecked } = await referredRecord(value, context);
  // The service may reply to an unknown ID with an empty list.
  if (isUnchecked && flag.part !== 'body')
    context.notes.info(`--${flag.name}: this token can't look up "${value.name}", so it is used as an ID`);
  return uri;
};

/** The input of an operation, and what a command knows besides. */
interface TypedInput extends Input {
  /** Conditions on the rows of the reply, written like query parameters. */
  rows?: NonNullable<Input['query']>;
  /** The record that the argument names, if the lookup already read it. For a write it is the state before. */
  found?: Json;
}

/**
 * Turns the typed arguments and flags into the operation's input. Ends the command on any problem before a write is
 * sent, and sends no request while there are known problems.
 * `complete` adds fields that have no flag. It also gets the conditions on rows.
 */
export const readInput = async (
  invocation: Invocation,
  operation: Operation,
  flags: readonly FieldFlag[],
  complete: (body: Json, rows: NonNullable<Input['query']>) => Promise<void> = async () => {},
): Promise<TypedInput> => {
  const { context, typed, problems } = invocation;
  const { ids, roots, named } = await readArguments(invocation, operation);
  const values = await readFlags(invocation, flags);
  const fromFile =
    typed.body === undefined
      ? undefined
      : await (await import('../json-file.ts')).readJsonFile(String(typed.body), '--body', context.runtime, problems);
  const body = structuredClone(fromFile ?? {});
  for (const flag of flags) {
    const isLeftOpen = fromFile !== undefined && flag.part === 'body' && isOpen(operation, flag.path);
    const other = flag.unless;
    const isNeeded = other === undefined ? flag.required : typed[other] === undefined && fromFile === undefined;
    if (isNeeded && typed[flag.name] === undefined && !isSet(body, flag.path) && !isLeftOpen)
      problems.missingFlag(flag.name, other === undefined ? undefined : `--${flag.name} or --${other}`);
  }
  problems.check();

  await checkOrigins(invocation, [
    ...roots,
    ...values.flatMap(([, each]) => each.map((value) => ('root' in value ? value.root : undefined))),
  ]);
  problems.check();
  const query: NonNullable<Input['query']> = {};
  const rows: NonNullable<Input['query']> = {};
  for (const [flag, each] of values) {
    const finals = [];
    for (const value of each) finals.push(await finalOf(value, flag, context));
    const final = flag.repeat ? finals : finals[0];
    if (flag.part === 'body') setAt(body, flag.path, final);
    else (flag.part === 'query' ? query : rows)[flag.path[0]!] = final as string | number | boolean;
  }
  let found: Json | undefined;
  for (const [parameter, name] of Object.entries(named)) {
    const within = query.event_type === undefined ? undefined : String(query.event_type);
    const collection = collectionOf(operation.path, parameter);
    const isMe = collection === 'users' && name === collections.users.self;
    const isKnown = (await context.connection()).owner?.user !== undefined;
    if (isMe && !isKnown && (await context.identity.isTokenUser())) {
      // The service itself understands GET /users/me, so no lookup is needed.
      ids[parameter] = name;
      continue;
    }
    const { uri, record, row } = await referredRecord({ id: '', collection, name }, context, within);
    ids[parameter] = idIn(uri);
    // Soon `next` is another event: what sched says to try next must be about this one.
    if (collection === 'scheduled_events') problems.own?.replace(name, idIn(uri));
    // A row of a list may be older than the record, so a GET still reads the record itself.
    if (operation.path === `/${collection}/{${parameter}}`)
      found = operation.method === 'GET' ? record : (record ?? row);
  }
  const { since, until } = windowIn({ ...query, ...rows });
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until)) {
    problems.add(`The time window is empty: it starts at ${since} and ends at ${until}`);
    problems.check();
  }
  for (const flag of flags) {
    if (!flag.own || isSet(body, flag.path)) continue;
    const { owner } = collections[flag.collection!];
    setAt(body, flag.path, await context.identity[owner!]());
  }
  const known = found === undefined ? {} : { found };
  if (operation.body === undefined) return { path: ids, query, rows, ...known };
  await complete(body, rows);
  for (const problem of bodyProblems(operation, body, fromFile, flags)) problems.add(problem);
  problems.check();
  return { path: ids, query, body, ...known };
};
