import { isEmailAddress } from '../../api/email-address.ts';
import { inspect } from '../../api/inspect.ts';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { isUri, readReference } from '../../client/ids.ts';
import { nearest } from '../../nearest.ts';
import { timestampOf } from '../../time/wall.ts';
import type { Invocation } from '../command.ts';
import type { FieldFlag } from './field-flags.ts';

/** A typed value on its way into a request: ready as it is, or a reference whose root is still to be learnt. */
export type Value = { ready: unknown } | Reference;

export interface Reference {
  /** An ID, a word of `ownWords`, or for a person an e-mail address. */
  id: string;
  collection: string;
  /** Of the full URI, where one was typed. */
  origin?: string | undefined;
  /** What was typed where it may be an ID or a name; `id` is then empty. */
  name?: string | undefined;
}

type Checked<T> =
  | { ok: true; value: T }
  | { ok: false; problem: string /** What was probably meant by it. */; meant?: string | undefined };

const refuse = (flag: FieldFlag, raw: string, problem: string): Checked<never> & { ok: false } => ({
  ok: false,
  problem: `--${flag.name} '${raw}' ${problem}`,
});

/** Words that stand for the token's own records. */
export const selfWords: Readonly<Record<string, string>> = {
  users: 'me',
  organization_memberships: 'me',
  organizations: 'current',
};

/** Users, and their memberships of the organization. */
export const isPerson = (collection: string): boolean => selfWords[collection] === 'me';

/** A person named by address; a URI may hold an `@`, too. */
export const isEmail = (text: string): boolean => isEmailAddress(text) && !isUri(text);

const readOwnReference = (flag: FieldFlag, raw: string, collection: string): Checked<Value> => {
  if (raw === selfWords[collection]) return { ok: true, value: { id: raw, collection } };
  if (isPerson(collection) && isEmail(raw)) return { ok: true, value: { id: raw, collection } };
  const read = readReference(raw, flag.name, collection);
  return read.ok
    ? { ok: true, value: { id: read.ids[0] ?? '', collection, origin: read.origin, name: read.name } }
    : read;
};

const readChoice = (flag: FieldFlag, raw: string, choices: readonly string[]): Checked<Value> => {
  if (choices.includes(raw)) return { ok: true, value: { ready: raw } };
  const meant = nearest(raw, choices);
  const problem = `is not one of ${choices.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  return { ...refuse(flag, raw, problem), meant };
};

/** A time: one end of a window for a filter, a moment that will be sent for a body. */
const readMoment = async (flag: FieldFlag, raw: string, { context, typed }: Invocation): Promise<Checked<Value>> => {
  const { settings, runtime } = context;
  // A timestamp is the same instant in every zone, so there is nothing to note of this one.
  const { zone, zoneSource } = timestampOf(raw) === undefined ? settings : ({ zone: 'UTC', zoneSource: 'TZ' } as const);
  const { readZone } = await import('../../time/zone.ts');
  // A wrong --timezone is reported for itself, and must not hide what is wrong with the time.
  const theirs = typed.timezone === undefined ? undefined : readZone(String(typed.timezone));
  const now = runtime.clock.now();
  const reading =
    flag.name === 'since' || flag.name === 'until'
      ? (await import('../../time/read.ts')).readTime(raw, { zone, now, edge: flag.name })
      : (await import('../../time/mutation.ts')).readMutationTime(raw, {
          zone,
          zoneSource,
          inviteeZone: theirs?.ok ? theirs.zone : undefined,
          isTerminal: runtime.stdin.isTerminal && runtime.stderr.isTerminal,
          now,
        });
  return reading.ok
    ? { ok: true, value: { ready: reading.instant } }
    : { ok: false, problem: `--${flag.name}: ${reading.problem}` };
};

const readZoneName = async (flag: FieldFlag, raw: string): Promise<Checked<Value>> => {
  const { readZone } = await import('../../time/zone.ts');
  const reading = readZone(raw);
  return reading.ok
    ? { ok: true, value: { ready: reading.zone } }
    : { ok: false, problem: `--${flag.name}: ${reading.problem}` };
};

/** One typed value as its field's schema wants it. */
export const readValue = async (
  flag: FieldFlag,
  raw: string | boolean,
  invocation: Invocation,
): Promise<Checked<Value>> => {
  if (typeof raw === 'boolean') return { ok: true, value: { ready: raw } };
  const { collection, type, format } = inspect(flag.field);
  if (collection !== undefined) return readOwnReference(flag, raw, collection);
  if (flag.choices !== undefined) return readChoice(flag, raw, flag.choices);
  if (format === 'datetime') return readMoment(flag, raw, invocation);
  if (flag.value === 'ZONE') return readZoneName(flag, raw);
  if (type === 'number' && !/^-?\d+$/.test(raw)) return refuse(flag, raw, 'is not a whole number');
  const value = type === 'number' ? Number(raw) : raw;
  const checked = flag.field.safeParse(value, plainErrors);
  if (checked.success) return { ok: true, value: { ready: value } };
  const { message } = checked.error.issues[0]!;
  if (raw === '') return { ok: false, problem: problemOf(`--${flag.name}`, message) };
  return refuse(
    flag,
    raw,
    message.startsWith('must be ') ? message.replace('must be', 'is not') : `is not allowed: ${message}`,
  );
};
