import { otherChoice, type Sentence, self, words } from '../../base/words.ts';
import { type Entry, type EntryOptions, entry, present } from './entry.ts';
import { accept, type How, type Kind, type Read, refuse } from './kind.ts';

export const textKind: Kind<string> = {
  value: 'TEXT',
  json: 'string',
  isProse: true,
  read: (raw) => accept(raw),
};

export const text = <const Options extends EntryOptions = object>(description: Sentence, options?: Options) =>
  entry(textKind, description, options);

const wordKind: Kind<string> = { json: 'string', read: (raw) => accept(raw) };

/** Text without spaces, such as an address. */
export const word = <const Options extends EntryOptions & { value: string }>(description: Sentence, options: Options) =>
  entry(wordKind, description, options);

const fileKind: Kind<string> = { value: 'FILE', json: 'string', offers: 'files', read: (raw) => accept(raw) };

export const file = <const Options extends EntryOptions = object>(description: Sentence, options?: Options) =>
  entry(fileKind, description, options);

const switchKind: Kind<boolean> = { json: 'boolean', read: (_, __, value) => accept(value === true) };

/** A switch. It is never undefined. */
export const toggle = (
  description: Sentence,
  options: Pick<EntryOptions, 'short' | 'heading' | 'variable'> = {},
): Entry<boolean> => entry(switchKind, description, { ...options, preset: false });

/** A whole number. Without `most`, it may be as large as JavaScript can count. */
export const count = <const Options extends EntryOptions & { least?: number; most?: number }>(
  description: Sentence,
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
      const number = /^\d+$/.test(raw) ? Number(raw) : Number.NaN;
      if (number >= least && number <= most) return accept(number);
      return refuse(words`${self} must be a whole number ${range}, not "${raw}"`);
    },
  };
  return entry(kind, description, rest as Options);
};

export const refuseChoice = (raw: string, choices: readonly string[]): Read<never> => {
  const { words: problem, correction } = otherChoice(raw, choices);
  return refuse(problem, correction);
};

/** One of some words. */
export const choice = <const Choice extends string, const Options extends EntryOptions>(
  choices: readonly Choice[],
  description: Sentence,
  options?: Options,
) => {
  const kind: Kind<Choice> = {
    value: 'WORD',
    json: 'string',
    choices,
    read: (raw, _, value) => {
      const match = choices.find((each) => each === value);
      return match === undefined ? refuseChoice(raw, choices) : accept(match);
    },
  };
  return entry(kind, description, options);
};

interface Length {
  /** Examples for the problem with something else. */
  such: string;
  least?: string;
  /** Ends the problem with a shorter one. */
  why?: string;
}

/** A length of time, in milliseconds. */
export const duration = <const Options extends EntryOptions & Length>(description: Sentence, options: Options) => {
  const { such, least, why = '', ...rest }: EntryOptions & Length = options;
  const kind: Kind<number> = {
    value: 'DURATION',
    json: 'string',
    read: async (raw) => {
      const { readDuration } = await import('../../time/duration.ts');
      const length = readDuration(raw);
      if (length === undefined) return refuse(words`${self} must be a duration such as ${such}, not "${raw}"`);
      if (least === undefined || length >= readDuration(least)!) return accept(length);
      return refuse(words`${self} must be at least ${least}, not "${raw}"${why}`);
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
type Moving = (now: number) => number;

const readMoving = async (raw: string, how: How, { edge, in: side, isLive }: Edge): Promise<Read<Moving>> => {
  const { readTime } = await import('../../time/read.ts');
  const { timestampOf } = await import('../../time/wall.ts');
  const { zone } = how.settings;
  const now = await how.now();
  const at = (time: number) => {
    const reading = readTime(raw, { zone, now: time, ...(edge === undefined ? {} : { edge }) });
    return reading.ok ? timestampOf(reading.instant)! : reading.problem;
  };
  const first = at(now);
  if (typeof first !== 'number') return refuse(words`${self}: ${first}`);
  const isThere = side === undefined || (side === 'past' ? first <= now : first > now);
  if (!isThere) return refuse(words`${self} must be in the ${side}, not "${raw}"`);
  return accept((time) => {
    const later = isLive || raw.startsWith('+') ? at(time) : first;
    return typeof later === 'number' ? later : first;
  });
};

/** What all kinds of times have in common. */
export const momentFacts = { value: 'TIME', json: 'string', isProse: true, isMoment: true } as const;

/** A moment that is asked for again and again. */
export const moving = <const Options extends EntryOptions & Edge>(description: Sentence, options: Options) => {
  const { edge, in: side, isLive, ...rest }: EntryOptions & Edge = options;
  const place = present({ edge, in: side, isLive });
  const kind: Kind<Moving> = { ...momentFacts, read: (raw, how) => readMoving(raw, how, place) };
  return entry(kind, description, rest as Options);
};

/** A moment, in milliseconds since 1970. */
export const moment = <const Options extends EntryOptions & Omit<Edge, 'isLive'>>(
  description: Sentence,
  options: Options,
) => {
  const { edge, in: side, ...rest }: EntryOptions & Edge = options;
  const place = present({ edge, in: side });
  const read: Kind<number>['read'] = async (raw, how) => {
    const reading = await readMoving(raw, how, place);
    return 'value' in reading ? accept(reading.value(await how.now())) : (reading as Read<never>);
  };
  return entry({ ...momentFacts, read }, description, rest as Options);
};

/** An age, as the time that lies so long before another one. */
const ageKind: Kind<(at: number) => number> = {
  value: 'AGE',
  json: 'string',
  read: async (given) => {
    const { timeBefore } = await import('../../time/duration.ts');
    if (timeBefore(given, 0) !== undefined) return accept((at) => timeBefore(given, at)!);
    const problem = words`${self} must be an age such as 90d, 8w, 24mo or 2y, not "${given}"`;
    return refuse(problem, /^[1-9]\d*m$/.test(given) ? `${given}o` : undefined);
  },
};

export const age = <const Options extends EntryOptions = object>(description: Sentence, options?: Options) =>
  entry(ageKind, description, options);

/** A time zone by its IANA name. */
export const zoneKind: Kind<string> = {
  value: 'ZONE',
  json: 'string',
  offers: 'zones',
  preset: ({ settings }) => settings.zone,
  read: async (raw) => {
    const { readZone } = await import('../../time/zone.ts');
    const reading = readZone(raw);
    if (reading.ok) return accept(reading.zone);
    // A write must not be suggested with a guess among several zones.
    const [candidate, ...others] = reading.candidates;
    return refuse(words`${self}: ${reading.problem}`, others.length === 0 ? candidate : undefined);
  },
};

export const zone = <const Options extends EntryOptions = object>(description: Sentence, options?: Options) =>
  entry(zoneKind, description, options);
