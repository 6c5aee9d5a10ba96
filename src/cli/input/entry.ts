import type { Sentence } from '../../base/words.ts';
import type { Argument, Flag } from '../command.ts';
import type { Raw } from './given.ts';
import { accept, type How, type Kind, type Read, readValue } from './kind.ts';

/** How a value looks in help, and what becomes of it if it isn't given, or is given several times. */
export interface EntryOptions extends Pick<Flag, 'short' | 'heading' | 'unless' | 'optional'>, Pick<Argument, 'offer'> {
  /** The placeholder, if it is another one than that of the kind. */
  value?: string;
  /** Without a value, this one is read. */
  preset?: Raw;
  /** Without a value, the command can't run. */
  needed?: true;
  /** It can be given several times. */
  many?: true;
  /** It is known by its place. Everything else is known by its name. */
  place?: 'argument';
  /** For what every command can be told: the variable of the environment and the key of the profile that say it too. */
  variable?: string;
  profile?: string;
}

/** Only the facts that are there. */
export const present = <Facts extends object>(facts: Facts): { [Name in keyof Facts]?: NonNullable<Facts[Name]> } =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as Facts;

/** What a command gets. */
type EntryValue<T, Options extends EntryOptions> = Options extends { many: true }
  ? T[]
  : Options extends { preset: Raw } | { needed: true }
    ? T
    : T | undefined;

/** A value of an input: its kind, its words in help, and how it is taken from what was given. */
export interface Entry<T> extends Omit<EntryOptions, 'value' | 'preset'> {
  readonly kind: Kind;
  readonly description: Sentence;
  take(given: readonly Raw[], how: How): Promise<TakeResult<T>>;
}

/** A value that is refused: one of several, if it can be given several times. */
export type Refusal = Extract<Read<never>, { ok: false }> & { raw: Raw };

/** What became of what was given. */
export type TakeResult<T> = Extract<Read<T>, { ok: true }> | { refusals: Refusal[] } | 'missing';

const readEach = async <T>(kind: Kind<T>, given: readonly Raw[], how: How): Promise<TakeResult<T[]>> => {
  const values: T[] = [];
  const refusals: Refusal[] = [];
  for (const raw of given) {
    const read = await readValue(kind, raw, how);
    if (!read.ok) refusals.push({ ...read, raw });
    else if ('value' in read) values.push(read.value);
  }
  return refusals.length === 0 ? accept(values) : { refusals };
};

/** Declares a value of an input. */
export const entry = <T, const Options extends EntryOptions = object>(
  kind: Kind<T>,
  description: Sentence,
  options?: Options,
): Entry<EntryValue<T, Options>> => {
  const { value, preset, ...facts }: EntryOptions = options ?? {};
  const take = async (given: readonly Raw[], how: How): Promise<TakeResult<unknown>> => {
    if (facts.many) return facts.needed && given.length === 0 ? 'missing' : readEach(kind, given, how);
    const [raw = preset] = given;
    if (raw === undefined) return facts.needed ? 'missing' : accept(undefined);
    const read = await readValue(kind, raw, how);
    return read.ok ? read : { refusals: [{ ...read, raw }] };
  };
  return {
    ...facts,
    kind: value === undefined ? kind : { ...kind, value },
    description,
    // Here the options and the type of the value meet.
    take: take as Entry<EntryValue<T, Options>>['take'],
  };
};
