import type { ResourceName } from '../../api/catalogue.ts';
import type { Operation } from '../../api/operation.ts';
import { openValue } from '../../output/fields.ts';
import type { View } from '../../output/view.ts';
import { activityText } from './activity-text.ts';
import { schedulingViews } from './scheduling-views.ts';
import { createdLine, dayHeading, groupName, idColumn, idLine, momentValue } from './view-values.ts';

/** For these fields, see the assumption organizations.invitation. */
const invitedPerson: View['columns'] = [
  { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
  { header: 'STATUS', path: 'status', as: 'status', priority: 3 },
  { header: 'SENT', path: 'last_sent_at', as: 'time', priority: 2 },
  idColumn,
];

const memberColumns: View['columns'] = [
  { header: 'NAME', path: 'user.name', priority: 5 },
  { header: 'EMAIL', path: 'user.email', priority: 4, least: 32 },
  { header: 'ROLE', path: 'role', priority: 3 },
];

const actor: View['columns'][number] = {
  header: 'WHO',
  path: 'actor.display_name',
  value: openValue('actor', 'display_name'),
  priority: 3,
};

const firstNameOf = (entry: object): string =>
  String(openValue('actor', 'display_name')(entry) ?? '–').split(' ', 1)[0]!;

/** Nothing to show: the reply is empty. */
const emptyView = { columns: [] };

/**
 * How each type of record is shown: its columns in lists, and its page for people if a command shows one record. A
 * record without a view does not compile. Add new columns at the end, because scripts count columns. A page has the
 * name, time, place, people, state, links and ID, in this order; `--fields` and the machine formats have the other
 * fields.
 */
export const views: Record<ResourceName, View> = {
  ...schedulingViews,
  organization: {
    columns: [
      { header: 'NAME', path: 'name', priority: 4 },
      { header: 'PLAN', path: 'plan', priority: 3 },
      { header: 'STAGE', path: 'stage', priority: 2 },
      { header: 'KIND', path: 'kind', priority: 1 },
      idColumn,
    ],
    page: {
      title: 'name',
      lines: [
        { label: 'Kind', value: 'kind', as: 'words' },
        { label: 'Plan', value: 'plan', as: 'words' },
        { label: 'Stage', value: 'stage', as: 'status' },
        createdLine,
        idLine,
      ],
    },
  },
  member: {
    columns: [...memberColumns, { header: 'USER', path: 'user.uri', as: 'id', priority: 1 }, idColumn],
    // People are named by their address: no command needs the ID of a user.
    tableColumns: () => [
      ...memberColumns,
      { header: 'GROUPS', path: '_sched.groups', as: 'list', blank: true, varies: true, priority: 2 },
      idColumn,
    ],
    page: {
      title: 'user.name',
      lines: [
        { label: 'Email', value: 'user.email' },
        { label: 'Role', value: 'role' },
        { label: 'Time zone', value: 'user.timezone' },
        { label: 'Booking page', value: 'user.scheduling_url' },
        { label: 'Language', value: 'user.locale' },
        { label: 'Joined', value: momentValue('created_at') },
        { label: 'User ID', value: 'user.uri', as: 'id' },
        idLine,
      ],
    },
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
    tableColumns: () => invitedPerson.map((column) => (column.as === 'time' ? { ...column, as: 'date' } : column)),
    page: {
      title: 'email',
      lines: [
        { label: 'Status', value: 'status', as: 'status' },
        { label: 'Organization', value: 'name' },
        { label: 'Sent', value: momentValue('last_sent_at') },
        createdLine,
        { label: 'User ID', value: 'user', as: 'id' },
        idLine,
      ],
    },
  },
  group: {
    columns: [
      { header: 'NAME', path: 'name', priority: 3 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: 1 },
      idColumn,
    ],
    tableColumns: () => [
      { header: 'NAME', path: 'name', priority: 3 },
      { header: 'MEMBERS', path: '_sched.members', as: 'count', blank: true, varies: true, priority: 2 },
      { header: 'CREATED', path: 'created_at', as: 'date', priority: 1 },
      idColumn,
    ],
    page: {
      title: 'name',
      lines: [createdLine, idLine],
    },
  },
  'group relationship': {
    columns: [
      { header: 'ROLE', path: 'role', priority: 3 },
      { header: 'OWNER', path: 'owner.uri', as: 'id', priority: 2 },
      { header: 'GROUP', path: 'group', as: 'id', priority: 1 },
      idColumn,
    ],
    // For the name of an owner, see the assumption groups.owner.
    tableColumns: () => [
      { header: 'NAME', path: 'owner.name', value: openValue('owner', 'name'), priority: 4 },
      { header: 'ROLE', path: 'role', priority: 3 },
      { header: 'GROUP', path: 'group', value: groupName, priority: 2 },
      idColumn,
    ],
    page: {
      title: 'owner.name',
      lines: [
        { label: 'Email', value: 'owner.email' },
        { label: 'Role', value: 'role' },
        { label: 'Added', value: momentValue('created_at') },
        { label: 'Group ID', value: 'group', as: 'id' },
        { label: 'Member ID', value: 'owner.uri', as: 'id' },
        idLine,
      ],
    },
  },
  // The command that shows them has its own view.
  'free time': { columns: [{ header: 'START', path: 'start_time', as: 'time' }] },
  'busy time': {
    columns: [
      { header: 'START', path: 'start_time', as: 'time', priority: 4 },
      { header: 'END', path: 'end_time', as: 'time', priority: 3 },
      { header: 'TYPE', path: 'type', priority: 2 },
      { header: 'EVENT', path: 'event.uri', as: 'id', priority: 1 },
    ],
    id: 'start_time',
  },
  'no-show': {
    columns: [
      { header: 'MARKED', path: 'created_at', as: 'time', priority: 2 },
      { header: 'INVITEE', path: 'invitee', as: 'id', priority: 1 },
      idColumn,
    ],
  },
  'activity entry': {
    columns: [
      { header: 'WHEN', path: 'occurred_at', as: 'time', priority: 4 },
      { header: 'WHAT', path: 'fully_qualified_name', priority: 3 },
      { header: 'WHO', path: 'actor.display_name', value: openValue('actor', 'display_name'), priority: 2 },
      idColumn,
    ],
    // No command takes the ID of an entry, so a table has room for what was changed.
    tableColumns: (_, { isSpoken, available }) => {
      const isNarrow = available < 80 && !isSpoken;
      const what = (entry: object) => [...(isNarrow ? [firstNameOf(entry)] : []), activityText(entry)].join(' ');
      return [
        { header: isSpoken ? 'WHEN' : 'TIME', path: 'occurred_at', as: isSpoken ? 'time' : 'span', priority: 5 },
        ...(isNarrow ? [] : [actor]),
        { header: 'WHAT', path: 'fully_qualified_name', value: what, priority: 4 },
      ];
    },
    section: dayHeading('occurred_at'),
  },
  webhook: {
    columns: [
      { header: 'URL', path: 'callback_url', priority: 5, least: 44 },
      { header: 'STATE', path: 'state', as: 'status', priority: 4 },
      { header: 'EVENTS', path: 'events', as: 'list', priority: 2 },
      { header: 'SCOPE', path: 'scope', varies: true, priority: -1 },
      { header: 'CREATED', path: 'created_at', as: 'time', priority: -1 },
      idColumn,
    ],
    page: {
      title: 'callback_url',
      lines: [
        { label: 'State', value: 'state', as: 'status' },
        { label: 'Failing since', value: momentValue('retry_started_at') },
        { label: 'Events', value: 'events', inAnswer: true },
        { label: 'Scope', value: 'scope', as: 'words' },
        { label: 'User ID', value: 'user', as: 'id' },
        { label: 'Group ID', value: 'group', as: 'id' },
        createdLine,
        idLine,
      ],
    },
  },
  'deleted record': emptyView,
  'accepted deletion': emptyView,
  user: {
    columns: [
      { header: 'NAME', path: 'name', priority: 5 },
      { header: 'EMAIL', path: 'email', priority: 4, least: 32 },
      { header: 'TIME ZONE', path: 'timezone', priority: 1 },
      idColumn,
    ],
    page: {
      title: 'name',
      lines: [
        { label: 'Email', value: 'email' },
        { label: 'Time zone', value: 'timezone' },
        { label: 'Booking page', value: 'scheduling_url' },
        { label: 'Language', value: 'locale' },
        { label: 'Joined', value: momentValue('created_at') },
        { label: 'Organization ID', value: 'current_organization', as: 'id' },
        idLine,
      ],
    },
  },
  'protected resource': {
    columns: [
      { header: 'RESOURCE', path: 'resource', priority: 3, shrink: false },
      { header: 'AUTHORIZATION SERVERS', path: 'authorization_servers', as: 'list', priority: 2 },
      { header: 'SCOPES', path: 'scopes_supported', as: 'list', priority: 1 },
    ],
    id: 'resource',
    page: {
      title: 'resource',
      lines: [
        { label: 'Authorization servers', value: 'authorization_servers' },
        { label: 'Scopes', value: ({ scopes_supported: scopes }) => [scopes] },
        { label: 'Token sent in', value: 'bearer_methods_supported' },
      ],
    },
  },
};

/** How the records of an operation are shown. */
export const viewOf = ({ reply }: Operation): View => views[reply.of.name as ResourceName];
