import { createHmac } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { isObject, type Json, jsonText, parseJson } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import {
  anyOf,
  gone,
  harmless,
  mapTexts,
  membersIn,
  namesOf,
  noteClean,
  noteUnclean,
  withoutAddresses,
  withoutInviteesWords,
} from '../rules/forgotten-texts.ts';
import { rewrite, sideFiles } from '../store/database.ts';
import { syncToDisk } from '../store/snapshots.ts';
import type { Store } from '../store/store.ts';
import type { MirrorFacts } from './open.ts';

/*
 * People whose data was deleted at the service disappear from a mirror too, and don't come back with the next sync: the
 * service deletes days later. Their marks are keyed hashes, which are no addresses.
 */

/** The people who are forgotten. Machines that share state have a key of their own. */
export interface Marks {
  keys: readonly string[];
  macs: ReadonlySet<string>;
}

/** The mark of an address. It counts for an organization, by its ID: others may know the same person. Without, for all. */
export const markOf = (key: string, organization: string, address: string): string =>
  createHmac('sha256', key).update(`${organization}\n${address.trim().toLowerCase()}`).digest('base64url');

/** As the sandbox shows a deleted invitee, without the fields that may be about a person. */
const anonymous = (invitee: Json): Json => {
  const places: Json = {
    email: `deleted-${idIn(invitee.uri).toLowerCase()}@deleted.invalid`,
    first_name: 'Deleted',
    last_name: 'invitee',
    name: 'Deleted invitee',
    tracking: {},
    questions_and_answers: [],
    // Whether somebody came is no word about who.
    no_show: isObject(invitee.no_show)
      ? { uri: invitee.no_show.uri ?? null, created_at: invitee.no_show.created_at ?? null }
      : null,
  };
  const known = new Set([...harmless, ...Object.keys(places)]);
  const kept = Object.keys(invitee).filter((name) => known.has(name));
  return Object.fromEntries(kept.map((name) => [name, harmless.has(name) ? invitee[name] : places[name]]));
};

export interface Forgetter {
  /** A record without the addresses of people who are forgotten. */
  clean(record: Json): Json;
  /** The invitees of an event without them, and the event without their names. */
  cleanList(invitees: readonly Json[], event: Json | undefined): { invitees: Json[]; event: Json | undefined };
}

export const forgetter = (store: Store, { organization, root }: MirrorFacts, { keys, macs }: Marks): Forgetter => {
  const members = membersIn(store);
  const known = new Map<string, boolean>();
  const isForgotten = (address: string): boolean => {
    const places = [idIn(organization), ''];
    const isMarked = (key: string) => places.some((place) => macs.has(markOf(key, place, address)));
    const found = known.get(address) ?? keys.some(isMarked);
    known.set(address, found);
    return found;
  };
  const cleanText = withoutAddresses((address) => isForgotten(address) && !members.has(address.toLowerCase()));
  const isDeleted = ({ email }: Json): boolean => typeof email === 'string' && isForgotten(email);
  if (macs.size === 0)
    return { clean: (record) => record, cleanList: (invitees, event) => ({ invitees: [...invitees], event }) };
  return {
    clean: (record) => {
      const cleaned = mapTexts(record, cleanText) as Json;
      const { questions_and_answers: answers } = record;
      // All answers of a form are those of one person.
      if (!Array.isArray(answers) || jsonText(answers) === jsonText(cleaned.questions_and_answers)) return cleaned;
      return { ...cleaned, questions_and_answers: answers.map((each) => ({ ...each, answer: gone })), tracking: {} };
    },
    cleanList: (invitees, event) => {
      const people = invitees.filter(isDeleted);
      const names = anyOf(people.flatMap(namesOf));
      const withoutNames = (text: string) => {
        const cleaned = cleanText(text);
        return text.startsWith(`${root}/`) ? cleaned : cleaned.replace(names, gone);
      };
      const cleaned = (record: Json) => mapTexts(record, cleanText, withoutNames) as Json;
      return {
        invitees: invitees.map((each) => (isDeleted(each) ? anonymous(each) : cleaned(each))),
        event: people.length === 0 || event === undefined ? event : withoutInviteesWords(cleaned(event)),
      };
    },
  };
};

/** Tables whose records may have an address in some text. Those of users have only members. */
const tables = [
  ...['submissions', 'activity', 'invitations', 'event_types', 'routing_forms', 'groups', 'organizations'],
  ...['schedules', 'events'],
];

interface Row {
  id: string;
  doc: string;
}

/**
 * Forgets the people whose marks the mirror doesn't have yet, in one transaction. Until `wipe`, their bytes may be left in
 * the file, and the fact `unclean` says so.
 */
export const forget = (store: Store, facts: MirrorFacts, { keys, macs }: Marks): void => {
  const had = new Set(store.all<{ mac: string }>('SELECT mac FROM mirror_forgotten').map(({ mac }) => mac));
  const fresh = [...macs].filter((mac) => !had.has(mac));
  if (fresh.length === 0) return;
  store.transaction(() => {
    const { clean, cleanList } = forgetter(store, facts, { keys, macs: new Set(fresh) });
    const put = (table: string, { id, doc }: Row, record: Json | undefined) => {
      const text = jsonText(record);
      if (text !== doc) store.run(`UPDATE ${table} SET doc = ? WHERE id = ?`, text, id);
    };
    const parsed = ({ doc }: Row) => parseJson(doc) as Json;
    for (const { event } of store.all<{ event: string }>('SELECT DISTINCT event FROM invitees')) {
      const rows = store.all<Row>('SELECT id, doc FROM invitees WHERE event = ?', event);
      const [own] = store.all<Row>('SELECT id, doc FROM events WHERE id = ?', event);
      const cleaned = cleanList(rows.map(parsed), own && parsed(own));
      for (const [index, row] of rows.entries()) put('invitees', row, cleaned.invitees[index]);
      if (own !== undefined) put('events', own, cleaned.event);
    }
    for (const table of tables)
      for (const row of store.all<Row>(`SELECT id, doc FROM ${table}`)) put(table, row, clean(parsed(row)));
    for (const row of store.all<Row & { kind: string }>('SELECT kind, id, doc FROM sent WHERE doc IS NOT NULL')) {
      const text = jsonText(clean(parsed(row)));
      if (text !== row.doc) store.run('UPDATE sent SET doc = ? WHERE kind = ? AND id = ?', text, row.kind, row.id);
    }
    for (const mac of fresh) store.run('INSERT INTO mirror_forgotten VALUES (?)', mac);
    // Also if nobody is found: after a power cut, the log may have a person whose transaction was lost.
    noteUnclean(store);
  });
};

/** The file of a mirror and those beside it, as far as they exist. */
export const filesOf = (file: string): string[] =>
  ['', ...sideFiles].map((suffix) => `${file}${suffix}`).filter((path) => existsSync(path));

/** The files with texts. Another one has numbers only, and Windows lets nobody read it while somebody writes to the mirror. */
const pagesOf = (file: string): string[] => filesOf(file).filter((path) => !path.endsWith('-shm'));

/**
 * Removes what is left of people who are forgotten from the file and its log. Returns false if another process reads the
 * mirror as it was before: then the next command tries again.
 */
export const wipe = (store: Store, file: string): boolean => {
  if (!rewrite(store)) return false;
  // A power cut could bring back a log that was cut off.
  for (const path of pagesOf(file)) syncToDisk(path);
  noteClean(store);
  return true;
};

const chunkBytes = 4 * 1024 * 1024;

const bytesOf = (text: string): string => Buffer.from(text.toLowerCase()).toString('latin1');

/** Whether a file of the mirror still has one of these texts, in any case, and not as a part of one of the `others`. */
export const stillHas = (file: string, texts: readonly string[], others: readonly string[] = []): boolean => {
  const wanted = texts.map(bytesOf);
  const longer = others.map(bytesOf);
  const isAlone = (bytes: string, at: number, text: string): boolean =>
    !longer.some((other) => other.includes(text) && bytes.startsWith(other, at - other.indexOf(text)));
  const overlap = Math.max(0, ...wanted.map(({ length }) => length), ...longer.map(({ length }) => length));
  const buffer = Buffer.alloc(chunkBytes);
  return pagesOf(file).some((path) => {
    const descriptor = openSync(path, 'r');
    try {
      for (let from = 0; ; from += chunkBytes - 2 * overlap) {
        const length = readSync(descriptor, buffer, 0, chunkBytes, from);
        const lower = buffer.toString('latin1', 0, length).replace(/[A-Z]+/g, (each) => each.toLowerCase());
        const isLast = length < chunkBytes;
        // What is near an end is seen whole in the part before or after.
        const [first, last] = [from === 0 ? 0 : overlap, isLast ? length : length - overlap];
        for (const text of wanted)
          for (let at = lower.indexOf(text, first); at >= 0 && at < last; at = lower.indexOf(text, at + 1))
            if (isAlone(lower, at, text)) return true;
        if (isLast) return false;
      }
    } finally {
      closeSync(descriptor);
    }
  });
};
