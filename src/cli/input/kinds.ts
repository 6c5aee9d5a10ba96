import { nearest } from '../../nearest.ts';
import type { Flag } from '../command.ts';
import { type Entry, type EntryOptions, entry, present } from './entry.ts';
import { accept, type How, type Kind, type Raw, type Read, refuse } from './kind.ts';
import { self, type Words, words } from './words.ts';

export const textKind: Kind<string> = {
  value: 'TEXT',
  json: 'string',
  isProse: true,
  read: (raw) => accept(String(raw)),
};

export const text = <const Options extends EntryOptions = object>(description: string, options?: Options) =>
  entry(textKind, description, options);

const wordKind: Kind<string> = { json: 'string', read: (raw) => accept(String(raw)) };

/** Text without spaces, such as an address. */
export const word = <const Options extends EntryOptions & { value: string }>(description: string, options: Options) =>
  entry(wordKind, description, options);

const fileKind: Kind<string> = { value: 'FILE', json: 'string', offers: 'files', read: (raw) => accept(String(raw)) };

export const file = <const Options extends EntryOptions = object>(description: string, options?: Options) =>
  entry(fileKind, description, options);

const switchKind: Kind<boolean> = { json: 'boolean', read: (raw) => accept(raw === true) };

/** A switch. It is never undefined. */
export const toggle = (description: string, options: Pick<EntryOptions, 'short' | 'heading'> = {}): Entry<boolean> =>
  entry(switchKind, description, { ...options, preset: false });

/** A whole number. Without `most`, it may be as large as JavaScript can count. */
export const count = <const Options extends EntryOptions & { least?: number; most?: number }>(
  description: string,
  options?: Options,
) => {
  const {
    least = 0,
    most = Number.MAX_SAFE_INTEGER,
    ...rest
  }: EntryOptions & { least?: number; most?: number } = options ?? {};
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`;
  const kind: Kind<number> = {
    value: 'N',
    json: 'integer',
    read: (raw) => {
      const number = /^\d+$/.test(String(raw)) ? Number(raw) : Number.NaN;
      if (number >= least && number <= most) return accept(number);
      return refuse(words`${self} must be a whole number ${range}, not "${String(raw)}"`);
    },
  };
  return entry(kind, description, rest as Options);
};

/** One of some words. `refusal` is the problem with another one, if it says more than the choices. */
export const choice = <
  const Choice extends string,
  const Options extends EntryOptions & { refusal?: (raw: string) => Words },
>(
  choices: readonly Choice[],
  description: string,
  options?: Options,
) => {
  const { refusal, ...rest }: EntryOptions & { refusal?: (raw: string) => Words } = options ?? {};
  const [only, ...others] = choices;
  const wanted = others.length === 0 ? only! : `one of ${choices.join(', ')}`;
  const kind: Kind<Choice> = {
    value: 'WORD',
    json: 'string',
    choices,
    read: (raw) => {
      const known = choices.find((each) => each === raw);
      if (known !== undefined) return accept(known);
      const meant = others.length === 0 ? only : nearest(String(raw), choices);
      return refuse(refusal?.(String(raw)) ?? words`${self} must be ${wanted}, not "${String(raw)}"`, meant);
    },
  };
  return entry(kind, description, rest as Options);
};

interface Length {
  /** Examples for the problem with something else. */
  such: string;
  least?: string;
  /** Ends the problem with a shorter one. */
  why?: string;
}

/** A length of time, in milliseconds. */
export const duration = <const Options extends EntryOptions & Length>(description: string, options: Options) => {
  const { such, least, why = '', ...rest }: EntryOptions & Length = options;
  const kind: Kind<number> = {
    value: 'DURATION',
    json: 'string',
    read: async (raw) => {
      const { readDuration } = await import('../../time/duration.ts');
      const length = readDuration(String(raw));
      if (length === undefined) return refuse(words`${self} must be a duration such as ${such}, not "${String(raw)}"`);
      if (least === undefined || length >= readDuration(least)!) return accept(length);
      return refuse(words`${self} must be at least ${least}, not "${String(raw)}"${why}`);
    },
  };
  return entry(kind, description, rest as Options);
};

interface Edge {
  /** Which end of a day a date means. */
  edge?: 'since' | 'until';
  /** Where it lies, seen from now. */
  in?: 'past' | 'future';
  /** Words such as `today` move along too, not only offsets such as `+60d`. */
  isLive?: true;
}

/** A moment as of any time: an offset such as `+60d` moves along. */
export type Moving = (now: number) => number;

const readMoving = async (raw: Raw, how: How, { edge, in: side, isLive }: Edge): Promise<Read<Moving>> => {
  const { readTime } = await import('../../time/read.ts');
  const { timestampOf } = await import('../../time/wall.ts');
  const { zone } = how.settings;
  const now = await how.now();
  const at = (time: number) => {
    const reading = readTime(String(raw), { zone, now: time, ...(edge === undefined ? {} : { edge }) });
    return reading.ok ? timestampOf(reading.instant)! : reading.problem;
  };
  const first = at(now);
  if (typeof first === 'string') return refuse(words`${self}: ${first}`);
  const isThere = side === undefined || (side === 'past' ? first <= now : first > now);
  if (!isThere) return refuse(words`${self} must be in the ${side}, not "${String(raw)}"`);
  return accept((time) => {
    const later = isLive || String(raw).startsWith('+') ? at(time) : first;
    return typeof later === 'string' ? first : later;
  });
};

/** What all kinds of times have in common. */
export const momentFacts = { value: 'TIME', json: 'string', isProse: true, isMoment: true } as const;

/** A moment that is asked for again and again. */
export const moving = <const Options extends EntryOptions & Edge>(description: string, options: Options) => {
  const { edge, in: side, isLive, ...rest }: EntryOptions & Edge = options;
  const place = present({ edge, in: side, isLive });
  const kind: Kind<Moving> = { ...momentFacts, read: (raw, how) => readMoving(raw, how, place) };
  return entry(kind, description, rest as Options);
};

/** A moment, in milliseconds since 1970. */
export const moment = <const Options extends EntryOptions & Omit<Edge, 'isLive'>>(
  description: string,
  options: Options,
) => {
  const { edge, in: side, ...rest }: EntryOptions & Edge = options;
  const place = present({ edge, in: side });
  const read: Kind<number>['read'] = async (raw, how) => {
    const found = await readMoving(raw, how, place);
    return 'value' in found ? accept(found.value(await how.now())) : (found as Read<never>);
  };
  return entry({ ...momentFacts, read }, description, rest as Options);
};

/** A time zone by its IANA name. */
export const zoneKind: Kind<string> = {
  value: 'ZONE',
  json: 'string',
  offers: 'zones',
  preset: ({ settings }) => settings.zone,
  read: async (raw) => {
    const { readZone } = await import('../../time/zone.ts');
    const reading = readZone(String(raw));
    if (reading.ok) return accept(reading.zone);
    // A write must not be suggested with a guess among several zones.
    const [meant, ...others] = reading.candidates;
    return refuse(words`${self}: ${reading.problem}`, others.length === 0 ? meant : undefined);
  },
};

export const zone = <const Options extends EntryOptions = object>(description: string, options?: Options) =>
  entry(zoneKind, description, options);

const numbers = ['N', 'COUNT', 'MINUTES'];

const jsonOf = (value: string): Kind['json'] => {
  const types = new Set(value.split('|').map((each) => (numbers.includes(each) ? 'integer' : 'string')));
  return types.size === 1 ? [...types][0]! : [...types];
};

/** The kind that a placeholder says, for flags that declare none. */
const byPlaceholder = (value: string): Kind => ({
  value,
  json: jsonOf(value),
  ...(value === 'FIELDS' ? { offers: 'fields' } : {}),
  ...(value === 'ZONE' ? { offers: 'zones' } : {}),
  ...(value === 'LIST' ? { offers: 'parts' } : {}),
  ...(value.startsWith('FILE') ? { offers: 'files' } : {}),
  ...(/NAME|TEXT|TIME/.test(value) ? { isProse: true } : {}),
  ...(value === 'TIME' ? { isMoment: true } : {}),
  ...(value === 'DIGEST' ? { isDigest: true } : {}),
  read: accept,
});

const anySwitch: Kind = { json: 'boolean', read: accept };

export const kindOf = ({ kind, value }: Pick<Flag, 'kind' | 'value'>): Kind =>
  kind ?? (value === undefined ? anySwitch : byPlaceholder(value));
