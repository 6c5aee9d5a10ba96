import type { Collection } from '../../api/collections.ts';
import { isEmailAddress } from '../../api/email-address.ts';
import { inspect } from '../../api/inspect.ts';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { isUri, readReference } from '../../client/ids.ts';
import { nearest } from '../../nearest.ts';
import { timestampOf } from '../../time/wall.ts';
import type { Invocation, Typed } from '../command.ts';
import type { FieldFlag } from './field-flags.ts';

/** A typed value for a request: ready to send, or a reference that must be turned into a URI. */
export type Value = { ready: unknown } | Reference;

export interface Reference {
  id: string;
  collection: Collection;
  /** The root of a typed full URI. */
  root?: string | undefined;
  /** The typed word if it isn't an ID for certain: `me`, an email address, a name. `id` is then empty. */
  name?: string | undefined;
}

type Checked<T> =
  | { ok: true; value: T }
  | { ok: false; problem: string /** The value that was probably meant. */; meant?: string | undefined };

/** Whether a text is an email address. A URI may also contain an `@`. */
export const isEmail = (text: string): boolean => isEmailAddress(text) && !isUri(text);

const readOwnReference = (flag: FieldFlag, raw: string, collection: Collection): Checked<Value> => {
  const read = readReference(raw, flag.name, collection);
  return read.ok ? { ok: true, value: { id: read.ids[0] ?? '', collection, root: read.root, name: read.name } } : read;
};

const readChoice = (flag: FieldFlag, raw: string, choices: readonly string[]): Checked<Value> => {
  if (choices.includes(raw)) return { ok: true, value: { ready: raw } };
  const meant = nearest(raw, choices);
  const question = meant === undefined ? '' : `. Did you mean ${meant}?`;
  return { ok: false, problem: `--${flag.name} must be one of ${choices.join(', ')}, not "${raw}"${question}`, meant };
};

/** Reads a time: one end of a time window for a filter, or a moment to send in a body. */
const readMoment = async (flag: FieldFlag, raw: string, { context, typed }: Invocation): Promise<Checked<Value>> => {
  const { settings, runtime } = context;
  // A timestamp is the same instant in every zone, so the zone doesn't matter.
  const isTimestamp = timestampOf(raw) !== undefined;
  const { zone, zoneSource } = isTimestamp ? ({ zone: 'UTC', zoneSource: 'TZ' } as const) : settings;
  const { readZone } = await import('../../time/zone.ts');
  // An invalid --timezone is reported separately, and must not hide problems with the time.
  const theirs = typed.timezone === undefined ? undefined : readZone(String(typed.timezone));
  const now = isTimestamp ? context.now() : await context.askNow();
  const reading =
    flag.name === 'since' || flag.name === 'until'
      ? (await import('../../time/read.ts')).readTime(raw, { zone, now, edge: flag.name })
      : (await import('../../time/mutation.ts')).readMutationTime(raw, {
          zone,
          zoneSource,
          inviteeZone: theirs?.ok ? theirs.zone : undefined,
          isTerminal: runtime.stderr.isTerminal && runtime.keyboard.isTerminal,
          now,
        });
  return reading.ok
    ? { ok: true, value: { ready: reading.instant } }
    : { ok: false, problem: `--${flag.name}: ${reading.problem}` };
};

const readZoneName = async (flag: FieldFlag, raw: string): Promise<Checked<Value>> => {
  const { readZone } = await import('../../time/zone.ts');
  const reading = readZone(raw);
  if (reading.ok) return { ok: true, value: { ready: reading.zone } };
  // A write must not be suggested with a guess among several zones.
  const [meant, ...others] = reading.candidates;
  return {
    ok: false,
    problem: `--${flag.name}: ${reading.problem}`,
    ...(others.length === 0 ? { meant } : {}),
  };
};

/** The values of a flag as typed. A repeatable flag with fixed values also takes a list with commas. */
export const typedValues = ({ repeat, choices }: FieldFlag, raws: NonNullable<Typed[string]>): (string | boolean)[] =>
  [raws].flat().flatMap((raw) => (repeat && choices && typeof raw === 'string' ? raw.split(',') : [raw]));

/** Converts a typed value to its field's type and checks it. */
export const readValue = async (
  flag: FieldFlag,
  raw: string | boolean,
  invocation: Invocation,
): Promise<Checked<Value>> => {
  if (typeof raw === 'boolean') return { ok: true, value: { ready: raw } };
  const { type, format } = inspect(flag.field);
  if (flag.collection !== undefined) return readOwnReference(flag, raw, flag.collection);
  if (flag.choices !== undefined) return readChoice(flag, raw, flag.choices);
  if (format === 'datetime') return readMoment(flag, raw, invocation);
  if (flag.value === 'ZONE') return readZoneName(flag, raw);
  const value = type === 'number' && /^-?\d+$/.test(raw) ? Number(raw) : raw;
  const checked = flag.field.safeParse(value, plainErrors);
  if (checked.success) return { ok: true, value: { ready: value } };
  const { message } = checked.error.issues[0]!;
  if (raw === '') return { ok: false, problem: problemOf(`--${flag.name}`, message) };
  const problem = message.startsWith('must be ')
    ? `--${flag.name} ${message}, not "${raw}"`
    : problemOf(`--${flag.name} "${raw}"`, message);
  return { ok: false, problem };
};

/** The value of a flag that takes a whole number. Without `most`, it may be as large as JavaScript can count. */
export const readWholeNumber = (
  name: string,
  { typed, problems }: Invocation,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined => {
  const raw = typed[name];
  if (raw === undefined) return undefined;
  const value = /^\d+$/.test(String(raw)) ? Number(raw) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`;
  problems.value(name, String(raw), `--${name} must be a whole number ${range}, not "${raw}"`);
  return undefined;
};
