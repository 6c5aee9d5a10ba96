import { collections } from '../../api/collections.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import type { Json } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { type Name, the, words } from '../../base/words.ts';
import { collectionOf, readId } from '../../client/ids.ts';
import { type Input, requireOffered } from '../../client/wire.ts';
import { addressOf } from '../../dialects/dialect.ts';
import type { Argument, Invocation, Reading } from '../command.ts';
import type { Value } from '../input/field-kinds.ts';
import type { Given, Raw } from '../input/given.ts';
import type { Input as CommandInput } from '../input/input.ts';
import { type How, readValue } from '../input/kind.ts';
import { isSandboxOrigin, shownUrl } from '../session/connection.ts';
import type { Context } from '../session/context.ts';
import { checkWindow } from './empty-window.ts';
import type { FieldFlag } from './field-flags.ts';
import { referredRecord } from './references.ts';
import { bodyProblems, isSet, isUndocumented, setField } from './request-body.ts';

const argumentName = (parameter: string): string => parameter.replaceAll('_', '-');

/**
 * Reads a command's arguments. Returns the IDs by path parameter, the roots of arguments that are full URIs, and the
 * names of records whose IDs must be looked up.
 */
const readArguments = async ({ problems, context }: Reading, operation: Operation, { given }: How) => {
  const { path } = operation;
  const names = pathParameters(path);
  const { path: elsewhere } = addressOf(await context.dialect(), operation);
  // The full `uri` of the innermost record contains the IDs of the outer records.
  const raws = names.map((name) => given[argumentName(name)]).map((raw) => (raw === undefined ? raw : String(raw)));
  const isOne = names.length > 1 && raws[0] !== undefined && raws.slice(1).every((raw) => raw === undefined);
  const whole = isOne ? readId(raws[0]!, path, names.at(-1)!) : undefined;
  if (whole?.ok && whole.ids.length === names.length) {
    return {
      ids: Object.fromEntries(names.map((name, index) => [name, whole.ids[index]!])),
      roots: [whole.root!],
      recordNames: {},
    };
  }
  const ids: Record<string, string> = {};
  const roots: string[] = [];
  const recordNames: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const raw = raws[index];
    const read = raw === undefined ? undefined : readId(raw, path, name, elsewhere);
    if (read === undefined) problems.missingArgument(argumentName(name));
    else if (!read.ok)
      problems.report({ words: words`${{ name: argumentName(name), place: 'argument' }} ${read.problem}` });
    else {
      if (read.name === undefined) ids[name] = read.ids.at(-1)!;
      else recordNames[name] = read.name;
      if (read.root !== undefined) roots.push(read.root);
    }
  }
  return { ids, roots, recordNames };
};

/** The values of a flag as given. A repeatable flag with fixed values also takes a list with commas. */
const rawsOf = ({ repeat, choices }: FieldFlag, given: Given[string]): Raw[] =>
  [given ?? []].flat().flatMap((raw) => (repeat && choices && typeof raw === 'string' ? raw.split(',') : [raw]));

const flagAsName = ({ name, place }: FieldFlag): Name => ({ name, ...(place && { place }) });

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
      const value = await readValue(flag.kind, raw, how);
      if (!value.ok)
        problems.report({
          about: flagAsName(flag),
          raw: String(raw),
          words: value.problem,
          correction: value.correction,
        });
      else if ('value' in value) values.push(value.value);
    }
    read.push([flag, values]);
  }
  return read;
};

/** Rejects URIs of another service. Requests the service's own root only if one differs from the base URL. */
export const checkOrigins = async (
  { context, problems }: Pick<Invocation, 'context' | 'problems'>,
  roots: readonly (string | undefined)[],
): Promise<void> => {
  const connection = await context.connection();
  const placeOf = (root: string) => new URL(root).href.replace(/\/$/, '');
  const base = placeOf(connection.baseUrl);
  const isOwn = (root: string) =>
    placeOf(root) === base || (new URL(root).pathname === '/' && isSandboxOrigin(root, connection, context.runtime));
  const foreign = roots.filter((root) => root !== undefined).filter((root) => !isOwn(root));
  if (foreign.length === 0) return;
  const own = placeOf(await context.identity.root());
  for (const place of foreign.map(placeOf))
    if (place !== own) problems.add(`${place} is not the service of this profile (${shownUrl(base, connection)})`);
};

/** The value to send. */
export const finalOf = async (value: Value, flag: FieldFlag, context: Context): Promise<unknown> => {
  if ('ready' in value) return value.ready;
  const { uri, isUnchecked } = await referredRecord(value, context);
  // The service may reply to an unknown ID with an empty list.
  if (isUnchecked && flag.part !== 'body')
    context.notes.info(words`${the(flag.name)}: this token can't look up "${value.name!}", so it is used as an ID`);
  return uri;
};

/** The input of an operation, and what a command knows besides. */
export interface RequestValues extends Input {
  /** Conditions on the rows of the reply, written like query parameters. */
  rows?: NonNullable<Input['query']>;
  /** The record that the argument names, if the lookup already read it. For a write it is the state before. */
  record?: Json;
}

/** The fields of an operation as the input of a command. */
export const requestInput = (
  operation: Operation,
  flags: FieldFlag[],
  args: Argument[] = [],
): CommandInput<{ request: RequestValues }> => ({
  flags,
  arguments: args,
  draft: async (call, how) => {
    const { finish } = await draftInput(call, operation, flags, how);
    return async () => ({ request: await finish() });
  },
});

/** The same for a command that completes the body before it is checked. */
export const requestDraft = (operation: Operation, flags: FieldFlag[]): CommandInput<{ request: Draft }> => ({
  flags,
  arguments: [],
  draft: async (call, how) => {
    const request = await draftInput(call, operation, flags, how);
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
  finish(complete?: Complete, find?: typeof finalOf): Promise<RequestValues>;
}

/** Reads a call of an operation as far as that is possible without the service. Problems are collected. */
export const draftInput = async (
  call: Reading,
  operation: Operation,
  flags: readonly FieldFlag[],
  how: How,
): Promise<Draft> => {
  const { context, problems } = call;
  const { given } = how;
  const args = await readArguments(call, operation, how);
  const values = await readFlags(call, flags, how);
  await checkWindow(call, values, how);
  const fromFile =
    operation.body === undefined || given.body === undefined
      ? undefined
      : await (await import('../json-file.ts')).readJsonFile(
          String(given.body),
          the('body'),
          context.runtime,
          problems,
        );
  const body = structuredClone(fromFile ?? {});
  for (const flag of flags) {
    const isLeftOpen = fromFile !== undefined && flag.part === 'body' && isUndocumented(operation, flag.path);
    const other = flag.unless;
    const isNeeded = other === undefined ? flag.required : given[other] === undefined && fromFile === undefined;
    if (!isNeeded || given[flag.name] !== undefined || isSet(body, flag.path) || isLeftOpen) continue;
    if (flag.place === 'argument') problems.missingArgument(flag.name);
    else problems.missingFlag(flag.name, other === undefined ? undefined : words`${the(flag.name)} or ${the(other)}`);
  }
  return {
    values,
    finish: (complete = async () => {}, find = finalOf) =>
      finishInput(call, operation, flags, { ...args, values, body, fromFile }, complete, find),
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
  { ids, roots, recordNames, values, body, fromFile }: Drafted,
  complete: Complete,
  find: typeof finalOf,
): Promise<RequestValues> => {
  await checkOrigins({ context, problems }, [
    ...roots,
    ...values.flatMap(([, each]) => each.map((value) => ('root' in value ? value.root : undefined))),
  ]);
  problems.check();
  // Before anything is looked up: nothing is sent for an operation that the service lacks.
  requireOffered(await context.dialect(), operation);
  const query: NonNullable<Input['query']> = {};
  const rows: NonNullable<Input['query']> = {};
  for (const [flag, each] of values) {
    const finals = [];
    for (const value of each) finals.push(await find(value, flag, context));
    const final = flag.repeat ? finals : finals[0];
    if (flag.part === 'body') setField(body, flag.path, final);
    else (flag.part === 'query' ? query : rows)[flag.path[0]!] = final as string | number | boolean;
  }
  let knownRecord: Json | undefined;
  for (const [parameter, name] of Object.entries(recordNames)) {
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
      knownRecord = operation.method === 'GET' ? record : (record ?? row);
  }
  for (const flag of flags) {
    if (!flag.own || isSet(body, flag.path)) continue;
    const { owner } = collections[flag.collection!];
    setField(body, flag.path, await context.identity[owner!]());
  }
  const recordFact = knownRecord === undefined ? {} : { record: knownRecord };
  if (operation.body === undefined) return { path: ids, query, rows, ...recordFact };
  await complete(body, rows);
  for (const problem of bodyProblems(operation, body, fromFile, flags)) problems.report({ words: problem });
  problems.check();
  return { path: ids, query, body, ...recordFact };
};

/**
 * Turns a call into the operation's input. Ends the command on any problem before a write is sent, and sends no request
 * while there are known problems.
 */
export const readInput = async (
  call: Reading,
  operation: Operation,
  flags: readonly FieldFlag[],
  how: How,
): Promise<RequestValues> => {
  const draft = await draftInput(call, operation, flags, how);
  call.problems.check();
  return draft.finish();
};
