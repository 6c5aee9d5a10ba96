import type { ResourceName } from '../../api/catalogue.ts';
import { isObject } from '../../json.ts';
import { openValue } from '../../output/fields.ts';
import { answerTexts } from '../../output/question-columns.ts';
import type { Page, PageLine } from '../../output/view.ts';
import { rulesTexts } from '../../time/availability-rules.ts';
import { aboutText } from './activity-details.ts';
import {
  hosts,
  ifTrue,
  invitees,
  moment,
  payment,
  place,
  placeKind,
  prose,
  questions,
  reconfirmation,
  span,
  spanElsewhere,
} from './page-values.ts';

const id: PageLine = { label: 'ID', value: 'uri', as: 'id' };
const created: PageLine = { label: 'Created', value: moment('created_at') };

const inviteesTime = spanElsewhere('event.start_time', 'event.end_time', 'timezone');

/**
 * How each type of record is shown to people, in this order: name, time, place, people, state, links, ID. A record
 * without a page does not compile. `--fields` and the machine formats have the fields that are left out here.
 */
export const pages: Record<ResourceName, Page> = {
  event: {
    title: 'name',
    lines: [
      { label: 'When', value: span('start_time', 'end_time') },
      { label: 'Where', value: place('location') },
      { label: 'Join', value: 'location.join_url' },
      { label: 'Hosts', value: hosts('event_memberships') },
      { label: 'Invitees', value: invitees },
      { label: 'Status', value: 'status', as: 'status' },
      { label: 'Notes', value: prose('meeting_notes_plain', 'meeting_notes_html') },
      { label: 'Booked', value: moment('created_at') },
      id,
    ],
  },
  invitee: {
    title: 'name',
    embeds: ['event'],
    lines: [
      { label: 'Email', value: 'email' },
      { label: 'Meeting', value: 'event.name' },
      { label: 'When', value: span('event.start_time', 'event.end_time') },
      { label: "Invitee's time", value: inviteesTime },
      { label: 'Time zone', value: (record, time) => (inviteesTime(record, time) ? undefined : record.timezone) },
      { label: 'Where', value: place('event.location') },
      { label: 'Join', value: 'event.location.join_url' },
      { label: 'Hosts', value: hosts('event.event_memberships') },
      { label: 'Answers', value: answerTexts },
      { label: 'Status', value: 'status', as: 'status' },
      { label: 'No-show', value: moment('no_show.created_at') },
      { label: 'Rescheduled', value: ifTrue('rescheduled', 'yes') },
      { label: 'Rescheduled to', value: 'new_invitee', as: 'id' },
      { label: 'Rescheduled from', value: 'old_invitee', as: 'id' },
      { label: 'Payment', value: payment },
      { label: 'Reconfirmation', value: reconfirmation },
      { label: 'Reminders to', value: 'text_reminder_number' },
      { label: 'Booked', value: moment('created_at') },
      { label: 'Cancel', value: 'cancel_url' },
      { label: 'Reschedule', value: 'reschedule_url' },
      { label: 'Event ID', value: ({ event }) => (isObject(event) ? event.uri : event), as: 'id' },
      id,
    ],
  },
  'event type': {
    title: 'name',
    lines: [
      { label: 'Length', value: 'duration', as: 'minutes' },
      { label: 'Booking page', value: 'scheduling_url' },
      { label: 'Owner', value: 'profile.name' },
      { label: 'Kind', value: 'kind', as: 'words' },
      { label: 'Host pooling', value: 'pooling_type', as: 'words' },
      { label: 'Active', value: 'active', as: 'boolean' },
      { label: 'Hidden', value: ifTrue('secret', "yes, not on the owner's scheduling page") },
      { label: 'Managed by', value: ifTrue('admin_managed', 'an administrator') },
      { label: 'Deleted', value: moment('deleted_at') },
      { label: 'Description', value: prose('description_plain', 'description_html') },
      { label: 'Internal note', value: prose('internal_note', '') },
      { label: 'Questions', value: questions('custom_questions') },
      { label: 'Color', value: 'color' },
      { label: 'Language', value: 'locale' },
      created,
      id,
    ],
  },
  'event type host': {
    title: 'member.name',
    lines: [
      { label: 'Email', value: 'member.email' },
      { label: 'Time zone', value: 'member.timezone' },
      { label: 'Added', value: moment('created_at') },
      { label: 'User ID', value: 'member.uri', as: 'id' },
      id,
    ],
  },
  'availability schedule': {
    title: 'name',
    lines: [
      { label: 'Time zone', value: 'timezone' },
      { label: 'Hours', value: rulesTexts },
      { label: 'Default', value: ifTrue('default', 'yes') },
      id,
    ],
  },
  share: {
    title: 'share_override.name',
    lines: [
      { label: 'Booking page', value: openValue('scheduling_links', 'booking_url') },
      { label: 'Length', value: 'share_override.duration', as: 'minutes' },
      { label: 'Event type ID', value: 'scheduling_links.0.owner', as: 'id' },
    ],
  },
  location: {
    lines: [
      { label: 'Location', value: placeKind },
      { label: 'Connected', value: 'connected', as: 'boolean' },
    ],
  },
  organization: {
    title: 'name',
    lines: [
      { label: 'Kind', value: 'kind', as: 'words' },
      { label: 'Plan', value: 'plan', as: 'words' },
      { label: 'Stage', value: 'stage', as: 'status' },
      created,
      id,
    ],
  },
  member: {
    title: 'user.name',
    lines: [
      { label: 'Email', value: 'user.email' },
      { label: 'Role', value: 'role' },
      { label: 'Time zone', value: 'user.timezone' },
      { label: 'Booking page', value: 'user.scheduling_url' },
      { label: 'Language', value: 'user.locale' },
      { label: 'Joined', value: moment('created_at') },
      { label: 'User ID', value: 'user.uri', as: 'id' },
      id,
    ],
  },
  invitation: {
    title: 'email',
    lines: [
      { label: 'Status', value: 'status', as: 'status' },
      { label: 'Organization', value: 'name' },
      { label: 'Sent', value: moment('last_sent_at') },
      created,
      { label: 'User ID', value: 'user', as: 'id' },
      id,
    ],
  },
  group: { title: 'name', lines: [created, id] },
  'group relationship': {
    title: 'owner.name',
    lines: [
      { label: 'Email', value: 'owner.email' },
      { label: 'Role', value: 'role' },
      { label: 'Added', value: moment('created_at') },
      { label: 'Group ID', value: 'group', as: 'id' },
      { label: 'Member ID', value: 'owner.uri', as: 'id' },
      id,
    ],
  },
  'routing form': {
    title: 'name',
    lines: [
      { label: 'Status', value: 'status', as: 'status' },
      { label: 'Questions', value: questions('questions') },
      created,
      id,
    ],
  },
  submission: {
    lines: [
      { label: 'Submitted', value: moment('created_at') },
      { label: 'Answers', value: answerTexts },
      { label: 'Result', value: openValue('result', 'type'), as: 'words' },
      { label: 'Sent to', value: 'result.value' },
      { label: 'Form ID', value: 'routing_form', as: 'id' },
      id,
    ],
  },
  'activity entry': {
    title: 'fully_qualified_name',
    lines: [
      { label: 'When', value: moment('occurred_at') },
      { label: 'Who', value: openValue('actor', 'display_name') },
      { label: 'Email', value: 'actor.alternative_identifier' },
      { label: 'About', value: aboutText },
      id,
    ],
  },
  webhook: {
    title: 'callback_url',
    lines: [
      { label: 'State', value: 'state', as: 'status' },
      { label: 'Failing since', value: moment('retry_started_at') },
      { label: 'Events', value: 'events' },
      { label: 'Scope', value: 'scope', as: 'words' },
      { label: 'User ID', value: 'user', as: 'id' },
      { label: 'Group ID', value: 'group', as: 'id' },
      created,
      id,
    ],
  },
  'deleted webhook': { lines: [] },
  'accepted deletion': { lines: [] },
  user: {
    title: 'name',
    lines: [
      { label: 'Email', value: 'email' },
      { label: 'Time zone', value: 'timezone' },
      { label: 'Booking page', value: 'scheduling_url' },
      { label: 'Language', value: 'locale' },
      { label: 'Joined', value: moment('created_at') },
      { label: 'Organization ID', value: 'current_organization', as: 'id' },
      id,
    ],
  },
  'protected resource': {
    title: 'resource',
    lines: [
      { label: 'Authorization servers', value: 'authorization_servers' },
      { label: 'Scopes', value: ({ scopes_supported: scopes }) => [scopes] },
      { label: 'Token sent in', value: 'bearer_methods_supported' },
    ],
  },
};
