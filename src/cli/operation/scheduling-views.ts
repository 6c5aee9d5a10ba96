import type { ResourceName } from '../../api/catalogue.ts';
import { isObject } from '../../base/json.ts';
import { openValue, valueAt } from '../../output/fields.ts';
import { answersText, answerTexts, questionColumns } from '../../output/question-columns.ts';
import type { Column, View } from '../../output/view.ts';
import { rulesText } from '../../time/availability-rules.ts';
import { eventColumns, eventName, spokenEvent } from './event-columns.ts';
import {
  createdLine,
  dayHeading,
  hosts,
  hoursFrom,
  hoursTexts,
  idColumn,
  idLine,
  ifTrue,
  invitees,
  markedName,
  momentValue,
  payment,
  place,
  prose,
  questions,
  reconfirmation,
  span,
  spanElsewhere,
} from './view-values.ts';

const inviteeColumns: View['columns'] = [
  { header: 'NAME', path: 'name', priority: 5 },
  { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
  { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
  { header: 'TIME ZONE', path: 'timezone', priority: 1 },
  { header: 'BOOKED', path: 'created_at', as: 'time', priority: 2 },
];

const submittedAnswers: readonly Column[] = [
  { header: 'SUBMITTED', path: 'created_at', as: 'time', priority: 4 },
  {
    header: 'ANSWERS',
    path: 'questions_and_answers.*.answer',
    value: openValue('questions_and_answers', 'answer'),
    as: 'list',
    priority: 3,
  },
];

/** How an event type is hosted, if not by one person for one invitee. */
const eventTypeKind = (type: object): unknown => {
  const [pooling, kind] = [valueAt(type, 'pooling_type'), valueAt(type, 'kind')];
  return [kind === 'solo' ? [] : (kind ?? []), pooling ?? []].flat();
};
const activeOrNot = ({ active }: { active?: unknown }): unknown => (active === false ? 'inactive' : active && 'active');
const ifInactive = (type: object): unknown => (valueAt(type, 'active') === false ? 'inactive' : undefined);

const inviteesTime = spanElsewhere('event.start_time', 'event.end_time', 'timezone');

/** The views of records about meetings. See `views.ts`. */
export const schedulingViews = {
  event: {
    columns: [
      { header: 'START', path: 'start_time', as: 'time', priority: 5 },
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'INVITEES', path: 'invitees_counter.active', as: 'count', priority: 2 },
      { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list', priority: 1 },
      idColumn,
    ],
    tableColumns: eventColumns,
    spoken: spokenEvent,
    section: dayHeading('start_time'),
    isOver: (event, now) => Date.parse(String(valueAt(event, 'end_time'))) <= now,
    page: {
      title: 'name',
      lines: [
        { label: 'When', value: span('start_time', 'end_time') },
        { label: 'Where', value: place('location') },
        { label: 'Join', value: 'location.join_url' },
        { label: 'Hosts', value: hosts('event_memberships') },
        { label: 'Invitees', value: invitees },
        { label: 'Status', value: 'status', as: 'status' },
        { label: 'Notes', value: prose('meeting_notes_plain', 'meeting_notes_html') },
        { label: 'Booked', value: momentValue('created_at') },
        idLine,
      ],
    },
  },
  invitee: {
    columns: [...inviteeColumns, idColumn, { header: 'ANSWERS', path: 'questions_and_answers', value: answersText }],
    tableColumns: (records) => [...inviteeColumns, ...questionColumns(records, 1.5), idColumn],
    page: {
      title: 'name',
      embedsEvent: true,
      lines: [
        { label: 'Email', value: 'email' },
        { label: 'Meeting', value: 'event.name', inAnswer: true },
        { label: 'When', value: span('event.start_time', 'event.end_time'), inAnswer: true },
        { label: "Invitee's time", value: inviteesTime },
        { label: 'Time zone', value: (record, time) => (inviteesTime(record, time) ? undefined : record.timezone) },
        { label: 'Where', value: place('event.location') },
        { label: 'Join', value: 'event.location.join_url' },
        { label: 'Hosts', value: hosts('event.event_memberships') },
        { label: 'Answers', value: answerTexts },
        { label: 'Status', value: 'status', as: 'status' },
        { label: 'No-show', value: momentValue('no_show.created_at') },
        { label: 'Rescheduled', value: ifTrue('rescheduled', 'yes') },
        { label: 'Rescheduled to', value: 'new_invitee', as: 'id' },
        { label: 'Rescheduled from', value: 'old_invitee', as: 'id' },
        { label: 'Payment', value: payment },
        { label: 'Reconfirmation', value: reconfirmation },
        { label: 'Reminders to', value: 'text_reminder_number' },
        { label: 'Booked', value: momentValue('created_at') },
        { label: 'Cancel', value: 'cancel_url' },
        { label: 'Reschedule', value: 'reschedule_url' },
        { label: 'Event ID', value: ({ event }) => (isObject(event) ? event.uri : event), as: 'id' },
        idLine,
      ],
    },
  },
  'event type': {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'LENGTH', path: 'duration', as: 'minutes', priority: 4 },
      { header: 'KIND', path: 'kind', priority: 3 },
      { header: 'POOLING', path: 'pooling_type', priority: 1 },
      { header: 'ACTIVE', path: 'active', as: 'boolean', priority: 2 },
      idColumn,
    ],
    tableColumns: (_, { isSpoken }) => [
      { header: 'NAME', path: 'name', ...(isSpoken ? {} : markedName(eventName)), priority: 5, least: 19 },
      { header: 'LENGTH', path: 'duration', as: 'minutes', priority: 4 },
      { header: 'KIND', path: 'kind', as: 'words', value: eventTypeKind, blank: true, priority: 2.9 },
      { header: 'OWNER', path: 'profile.name', varies: true, priority: 1 },
      { header: 'STATUS', path: 'active', as: 'status', value: ifInactive, blank: true, priority: 3.5 },
      idColumn,
    ],
    page: {
      title: 'name',
      mark: 'color',
      lines: [
        { label: 'Length', value: 'duration', as: 'minutes', inAnswer: true },
        { label: 'Where', value: '_sched.place' },
        { label: 'Hours', value: '_sched.hours' },
        { label: 'Next free', value: '_sched.next' },
        { label: 'Booking page', value: 'scheduling_url', inAnswer: true },
        { label: 'Owner', value: 'profile.name' },
        { label: 'Kind', value: eventTypeKind, as: 'words' },
        { label: 'Status', value: activeOrNot, as: 'status' },
        { label: 'Hidden', value: ifTrue('secret', "yes, not on the owner's scheduling page") },
        { label: 'Managed by', value: ifTrue('admin_managed', 'an administrator') },
        { label: 'Deleted', value: momentValue('deleted_at') },
        { label: 'Description', value: prose('description_plain', 'description_html') },
        { label: 'Internal note', value: prose('internal_note', '') },
        { label: 'Questions', value: questions },
        { label: 'Color', value: 'color' },
        { label: 'Language', value: 'locale' },
        createdLine,
        idLine,
      ],
    },
  },
  'event type host': {
    columns: [
      { header: 'NAME', path: 'member.name', value: openValue('member', 'name'), priority: 4 },
      { header: 'EMAIL', path: 'member.email', priority: 3, least: 32 },
      { header: 'USER', path: 'member.uri', as: 'id', priority: 2 },
      idColumn,
    ],
  },
  'availability schedule': {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'DEFAULT', path: 'default', as: 'boolean', priority: 1 },
      { header: 'TIME ZONE', path: 'timezone', priority: 2, shrink: false },
      { header: 'RULES', path: 'rules', value: rulesText, priority: 3, least: 32 },
      idColumn,
    ],
    tableColumns: (_, { now }) => [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'TIME ZONE', path: 'timezone', priority: 2, shrink: false },
      { header: 'HOURS', path: 'rules', as: 'lines', value: hoursFrom(now), priority: 3, least: 32 },
      { header: 'DEFAULT', path: 'default', as: 'boolean', varies: true, priority: 1 },
      idColumn,
    ],
    page: {
      title: 'name',
      lines: [
        { label: 'Time zone', value: 'timezone' },
        { label: 'Hours', value: hoursTexts },
        { label: 'Default', value: ifTrue('default', 'yes') },
        idLine,
      ],
    },
  },
  share: {
    columns: [
      {
        header: 'LINK',
        path: 'scheduling_links.0.booking_url',
        value: openValue('scheduling_links', 'booking_url'),
        shrink: false,
      },
    ],
    id: 'scheduling_links.0.booking_url',
    page: {
      title: 'share_override.name',
      lines: [
        { label: 'Booking page', value: openValue('scheduling_links', 'booking_url'), inAnswer: true },
        { label: 'Length', value: 'share_override.duration', as: 'minutes' },
        { label: 'Event type ID', value: 'scheduling_links.0.owner', as: 'id' },
      ],
    },
  },
  'scheduling link': {
    columns: [{ header: 'LINK', path: 'booking_url', shrink: false }],
    id: 'booking_url',
    page: {
      lines: [
        { label: 'Booking page', value: 'booking_url', inAnswer: true },
        { label: 'Event type ID', value: 'owner', as: 'id' },
      ],
    },
  },
  location: {
    columns: [
      { header: 'KIND', path: 'kind', priority: 2 },
      { header: 'CONNECTED', path: 'connected', as: 'boolean', priority: 1 },
    ],
    id: 'kind',
  },
  'routing form': {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'QUESTIONS', path: 'questions.*.name', value: openValue('questions', 'name'), as: 'list', priority: 1 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: 2 },
      idColumn,
    ],
    tableColumns: () => [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'QUESTIONS', path: 'questions.*.name', value: openValue('questions', 'name'), as: 'list', priority: 1 },
      { header: 'CREATED', path: 'created_at', as: 'date', priority: 2 },
      idColumn,
    ],
  },
  submission: {
    columns: [
      ...submittedAnswers,
      { header: 'RESULT', path: 'result.type', value: openValue('result', 'type'), priority: 2 },
      { header: 'FORM', path: 'routing_form', as: 'id', priority: 1 },
      idColumn,
    ],
    tableColumns: () => [
      ...submittedAnswers,
      { header: 'RESULT', path: 'result.type', value: openValue('result', 'type'), as: 'words', priority: 2 },
      { header: 'FORM', path: '_sched.form', blank: true, priority: 1 },
      idColumn,
    ],
    narrow: {
      title: (record, { showTime }) =>
        [showTime(String(record.created_at)), valueAt(record, '_sched.form') ?? []].flat().join(' · '),
      lines: [
        { label: 'Answers', value: answerTexts },
        { label: 'Result', value: openValue('result', 'type'), as: 'words' },
      ],
    },
  },
} satisfies Partial<Record<ResourceName, View>>;
