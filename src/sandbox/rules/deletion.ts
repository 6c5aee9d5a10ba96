import type { Json } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { HandlerContext } from '../handler.ts';
import { rewrite, type SqlValue } from '../store/database.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, InviteeRecord, SubmissionRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { nextActivityId, writeActivity } from './activity.ts';
import {
  anyOf,
  type Change,
  gone,
  isUnclean,
  mapTexts,
  membersIn,
  namesOf,
  noteClean,
  noteUnclean,
  withoutAddresses,
  withoutInviteesWords,
} from './forgotten-texts.ts';
import { addNotice } from './notices.ts';

/** Assumed (compliance.delay): the service deletes the data 7 days after it accepted the request. */
const deletionDelayMilliseconds = 7 * day;

const deleted = 'Deleted';

/**
 * The invitee without personal data: only the fact and the time of the booking remain.
 * Assumed (compliance.deleted-invitee): a deleted invitee stays listed, is named "Deleted invitee", has an address at
 * `deleted.invalid`, and has no time zone, phone number, tracking or answers.
 */
const anonymous = (invitee: InviteeRecord, updated_at: string): InviteeRecord => ({
  ...invitee,
  email: `deleted-${idIn(invitee.uri).toLowerCase()}@deleted.invalid`,
  first_name: deleted,
  last_name: 'invitee',
  name: 'Deleted invitee',
  timezone: null,
  text_reminder_number: null,
  tracking: Object.fromEntries(Object.keys(invitee.tracking).map((name) => [name, null])) as InviteeRecord['tracking'],
  payment: invitee.payment && { ...invitee.payment, external_id: gone },
  reconfirmation: null,
  questions_and_answers: [],
  updated_at,
});

/** SQLite ignores case for ASCII letters only, so rows with other characters are all read and filtered by `isAmong`. */
const beyondAscii = "GLOB '*[^ -~]*'";

/** Whether an address is in a JSON array of lower-case addresses. */
const isAmong = (emails: string): ((address: string) => boolean) => {
  const addresses = new Set<string>(JSON.parse(emails));
  return (address) => addresses.has(address.toLowerCase());
};

/** A column with texts that people write, or JSON with such texts. */
interface Texts {
  table: string;
  key: string;
  column: string;
  /** SQL: whether a row is about the event with the ID `?`, or an invitee of it. Undefined if rows are about no event. */
  isAbout?: string;
  /** Fields that an invitee's name may be in by chance: the names of hosts are those of members. */
  kept?: string;
}

const startsWithEvent = (column: string) =>
  `substr(${column}, 1, length('/scheduled_events/' || ?1)) = '/scheduled_events/' || ?1`;

/** Where words of a deleted person can be that somebody else wrote, or that were sent. */
const texts: readonly Texts[] = [
  { table: 'events', key: 'id', column: 'doc', isAbout: 'id = ?1', kept: 'event_memberships' },
  { table: 'invitees', key: 'id', column: 'doc', isAbout: 'event = ?1' },
  { table: 'cancellations', key: 'event', column: 'reason', isAbout: 'event = ?1' },
  {
    table: 'invitee_cancellations',
    key: 'invitee',
    column: 'reason',
    isAbout: 'invitee IN (SELECT id FROM invitees WHERE event = ?1)',
  },
  { table: 'notices', key: 'number', column: 'subject', isAbout: startsWithEvent('about') },
  { table: 'notices', key: 'number', column: 'details', isAbout: startsWithEvent('about') },
  { table: 'deliveries', key: 'number', column: 'body', isAbout: startsWithEvent('subject') },
  {
    table: 'activity',
    key: 'id',
    column: 'doc',
    isAbout: "instr(doc, '/scheduled_events/' || ?1) > 0",
    kept: 'actor',
  },
  ...['submissions', 'event_types', 'routing_forms', 'groups', 'organizations', 'schedules', 'shares'].map((table) => ({
    table,
    key: 'id',
    column: 'doc',
  })),
];

/** Changes the texts of rows, by default of all. */
const changeTexts = (
  store: Store,
  { table, key, column }: Texts,
  change: Change,
  where = '1',
  ...values: SqlValue[]
) => {
  const sql = `SELECT ${key} AS key, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL AND ${where}`;
  for (const row of store.all<{ key: SqlValue; text: string }>(sql, ...values)) {
    const changed = change(row.text);
    if (changed !== row.text) store.run(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, changed, row.key);
  }
};

/** The link of a record. Its path may be somebody's name. */
const isLink = /^(https?:\/\/[^\s/]+)?\/\w+\/\S*$/;

/** Removes words of a person from what else is stored about the same event. */
const removeWords = (store: Store, { uri: about, name }: EventRecord, words: readonly unknown[]) => {
  const found = anyOf(words);
  const change: Change = (text) => (isLink.test(text) ? text : text.replace(found, gone));
  const changeJson =
    (kept: string | undefined): Change =>
    (text) => {
      const doc = JSON.parse(text) as Json;
      const changed = mapTexts(doc, (field) => field, change) as Json;
      return JSON.stringify(kept === undefined ? changed : { ...changed, [kept]: doc[kept] });
    };
  // The activity log has nothing else of an event that somebody typed, and is long.
  const isLogged = name.search(found) >= 0;
  for (const each of texts) {
    if (each.isAbout === undefined || (each.table === 'activity' && !isLogged)) continue;
    const isText = each.column === 'subject' || each.column === 'reason';
    changeTexts(store, each, isText ? change : changeJson(each.kept), each.isAbout, idIn(about));
  }
};

/** `emails`, here and below, is a JSON array of the requested addresses in lower case. */
const deleteInvitees = (store: Store, emails: string, at: string): number => {
  const isWanted = isAmong(emails);
  const invitees = store
    .all<{ id: string; doc: string; event: string; email: string }>(
      `SELECT id, doc, event, email FROM invitees
       WHERE email IN (SELECT value FROM json_each(?)) OR email ${beyondAscii}`,
      emails,
    )
    .filter(({ email }) => isWanted(email));
  for (const { id, doc, event: eventId } of invitees) {
    const invitee: InviteeRecord = JSON.parse(doc);
    const event = store.get<EventRecord>('events', eventId)!;
    const { reason } =
      store.first<{ reason: string | null }>('SELECT reason FROM invitee_cancellations WHERE invitee = ?', id) ?? {};
    store.update('invitees', id, anonymous(invitee, at));
    store.update('events', eventId, withoutInviteesWords(event));
    store.run('DELETE FROM deliveries WHERE subject = ?', invitee.uri);
    store.run('DELETE FROM notices WHERE about = ?', invitee.uri);
    store.run('UPDATE invitee_cancellations SET reason = NULL WHERE invitee = ?', id);
    const place = withoutInviteesWords(event) === event ? null : event.location?.location;
    removeWords(store, event, [...namesOf(invitee), invitee.text_reminder_number, place, reason]);
  }
  return invitees.length;
};

/** Removes the addresses from all texts. Members are no invitees: their own addresses stay. */
const removeAddresses = (store: Store, deletions: readonly Deletion[]) => {
  const members = membersIn(store);
  const addresses = new Set<string>(deletions.flatMap(({ emails }) => JSON.parse(emails)));
  const isGone = (address: string) => addresses.has(address.toLowerCase()) && !members.has(address.toLowerCase());
  for (const each of texts) changeTexts(store, each, withoutAddresses(isGone));
};

/**
 * Assumed (compliance.submissions): a routing form submission with one of the addresses among its answers belongs to
 * that person, so all its answers are deleted.
 */
const deleteSubmissions = (store: Store, emails: string, at: string) => {
  const isWanted = isAmong(emails);
  const submissions = store.all<{ id: string; doc: string }>(
    `SELECT s.id, s.doc FROM submissions s
     WHERE EXISTS (SELECT 1 FROM json_each(s.doc, '$.questions_and_answers') a
       WHERE (a.value ->> 'answer') COLLATE NOCASE IN (SELECT value FROM json_each(?))
         OR (a.value ->> 'answer') ${beyondAscii})`,
    emails,
  );
  for (const { id, doc } of submissions) {
    const submission: SubmissionRecord = JSON.parse(doc);
    if (!submission.questions_and_answers.some(({ answer }) => isWanted(String(answer)))) continue;
    const questions_and_answers = submission.questions_and_answers.map((each) => ({ ...each, answer: deleted }));
    store.run('DELETE FROM deliveries WHERE subject = ?', submission.uri);
    store.update('submissions', id, { ...submission, questions_and_answers, tracking: {}, updated_at: at });
  }
};

export const requestDeletion = ({ store, caller, now }: HandlerContext, emails: readonly string[]) => {
  const { organization, user: requested_by } = caller;
  const due_at = timestamp(now + deletionDelayMilliseconds);
  store.add('deletions', { organization, emails: JSON.stringify(emails), due_at, requested_by });
};

interface Deletion {
  id: number;
  organization: string;
  emails: string;
  due_at: string;
  requested_by: string | null;
}

const carryOut = (store: Store, { id, organization, emails, due_at, requested_by }: Deletion) => {
  const invitees = deleteInvitees(store, emails, due_at);
  deleteSubmissions(store, emails, due_at);
  // Those about the invitees are gone already.
  store.run('DELETE FROM notices WHERE "to" IN (SELECT value FROM json_each(?))', emails);
  // The deletion request contains the addresses too.
  store.run('DELETE FROM deletions WHERE id = ?', id);
  const actor = { type: 'System', display_name: 'Data deletion', alternative_identifier: 'data-deletion' };
  const at = Date.parse(due_at);
  const entry = nextActivityId(store);
  writeActivity(store, entry, organization, { name: 'InviteeData.Delete', actor, details: { invitees }, at });
  if (requested_by === null) return;
  const { email: to } = store.get<UserRecord>('users', requested_by)!;
  const about = uri('activity_log_entries', entry);
  const subject = 'The invitee data that you asked to delete is deleted';
  addNotice(store, at, { kind: 'data.deleted', to, about, subject, details: { invitees } });
};

const doneFact = 'deletions_done';

/** How many deletions were carried out. */
export const deletionsDone = (store: Store): number => store.recall(doneFact, () => Number(store.fact(doneFact) ?? 0));

/** How many deletions one request carries out, so that no request waits for thousands. Later requests do the rest. */
const maxPerRequest = 20;

export const isDeletionDue = (store: Store, now: number): boolean => {
  const { at } = store.recall(
    'first deletion',
    () => store.first<{ at: string | null }>('SELECT min(due_at) AS at FROM deletions')!,
  );
  return at !== null && at <= timestamp(now);
};

/** Carries out deletions that have come due since the last request. */
export const carryOutDeletions = (store: Store, now: number) => {
  store.transaction(() => {
    // Read inside the transaction: another process may have carried them out already.
    const due = store.all<Deletion>(
      'SELECT * FROM deletions WHERE due_at <= ? ORDER BY due_at, id LIMIT ?',
      timestamp(now),
      maxPerRequest,
    );
    for (const deletion of due) carryOut(store, deletion);
    if (due.length === 0) return;
    removeAddresses(store, due);
    store.setFact(doneFact, deletionsDone(store) + due.length);
    noteUnclean(store);
  });
};

/** Removes what is left of deleted people from the file. If another process reads it as it was, the next request does. */
export const cleanFile = (store: Store) => {
  if (isUnclean(store) && rewrite(store)) noteClean(store);
};

/** Carries out all deletions that are due, for those who see the data without a request to the service. */
export const finishDeletions = (store: Store, now: number) => {
  while (isDeletionDue(store, now)) carryOutDeletions(store, now);
  cleanFile(store);
};
