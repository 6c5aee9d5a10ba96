import type { ResourceName } from '../../api/catalogue.ts';
import { openValue } from '../../output/fields.ts';
import { answersText, questionColumns } from '../../output/question-columns.ts';
import type { View } from '../../output/view.ts';
import { rulesText } from '../../time/availability-rules.ts';
import { aboutText, actionText } from './activity-details.ts';

/** The page of a record type, in `pages.ts`. Machine formats don't load it. */
const pageOf = (name: ResourceName) => async () => (await import('./pages.ts')).pages[name];

const inviteeColumns: View['columns'] = [
  { header: 'NAME', path: 'name', priority: 5 },
  { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
  { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
  { header: 'TIMEZONE', path: 'timezone', priority: 1 },
  { header: 'BOOKED', path: 'created_at', as: 'time', priority: 2 },
];
const inviteeId: View['columns'][number] = { header: 'ID', path: 'uri', as: 'id' };

/** For these fields, see the assumption organizations.invitation. */
const invitedPerson: View['columns'] = [
  { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
  { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
  { header: 'SENT', path: 'last_sent_at', as: 'time', priority: 2 },
  { header: 'ID', path: 'uri', as: 'id' },
];

/**
 * The columns of each type of record. A record without a view does not compile. Add new columns at the end, because
 * scripts count columns.
 */
const columns: Record<ResourceName, View> = {
  event: {
    columns: [
      { header: 'START', path: 'start_time', as: 'time', priority: 5 },
      { header: 'END', path: 'end_time', as: 'clock', priority: 1.5, extra: true },
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'INVITEES', path: 'invitees_counter.active', as: 'count', priority: 2 },
      { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  invitee: {
    columns: [...inviteeColumns, inviteeId, { header: 'ANSWERS', path: 'questions_and_answers', value: answersText }],
    tableColumns: (records) => [...inviteeColumns, ...questionColumns(records, 1.5), inviteeId],
  },
  'event type': {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'LENGTH', path: 'duration', as: 'minutes', priority: 4 },
      { header: 'KIND', path: 'kind', priority: 3 },
      { header: 'POOLING', path: 'pooling_type', priority: 1 },
      { header: 'ACTIVE', path: 'active', as: 'boolean', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'event type host': {
    columns: [
      { header: 'NAME', path: 'member.name', value: openValue('member', 'name'), priority: 4 },
      { header: 'EMAIL', path: 'member.email', priority: 3, least: 32 },
      { header: 'USER', path: 'member.uri', as: 'id', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'availability schedule': {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'DEFAULT', path: 'default', as: 'boolean', priority: 1 },
      { header: 'TIMEZONE', path: 'timezone', priority: 2, shrink: false },
      { header: 'RULES', path: 'rules', value: rulesText, priority: 3, least: 32 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
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
  },
  location: {
    columns: [
      { header: 'KIND', path: 'kind', priority: 2 },
      { header: 'CONNECTED', path: 'connected', as: 'boolean', priority: 1 },
    ],
    id: 'kind',
  },
  organization: {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'PLAN', path: 'plan', priority: 3 },
      { header: 'STAGE', path: 'stage', priority: 2 },
      { header: 'KIND', path: 'kind', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  member: {
    columns: [
      { header: 'NAME', path: 'user.name', priority: 5 },
      { header: 'EMAIL', path: 'user.email', priority: 4, least: 32 },
      { header: 'ROLE', path: 'role', priority: 3 },
      { header: 'USER', path: 'user.uri', as: 'id', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  invitation: {
    columns: [
      ...invitedPerson,
      // The documentation shows only these fields, which are those of an organization.
      { header: 'NAME', path: 'name' },
      { header: 'KIND', path: 'kind' },
      { header: 'PLAN', path: 'plan' },
      { header: 'STAGE', path: 'stage' },
      { header: 'CREATED', path: 'created_at', as: 'time' },
    ],
    tableColumns: () => invitedPerson,
  },
  group: {
    columns: [
      { header: 'NAME', path: 'name', priority: 3 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'group relationship': {
    columns: [
      { header: 'ROLE', path: 'role', priority: 3 },
      { header: 'OWNER', path: 'owner.uri', as: 'id', priority: 2 },
      { header: 'GROUP', path: 'group', as: 'id', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
    // For the name of an owner, see the assumption groups.owner.
    tableColumns: () => [
      { header: 'NAME', path: 'owner.name', value: openValue('owner', 'name'), priority: 4 },
      { header: 'ROLE', path: 'role', priority: 3 },
      { header: 'MEMBER', path: 'owner.uri', as: 'id', priority: 1 },
      { header: 'GROUP', path: 'group', as: 'id', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'routing form': {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
      { header: 'QUESTIONS', path: 'questions.*.name', value: openValue('questions', 'name'), as: 'list', priority: 1 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  submission: {
    columns: [
      { header: 'SUBMITTED', path: 'created_at', as: 'time', priority: 4 },
      {
        header: 'ANSWERS',
        path: 'questions_and_answers.*.answer',
        value: openValue('questions_and_answers', 'answer'),
        as: 'list',
        priority: 3,
      },
      { header: 'RESULT', path: 'result.type', value: openValue('result', 'type'), priority: 2 },
      { header: 'FORM', path: 'routing_form', as: 'id', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'activity entry': {
    columns: [
      { header: 'WHEN', path: 'occurred_at', as: 'time', priority: 4 },
      { header: 'WHAT', path: 'fully_qualified_name', priority: 3 },
      { header: 'WHO', path: 'actor.display_name', value: openValue('actor', 'display_name'), priority: 2 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
    // No command takes the ID of an entry, so a table has room for the record that was changed.
    tableColumns: () => [
      { header: 'WHEN', path: 'occurred_at', as: 'time', priority: 5 },
      { header: 'WHAT', path: 'fully_qualified_name', value: actionText, priority: 4 },
      { header: 'ABOUT', path: 'details', value: aboutText, priority: 3 },
      { header: 'WHO', path: 'actor.display_name', value: openValue('actor', 'display_name'), priority: 2 },
    ],
  },
  webhook: {
    columns: [
      { header: 'URL', path: 'callback_url', priority: 5 },
      { header: 'STATE', path: 'state', as: 'status', priority: 4 },
      { header: 'EVENTS', path: 'events', as: 'list', priority: 2 },
      { header: 'SCOPE', path: 'scope', priority: 3 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'deleted webhook': { columns: [], id: 'uri' },
  'accepted deletion': { columns: [], id: 'uri' },
  user: {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
      { header: 'TIMEZONE', path: 'timezone', priority: 1 },
      { header: 'ID', path: 'uri', as: 'id' },
    ],
  },
  'protected resource': {
    columns: [
      { header: 'RESOURCE', path: 'resource', priority: 3, shrink: false },
      { header: 'AUTHORIZATION SERVERS', path: 'authorization_servers', as: 'list', priority: 2 },
      { header: 'SCOPES', path: 'scopes_supported', as: 'list', priority: 1 },
    ],
    id: 'resource',
  },
};

export const views = Object.fromEntries(
  Object.entries(columns).map(([name, view]) => [name, { ...view, page: pageOf(name as ResourceName) }]),
) as Record<ResourceName, View>;
