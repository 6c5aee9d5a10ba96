import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { HandlerContext } from '../handler.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, InviteeRecord, SubmissionRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { nextActivityId, writeActivity } from './activity.ts';
import { addNotice } from './notices.ts';

/** Assumed (compliance.delay): the service deletes the data 7 days after it accepted the request. */
const deletionDelayMilliseconds = 7 * day;

const gone = 'Deleted';

/**
 * The invitee without personal data: only the fact and the time of the booking remain.
 * Assumed (compliance.deleted-invitee): a deleted invitee stays listed, is named "Deleted invitee", has an address at
 * `deleted.invalid`, and has no time zone, phone number, tracking or answers.
 */
const anonymous = (invitee: InviteeRecord, updated_at: string): InviteeRecord => ({
  ...invitee,
  email: `deleted-${idIn(invitee.uri).toLowerCase()}@deleted.invalid`,
  first_name: gone,
  last_name: 'invitee',
  name: 'Deleted invitee',
  timezone: null,
  text_reminder_number: null,
  tracking: Object.fromEntries(Object.keys(invitee.tracking).map((name) => [name, null])) as InviteeRecord['tracking'],
  payment: invitee.payment && { ...invitee.payment, external_id: gone.toLowerCase() },
  reconfirmation: null,
  questions_and_answers: [],
  updated_at,
});

/** Removes the location if the invitee entered it: a phone number or an address. */
const withoutInviteesWords = (event: EventRecord): EventRecord =>
  event.location?.type === 'outbound_call' || event.location?.type === 'ask_invitee'
    ? { ...event, location: { ...event.location, location: null } }
    : event;

/** SQLite ignores case for ASCII letters only, so rows with other characters are all read and filtered by `isAmong`. */
const beyondAscii = "GLOB '*[^ -~]*'";

/** Whether an address is in a JSON array of lower-case addresses. */
const isAmong = (emails: string): ((address: string) => boolean) => {
  const addresses = new Set<string>(JSON.parse(emails));
  return (address) => addresses.has(address.toLowerCase());
};

/** `emails`, here and below, is a JSON array of the requested addresses in lower case. */
const deleteInvitees = (store: Store, emails: string, at: string): number => {
  const isWanted = isAmong(emails);
  const invitees = store
    .all<{ id: string; doc: string; event: string; event_doc: string; email: string }>(
      `SELECT i.id, i.doc, i.event, i.email, e.doc AS event_doc FROM invitees i JOIN events e ON e.id = i.event
       WHERE i.email IN (SELECT value FROM json_each(?)) OR i.email ${beyondAscii}`,
      emails,
    )
    .filter(({ email }) => isWanted(email));
  for (const { id, doc, event, event_doc } of invitees) {
    store.update('invitees', id, anonymous(JSON.parse(doc), at));
    store.update('events', event, withoutInviteesWords(JSON.parse(event_doc)));
    store.run('DELETE FROM deliveries WHERE subject = ?', JSON.parse(doc).uri);
    store.run('DELETE FROM notices WHERE about = ?', JSON.parse(doc).uri);
    store.run('UPDATE invitee_cancellations SET reason = NULL WHERE invitee = ?', id);
  }
  return invitees.length;
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
    const questions_and_answers = submission.questions_and_answers.map((each) => ({ ...each, answer: gone }));
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
  });
};

/** Carries out all deletions that are due, for those who see the data without a request to the service. */
export const finishDeletions = (store: Store, now: number) => {
  while (isDeletionDue(store, now)) carryOutDeletions(store, now);
};
