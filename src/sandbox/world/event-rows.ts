import { day } from '../../base/milliseconds.ts';
import { timestamp, uri } from '../store/names.ts';
import {
  type InviteeRecord,
  type LocationRecord,
  newEvent,
  newInvitee,
  type RoutingFormRecord,
  type SubmissionRecord,
} from '../store/records.ts';
import {
  type Draft,
  Names,
  type Path,
  type WorldEventType,
  type WorldRecords,
  type WorldUser,
  withFields,
} from './draft.ts';
import type { EventEntry, FormEntry, InviteeEntry, SubmissionEntry } from './schema.ts';

/** Invitees by ID, for those that refer to each other. */
export type Invitees = Names<InviteeRecord>;

const readAnswers = <Question extends { name: string }, Answer>(
  draft: Draft,
  questions: readonly Question[],
  answers: Readonly<Record<string, string>> | undefined,
  path: Path,
  answerTo: (question: Question, answer: string) => Answer,
): Answer[] => {
  const names = new Names<Question>('question');
  for (const question of questions) names.add(question, question.name);
  return Object.entries(answers ?? {}).flatMap(([name, answer]) => {
    const question = draft.find(names, name, [...path, 'answers', name]);
    return question ? [answerTo(question, answer)] : [];
  });
};

const inviteeOf = (
  draft: Draft,
  { users }: WorldRecords,
  { id: event, event: { created_at, updated_at, status }, type, hosts }: ReturnType<typeof eventOf>,
  entry: InviteeEntry,
  { number, eventNumber, path }: { number: number; eventNumber: number; path: Path },
) => {
  const id = draft.id(entry, `invitee/${number}`, path);
  const [first, ...rest] = entry.name.split(' ');
  const { name, email, tracking, no_show, invitee_scheduled_by: by, old_invitee: _, new_invitee, ...fields } = entry;
  const timezone = hosts[0]?.record.timezone ?? 'UTC';
  const person = { first_name: first!, last_name: rest.join(' ') || null, name, email, timezone };
  const times = draft.times(entry, Date.parse(created_at), path);
  const now = Date.parse(times.created_at);
  const invitee = newInvitee({ id, event, person, tracking: tracking as never, now });
  invitee.rescheduled = new_invitee !== undefined;
  invitee.questions_and_answers = readAnswers(
    draft,
    type.type.custom_questions,
    entry.answers,
    path,
    ({ name: question, position }, answer) => ({ question, answer, position }),
  );
  // Whoever was still invited to an event that was canceled was canceled with it.
  if (status === 'canceled') Object.assign(invitee, { status, updated_at });
  if (entry.updated !== undefined) invitee.updated_at = times.updated_at;
  withFields(invitee, fields);
  if (by !== undefined)
    invitee.invitee_scheduled_by = draft.find(users, by, [...path, 'invitee_scheduled_by'])?.record.uri ?? null;
  if (no_show) {
    const marked = draft.times(no_show, Date.parse(invitee.updated_at), [...path, 'no_show']).created_at;
    const noShow = draft.id(no_show, `no-show/${eventNumber}`, [...path, 'no_show']);
    invitee.no_show = { uri: uri('invitee_no_shows', noShow), created_at: marked };
    if (entry.updated === undefined) invitee.updated_at = marked;
  }
  return { id, invitee };
};

/** The type is checked before: without it, nothing about the event can be derived. */
const eventOf = (draft: Draft, records: WorldRecords, entry: EventEntry, type: WorldEventType, index: number) => {
  const path = ['events', index];
  const id = draft.id(entry, `event/${index + 1}`, path);
  const usual = type.type.pooling_type === 'collective' ? type.hosts : type.hosts.slice(0, 1);
  const named = entry.hosts?.flatMap((name, place) => draft.find(records.users, name, [...path, 'hosts', place]) ?? []);
  const hosts: WorldUser[] = named ?? usual;
  const zone = hosts[0]?.record.timezone;
  const start = draft.time(entry.start, draft.now, [...path, 'start'], zone ?? 'UTC');
  const { created_at, updated_at } = draft.times(entry, Math.min(start, draft.now) - day, path);
  const { location, ...fields } = entry;
  const place = location === undefined ? type.places[0] : (location ?? undefined);
  const event = newEvent({
    id,
    type: type.type,
    hosts: hosts.map(({ record }) => record),
    start,
    limit: entry.seats ?? type.seats,
    place: place && ({ kind: place.kind, location: place.location ?? undefined } as LocationRecord),
    now: Date.parse(created_at),
  });
  event.updated_at = updated_at;
  if (entry.end !== undefined) {
    event.end_time = timestamp(draft.time(entry.end, draft.now, [...path, 'end'], zone ?? 'UTC'));
    if (event.end_time <= event.start_time) draft.refuse([...path, 'end'], 'must be after start');
  }
  if (location && event.location) withFields(event.location, location);
  const notes = entry.meeting_notes_plain;
  if (notes) event.meeting_notes_html = `<p>${notes.replace('\n', '</p><p>')}</p>`;
  withFields(event, fields);
  return { id, event, type, hosts };
};

/** Adds the events with their invitees. Returns the invitees, for the submissions they belong to. */
export const eventRows = (draft: Draft, records: WorldRecords, entries: readonly EventEntry[]): Invitees => {
  const invitees: Invitees = new Names('invitee');
  const links: Array<() => void> = [];
  let number = 0;
  for (const [index, entry] of entries.entries()) {
    const path = ['events', index];
    const type = draft.find(records.types, entry.type, [...path, 'type']);
    if (!type) continue;
    const booked = eventOf(draft, records, entry, type, index);
    const { id, event, hosts } = booked;
    draft.add('events', entry, { id, organization: records.organization.id, event_type: type.id }, event);
    for (const host of hosts)
      draft.add('event_hosts', entry, { user: host.id, start_time: event.start_time, event: id });
    if (entry.canceled) {
      const { by, reason = null, at } = entry.canceled;
      const user = by === undefined ? hosts[0] : draft.find(records.users, by, [...path, 'canceled', 'by']);
      const created_at = timestamp(draft.time(at, Date.parse(event.updated_at), [...path, 'canceled', 'at']));
      event.status = 'canceled';
      if (entry.updated === undefined) event.updated_at = created_at;
      draft.add('cancellations', entry.canceled, { event: id, canceled_by: user?.id ?? '', reason, created_at });
    }
    for (const [seat, guest] of (entry.invitees ?? []).entries()) {
      const place = [...path, 'invitees', seat];
      const at = { number: ++number, eventNumber: index + 1, path: place };
      const { id: guestId, invitee } = inviteeOf(draft, records, booked, guest, at);
      event.invitees_counter.total += 1;
      if (invitee.status === 'active') event.invitees_counter.active += 1;
      draft.add('invitees', guest, { id: guestId, event: id }, invitee);
      invitees.add(invitee, guestId);
      for (const link of ['old_invitee', 'new_invitee'] as const)
        if (guest[link] !== undefined)
          links.push(() => {
            invitee[link] = draft.find(invitees, guest[link]!, [...place, link])?.uri ?? null;
          });
    }
    const { total, limit } = event.invitees_counter;
    if (total > limit && event.invitees_counter.active > limit)
      draft.refuse(
        [...path, 'invitees'],
        `has ${total} invitees, but the event has ${limit === 1 ? 'one seat' : `${limit} seats`}`,
      );
  }
  for (const link of links) link();
  return invitees;
};

const resultOf = (draft: Draft, { types }: WorldRecords, result: SubmissionEntry['result'], path: Path) => {
  const [[type, value] = [], ...others] = Object.entries(result ?? {}).filter(([, each]) => each !== undefined);
  if (result && (type === undefined || others.length > 0))
    draft.refuse(path, 'must have one of event_type, external_url and custom_message');
  if (type === undefined || value === undefined) return null;
  if (type !== 'event_type') return { type, value } as NonNullable<SubmissionRecord['result']>;
  const target = draft.find(types, value, [...path, 'event_type']);
  return target ? { type: 'event_type' as const, value: target.type.uri } : null;
};

/** Adds the routing forms with their submissions. */
export const formRows = (draft: Draft, records: WorldRecords, forms: Record<string, FormEntry>, invitees: Invitees) => {
  const { record: organization, id: organizationId } = records.organization;
  for (const [name, entry] of Object.entries(forms)) {
    const path = ['forms', name];
    const id = draft.id(entry, `routing-form/${name}`, path);
    const form: RoutingFormRecord = {
      uri: uri('routing_forms', id),
      organization: organization.uri,
      name,
      status: entry.status ?? 'published',
      questions: entry.questions.map((question, index) => ({
        uuid: draft.id(question, `question/${name}/${index}`, [...path, 'questions', index], 'uuid'),
        name: question.name,
        type: question.type ?? (question.answer_choices ? 'select' : 'text'),
        required: question.required ?? false,
        answer_choices: question.answer_choices ?? null,
      })),
      ...draft.times(entry, Date.parse(organization.created_at), path),
    };
    draft.add('routing_forms', entry, { id, organization: organizationId }, form);
    for (const [index, sent] of (entry.submissions ?? []).entries()) {
      const place = [...path, 'submissions', index];
      const own = draft.id(sent, `submission/${name}/${index + 1}`, place);
      const submitter = sent.submitter && draft.find(invitees, sent.submitter, [...place, 'submitter'])?.uri;
      const submission: SubmissionRecord = {
        uri: uri('routing_form_submissions', own),
        routing_form: form.uri,
        questions_and_answers:
          sent.questions_and_answers ??
          readAnswers(draft, form.questions, sent.answers, place, (question, answer) => ({
            question_uuid: question.uuid,
            question: question.name,
            answer,
          })),
        tracking: sent.tracking ?? {},
        result: resultOf(draft, records, sent.result, [...place, 'result']),
        submitter: submitter ?? null,
        submitter_type: submitter ? 'Invitee' : null,
        ...draft.times(sent, draft.now, place),
      };
      draft.add('submissions', sent, { id: own, form: id }, submission);
    }
  }
};
