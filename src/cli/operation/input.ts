import { isDeepStrictEqual } from 'node:util';
import { collections } from '../../api/collections.ts';
import { isOpenAt } from '../../api/inspect.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { windowIn } from '../../api/window.ts';
import { dotted, plainErrors, problemOf } from '../../api/wording.ts';
import { collectionOf, readId } from '../../client/ids.ts';
import type { Input } from '../../client/wire.ts';
import { addressOf } from '../../dialects/dialect.ts';
import { isObject, type Json } from '../../json.ts';
import { idIn } from '../../uri.ts';
import type { Argument, Invocation } from '../command.ts';
import type { Value } from '../input/field-kinds.ts';
import { type Input as CommandInput, howOf } from '../input/input.ts';
import type { Given, How, Raw } from '../input/kind.ts';
import { the, type Words, words } from '../input/words.ts';
import { isSandboxOrigin, shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import type { FieldFlag } from './field-flags.ts';
import { referredRecord } from './references.ts';

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
): Words[] => {
  const fileIssues = fromFile === undefined ? [] : issuesOf(operation, fromFile);
  const open = fileIssues.filter((issue) =>
    isOpen(operation, issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path),
  );
  const problems = issuesOf(operation, body).filter((issue) => !open.some((each) => isDeepStrictEqual(each, issue)));
  return problems.map(({ path, message }) => {
    const flag = flags.find((candidate) => candidate.part === 'body' && candidate.path.join('.') === path.join('.'));
    const subject = flag === undefined ? dotted(path) || 'the body' : the(flag.name);
    return words`${subject}${problemOf('', message)}`;
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
    else if (!read.ok) problems.report({ words: words`${{ name, place: 'argument' }} ${read.problem}` });
    else {
      if (read.name === undefined) ids[name] = read.ids.at(-1)!;
      else named[name] = read.name;
      if (read.root !== undefined) roots.push(read.root);
    }
  }
  return { ids, roots, named };
};

/** The values of a flag as given. A repeatable flag with fixed values also takes a list with commas. */
const rawsOf = ({ repeat, choices }: FieldFlag, given: Given[string]): Raw[] =>
  [given ?? []].flat().flatMap((raw) => (repeat && choices && typeof raw === 'string' ? raw.split(',') : [raw]));

/** The given values of each flag: one, or several for a repeatable flag. Wrong ones are problems. */
export const readFlags = async (
  { problems }: Pick<Invocation, 'problems'>,
  flags: readonly FieldFlag[],
  how: How,
): Promise<[FieldFlag, Value[]][]> => {
  const read: [FieldFlag, Value[]][] = [];
  for (const flag of flags) {
    if (how.given[flag.name] === undefined) continue;
    const values: Value[] = [];
    for (const raw of rawsOf(flag, how.given[flag.name])) {
      const value = await flag.kind.read(raw, how);
      if (!value.ok)
        problems.report({ about: the(flag.name), raw: String(raw), words: value.problem, meant: value.meant });
      else if ('value' in value) values.push(value.value);
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

/** The value to send. */
export const finalOf = async (value: Value, flag: FieldFlag, context: Context): Promise<unknown> => {
  if ('ready' in value) return value.ready;
  const { uri, isUnchecked } = await referredRecord(value, context);
  // The service may reply to an unknown ID with an empty list.
  if (isUnchecked && flag.part !== 'body')
    context.notes.info(`--${flag.name}: this token can't look up "${value.name}", so it is used as an ID`);
  return uri;
};

/** The input of an operation, and what a command knows besides. */
export interface TypedInput extends Input {
  /** Conditions on the rows of the reply, written like query parameters. */
  rows?: NonNullable<Input['query']>;
  /** The record that the argument names, if the lookup already read it. For a write it is the state before. */
  found?: Json;
}

/** The fields of an operation as the input of a command. */
export const requestInput = (
  operation: Operation,
  flags: FieldFlag[],
  args: Argument[] = [],
): CommandInput<{ request: TypedInput }> => ({
  flags,
  arguments: args,
  draft: async (invocation, how) => {
    const { finish } = await draftInput(invocation, operation, flags, how);
    return async () => ({ request: await finish() });
  },
});

/** The same for a command that completes the body before it is checked. */
export const requestDraft = (operation: Operation, flags: FieldFlag[]): CommandInput<{ request: Draft }> => ({
  flags,
  arguments: [],
  draft: async (invocation, how) => {
    const request = await draftInput(invocation, operation, flags, how);
    return async () => ({ request });
  },
});

/** Adds fields that have no flag to a body. It also gets the conditions on rows. */
type Complete = (body: Json, rows: NonNullable<Input['query']>) => Promise<void>;

/** A call that was read without the service. */
export interface Draft {
  /** What was given for each field. */
  values: readonly [FieldFlag, Value[]][];
  /** Asks the service for what only it knows. Ends the command on any problem before a write is sent. */
  finish(complete?: Complete, find?: typeof finalOf): Promise<TypedInput>;
}

/** Reads a call of an operation as far as that is possible without the service. Problems are collected. */
export const draftInput = async (
  invocation: Invocation,
  operation: Operation,
  flags: readonly FieldFlag[],
  how = howOf(invocation),
): Promise<Draft> => {
  const { context, problems } = invocation;
  const { given } = how;
  const named = await readArguments(invocation, operation);
  const values = await readFlags(invocation, flags, how);
  const fromFile =
    given.body === undefined
      ? undefined
      : await (await import('../json-file.ts')).readJsonFile(String(given.body), '--body', context.runtime, problems);
  const body = structuredClone(fromFile ?? {});
  for (const flag of flags) {
    const isLeftOpen = fromFile !== undefined && flag.part === 'body' && isOpen(operation, flag.path);
    const other = flag.unless;
    const isNeeded = other === undefined ? flag.required : given[other] === undefined && fromFile === undefined;
    if (isNeeded && given[flag.name] === undefined && !isSet(body, flag.path) && !isLeftOpen)
      problems.missingFlag(flag.name, other === undefined ? undefined : words`${the(flag.name)} or ${the(other)}`);
  }
  return {
    values,
    finish: (complete = async () => {}, find = finalOf) =>
      finishInput(invocation, operation, flags, { ...named, values, body, fromFile }, complete, find),
  };
};

type Drafted = Awaited<ReturnType<typeof readArguments>> & {
  values: Draft['values'];
  body: Json;
  fromFile: Json | undefined;
};

const finishInput = async (
  { context, problems }: Pick<Invocation, 'context' | 'problems'>,
  operation: Operation,
  flags: readonly FieldFlag[],
  { ids, roots, named, values, body, fromFile }: Drafted,
  complete: Complete,
  find: typeof finalOf,
): Promise<TypedInput> => {
  await checkOrigins({ context, problems }, [
    ...roots,
    ...values.flatMap(([, each]) => each.map((value) => ('root' in value ? value.root : undefined))),
  ]);
  problems.check();
  const query: NonNullable<Input['query']> = {};
  const rows: NonNullable<Input['query']> = {};
  for (const [flag, each] of values) {
    const finals = [];
    for (const value of each) finals.push(await find(value, flag, context));
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
  for (const problem of bodyProblems(operation, body, fromFile, flags)) problems.report({ words: problem });
  problems.check();
  return { path: ids, query, body, ...known };
};

/**
 * Turns a call into the operation's input. Ends the command on any problem before a write is sent, and sends no request
 * while there are known problems.
 */
export const readInput = async (
  invocation: Invocation,
  operation: Operation,
  flags: readonly FieldFlag[],
  complete?: Complete,
): Promise<TypedInput> => {
  const draft = await draftInput(invocation, operation, flags);
  invocation.problems.check();
  return draft.finish(complete);
};
