import type { ActivityEntry } from '../../api/activity.ts';
import type { EventType } from '../../api/event-types.ts';
import type { ScheduledEvent } from '../../api/events.ts';
import type { Value } from '../../api/field.ts';
import type { Group } from '../../api/groups.ts';
import type { Invitee } from '../../api/invitees.ts';
import type { LocationChoice } from '../../api/locations.ts';
import type { Invitation, Organization } from '../../api/organizations.ts';
import type { RoutingForm, Submission } from '../../api/routing-forms.ts';
import type { User } from '../../api/users.ts';
import type { Webhook } from '../../api/webhooks.ts';
import { timestamp, uri } from './names.ts';
import type { Store } from './store.ts';

export type EventRecord = Value<typeof ScheduledEvent.record>;
export type InviteeRecord = Value<typeof Invitee.record>;
export type EventTypeRecord = Value<typeof EventType.record>;
export type UserRecord = Value<typeof User.record>;
export type OrganizationRecord = Value<typeof Organization.record>;
export type InvitationRecord = Value<typeof Invitation.record>;
export type GroupRecord = Value<typeof Group.record>;
export type RoutingFormRecord = Value<typeof RoutingForm.record>;
export type SubmissionRecord = Value<typeof Submission.record>;
export type ActivityRecord = Value<typeof ActivityEntry.record>;
export type WebhookRecord = Value<typeof Webhook.record>;
export type LocationRecord = Value<typeof LocationChoice>;

const videoHosts: Partial<Record<LocationRecord['kind'], string>> = {
  google_conference: 'https://meet.northlight.example/g',
  zoom_conference: 'https://meet.northlight.example/z',
  microsoft_teams_conference: 'https://meet.northlight.example/t',
  webex_conference: 'https://meet.northlight.example/w',
  gotomeeting_conference: 'https://meet.northlight.example/m',
};

/**
 * Assumed (events.location): the location of an online meeting has a join URL and status `pushed`; other locations only
 * have text.
 */
const locationOf = ({ kind, location }: LocationRecord, event: string): EventRecord['location'] => {
  const video = videoHosts[kind];
  return {
    type: kind,
    location: location ?? null,
    join_url: video ? `${video}/${event.toLowerCase()}` : null,
    status: video ? 'pushed' : null,
  };
};

/** A newly booked event. Its invitee counters start at zero and grow as invitees are added. */
export const newEvent = (given: {
  id: string;
  type: EventTypeRecord;
  hosts: UserRecord[];
  start: number;
  limit: number;
  /** Undefined for an event type without a location. */
  place: LocationRecord | undefined;
  now: number;
}): EventRecord => ({
  uri: uri('scheduled_events', given.id),
  name: given.type.name,
  meeting_notes_plain: null,
  meeting_notes_html: null,
  status: 'active',
  start_time: timestamp(given.start),
  end_time: timestamp(given.start + given.type.duration * 60_000),
  event_type: given.type.uri,
  location: given.place ? locationOf(given.place, given.id) : null,
  invitees_counter: { total: 0, active: 0, limit: given.limit },
  created_at: timestamp(given.now),
  updated_at: timestamp(given.now),
  event_memberships: given.hosts.map((host) => ({ user: host.uri, user_email: host.email, user_name: host.name })),
});

export const noTracking: InviteeRecord['tracking'] = {
  utm_campaign: null,
  utm_source: null,
  utm_medium: null,
  utm_content: null,
  utm_term: null,
  crm_uuid: null,
};

export const newInvitee = (given: {
  id: string;
  event: string;
  person: Pick<InviteeRecord, 'email' | 'name' | 'first_name' | 'last_name' | 'timezone'>;
  tracking?: { [Field in keyof InviteeRecord['tracking']]?: string | undefined } | undefined;
  now: number;
}): InviteeRecord => ({
  uri: `${uri('scheduled_events', given.event)}/invitees/${given.id}`,
  first_name: given.person.first_name,
  last_name: given.person.last_name,
  name: given.person.name,
  email: given.person.email,
  timezone: given.person.timezone,
  status: 'active',
  event: uri('scheduled_events', given.event),
  created_at: timestamp(given.now),
  updated_at: timestamp(given.now),
  tracking: { ...noTracking, ...given.tracking },
  text_reminder_number: null,
  rescheduled: false,
  old_invitee: null,
  new_invitee: null,
  cancel_url: `/cancellations/${given.id}`,
  reschedule_url: `/reschedulings/${given.id}`,
  payment: null,
  no_show: null,
  reconfirmation: null,
  scheduling_method: null,
  invitee_scheduled_by: null,
  questions_and_answers: [],
});

export const newInvitation = (given: {
  id: string;
  email: string;
  organization: OrganizationRecord;
  now: number;
}): InvitationRecord => {
  const { uri: organization, name, kind, plan, stage } = given.organization;
  const at = timestamp(given.now);
  return {
    uri: uri('organization_invitations', given.id),
    organization,
    email: given.email,
    status: 'pending',
    last_sent_at: at,
    user: null,
    name,
    kind,
    plan,
    stage,
    created_at: at,
    updated_at: at,
  };
};

/** A new webhook. `owner` is the ID of the user, group or organization whose events it reports. */
export const newWebhook = (given: {
  id: string;
  organization: string;
  scope: WebhookRecord['scope'];
  owner: string;
  events: WebhookRecord['events'];
  url: string;
  now: number;
}): WebhookRecord => ({
  uri: uri('webhook_subscriptions', given.id),
  callback_url: given.url,
  state: 'active',
  events: given.events,
  scope: given.scope,
  organization: uri('organizations', given.organization),
  user: given.scope === 'user' ? uri('users', given.owner) : null,
  group: given.scope === 'group' ? uri('groups', given.owner) : null,
  retry_started_at: null,
  created_at: timestamp(given.now),
  updated_at: timestamp(given.now),
});

export const insertEvent = (
  store: Store,
  id: string,
  event: EventRecord,
  facts: { organization: string; eventType: string; hosts: string[] },
) => {
  store.insert('events', id, event, { organization: facts.organization, event_type: facts.eventType });
  for (const host of facts.hosts) store.add('event_hosts', { user: host, start_time: event.start_time, event: id });
};
