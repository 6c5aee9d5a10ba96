import { type Collection, collections } from '../../api/collections.ts';
import type { Field } from '../../api/field.ts';
import { type Inspection, inspect } from '../../api/inspect.ts';
import { day } from '../../base/milliseconds.ts';
import { self, type Words, words } from '../../base/words.ts';
import { readReference, waysToName } from '../../client/ids.ts';
import type { Reading } from '../../time/reading.ts';
import { accept, type How, type Kind, type Read, readValue, refuse } from './kind.ts';
import { momentFacts, refuseChoice, zoneKind } from './kinds.ts';

/*
 * The kinds of the fields of a request, from their schemas. A reference stays one until the service is asked, so that no
 * request is sent while another value has a problem.
 */

/** A value for a request: ready to send, or a reference that must be turned into a URI. */
export type Value = Ready | Reference;

interface Ready {
  ready: unknown;
  /** The zone in which a time without an offset was read. */
  zone?: string;
}

export interface Reference {
  id: string;
  collection: Collection;
  /** The root of a full URI. */
  root?: string | undefined;
  /** The given word if it isn't an ID for certain: `me`, an email address, a name. `id` is then empty. */
  name?: string | undefined;
}

const ready = (value: unknown) => accept<Value>({ ready: value });

/** A reference to a record. Its placeholder lists the ways to name one. */
export const referenceKind = (collection: Collection): Kind<Value> => {
  const { self: own } = collections[collection];
  const ways = waysToName(collection).map((way) => (way === own ? way : way.toUpperCase()));
  return {
    value: ways.join('|'),
    json: 'string',
    collection,
    ...(ways.includes('NAME') ? { isProse: true } : {}),
    ...(own === undefined ? {} : { suggestions: [own] }),
    read: (raw) => {
      const read = readReference(raw, collection);
      if (!read.ok) return refuse(words`${self} ${read.problem}`);
      return accept<Value>({ id: read.ids[0] ?? '', collection, root: read.root, name: read.name });
    },
  };
};

const choiceKind = (choices: readonly string[]): Kind<Value> => ({
  value: 'WORD',
  json: 'string',
  choices,
  read: (raw, _, value) => (choices.includes(raw) ? ready(value) : refuseChoice(raw, choices)),
});

/** The zone and the time to read a time with. A timestamp needs neither: it is the same moment everywhere. */
const timePlace = async (raw: string, { settings, now }: How) => {
  const { timestampOf } = await import('../../time/wall.ts');
  if (timestampOf(raw) !== undefined) return { zone: 'UTC', zoneSource: 'TZ', now: 0 } as const;
  const { zone, zoneSource } = settings;
  return { zone, zoneSource, now: await now() };
};

/** One end of a time window. */
const edgeKind = (edge: 'since' | 'until'): Kind<Value> => ({
  ...momentFacts,
  read: async (raw, how) => {
    const { readTime } = await import('../../time/read.ts');
    const reading = readTime(raw, { ...(await timePlace(raw, how)), edge });
    return reading.ok ? ready(reading.instant) : refuse(words`${self}: ${reading.problem}`);
  },
});

/** Reads a time in a file. Without an offset it is in the zone of `--tz`, else in the invitee's own. */
const readInFile = async (raw: string, how: How, theirs: string | undefined): Promise<Reading> => {
  const { readTime } = await import('../../time/read.ts');
  const { zone: ours, zoneSource } = how.settings;
  const zone = zoneSource === '--tz' ? ours : (theirs ?? ours);
  const now = await how.now();
  const reading = readTime(raw, { zone, now });
  if (!reading.ok || /^\d{4}-/.test(raw.trim())) return reading;
  // The same line must mean the same time when the file is run again, also in another year.
  const later = readTime(raw, { zone, now: now + 1000 * day });
  if (later.ok && later.instant === reading.instant) return reading;
  const { readingTexts } = await import('../../time/reading.ts');
  const [exact] = readingTexts(reading);
  return {
    ok: false,
    problem: `"${raw}" depends on the day it is read. In a file, write a date with a year: ${exact}`,
  };
};

/** A moment to send in a body. */
const momentKind: Kind<Value> = {
  ...momentFacts,
  read: async (raw, how) => {
    const { timezone } = how.given;
    const { readZone } = await import('../../time/zone.ts');
    // An invalid --timezone is reported separately, and must not hide problems with the time.
    const theirs = timezone === undefined ? undefined : readZone(String(timezone));
    const inviteeZone = theirs?.ok ? theirs.zone : undefined;
    const { readMutationTime } = await import('../../time/mutation.ts');
    const reading = how.isFile
      ? await readInFile(raw, how, inviteeZone)
      : readMutationTime(raw, { ...(await timePlace(raw, how)), inviteeZone, isTerminal: how.isTerminal });
    if (!reading.ok) return refuse(words`${self}: ${reading.problem}`);
    return accept<Value>({ ready: reading.instant, ...(reading.local ? { zone: reading.zone } : {}) });
  },
};

const zoneField: Kind<Value> = {
  ...zoneKind,
  read: async (raw, how): Promise<Read<Value>> => {
    const read = await readValue(zoneKind, raw, how);
    return 'value' in read ? ready(read.value) : (read as Read<never>);
  },
};

/** The problem of a value that its schema refuses. */
const refusedBy = async (message: string, raw: string): Promise<Words> => {
  if (raw !== '' && message.startsWith('must be ')) return words`${self} ${message}, not "${raw}"`;
  const { problemOf } = await import('../../api/wording.ts');
  const [before = '', after = ''] = problemOf('\0', message).split('\0');
  return words`${before}${self}${raw === '' ? '' : ` "${raw}"`}${after}`;
};

const fieldPlaceholder = ({ type, format, sortedBy }: Inspection): string => {
  if (sortedBy !== undefined) return 'FIELD[:desc]';
  if (type === 'number') return 'N';
  return format === 'email' ? 'EMAIL' : 'TEXT';
};

const plainKind = (field: Field, inspection: Inspection): Kind<Value> => {
  const { type, sortedBy } = inspection;
  const value = fieldPlaceholder(inspection);
  return {
    value,
    json: type === 'number' ? 'integer' : 'string',
    ...(value === 'TEXT' ? { isProse: true } : {}),
    ...(sortedBy === undefined ? {} : { suggestions: sortedBy.flatMap((by) => [`${by}:asc`, `${by}:desc`]) }),
    read: async (raw, _, value) => {
      const { plainErrors } = await import('../../api/wording.ts');
      const converted = type === 'number' && /^-?\d+$/.test(raw) ? Number(raw) : value;
      const { error } = field.safeParse(converted, plainErrors);
      return error === undefined ? ready(converted) : refuse(await refusedBy(error.issues[0]!.message, raw));
    },
  };
};

const switchKind: Kind<Value> = { json: 'boolean', read: (_, __, value) => ready(value) };

/** The kind of a field of a request. `edge` is the end of a time window, if it is one. */
export const fieldKind = (name: string, field: Field, edge: 'since' | 'until' | undefined): Kind<Value> => {
  const inspection = inspect(field);
  const { type, format, choices, collection } = inspection;
  if (type === 'boolean') return switchKind;
  if (collection !== undefined) return referenceKind(collection);
  if (choices !== undefined) return choiceKind(choices);
  if (format === 'datetime') return edge === undefined ? momentKind : edgeKind(edge);
  return name === 'timezone' ? zoneField : plainKind(field, inspection);
};
