/*
 * What the documentation of the service names, typed by hand. Nothing here comes from `src/api`, and none of our own
 * decisions is here: those are assumptions, which have a comment in the source.
 *
 * A name may be dotted (`location.type`), end in `*` if it is documented as required, and have its values (`status=a|b`).
 */

export interface DocumentedOperation {
  /** Parameters with their names. */
  query?: string;
  /** Parameters of which only the meaning is shown. */
  meant?: string;
  body?: string;
  status?: 201;
}

const owners = 'user organization';
const paging = 'count page_token';
const eventStatus = 'status=active|canceled';

/** Operations with a request and a reply, by method and path. Without a status, it is 200. */
export const operations: Record<string, DocumentedOperation> = {
  'GET /.well-known/oauth-protected-resource': {},
  'GET /scheduled_events': { meant: `${owners} ${eventStatus} ${paging} sort` },
  'GET /scheduled_events/{}': {},
  'POST /scheduled_events/{}/cancellation': { body: 'reason' },
  'GET /scheduled_events/{}/invitees': { meant: `${eventStatus} ${paging} sort` },
  'GET /scheduled_events/{}/invitees/{}': {},
  'POST /invitees': {
    body: `event_type* start_time* invitee* invitee.email invitee.name invitee.first_name invitee.last_name
      invitee.timezone custom_questions location tracking`,
  },
  'POST /invitees/{}/no_show': {},
  'GET /event_types': { meant: `${owners} ${paging} sort` },
  'GET /event_types/{}': {},
  'PATCH /event_types/{}': { body: 'name duration timezone active color description_plain location' },
  'GET /event_type_availability_schedules': { query: 'event_type*', meant: paging },
  'PATCH /event_type_availability_schedules/{}': { body: 'rules timezone' },
  'POST /shares': {
    body: `event_type name duration availability_rule period_type=fixed max_booking_time location_configurations`,
    status: 201,
  },
  'GET /organizations/{}': {},
  'GET /organization_memberships': { meant: `${owners} role=user|admin|owner ${paging}` },
  'GET /organization_memberships/{}': {},
  'GET /organization_invitations': {
    query: `organization* email status=pending|accepted|declined ${paging} sort`,
  },
  'GET /groups': { meant: `organization ${paging}` },
  'GET /groups/{}': {},
  'GET /activity_log_entries': { meant: `organization ${paging} sort` },
  'POST /data_compliance/invitee_deletion': { body: 'emails' },
  'GET /routing_forms': { meant: `organization ${paging} sort` },
  'GET /routing_form_submissions': { meant: `${paging} sort` },
};

/** Operations of which the change history shows only the path. Every list has a page size and a cursor. */
export const namedOperations: Record<string, DocumentedOperation> = {
  'GET /locations': { meant: paging },
  'POST /event_types': {},
  'PATCH /event_type_availability_schedules': {},
};

/** The parameters of a list that the documentation does not name at all. */
export const anyList: DocumentedOperation = { meant: paging };

const user = `uri name slug email scheduling_url timezone avatar_url created_at updated_at current_organization locale
  resource_type=User`;
const organization = 'uri name kind=individual plan=enterprise stage=active|trial created_at updated_at';
const inside = (name: string, fields: string) => fields.replace(/\S+/g, `${name}.$&`);
const within = (name: string, fields: string) => `${name} ${inside(name, fields)}`;

/** The fields of records. */
export const resources: Record<string, string> = {
  event: `uri name meeting_notes_plain meeting_notes_html ${eventStatus} start_time end_time event_type
    location location.type location.location location.join_url location.status
    invitees_counter invitees_counter.total invitees_counter.active invitees_counter.limit created_at updated_at
    event_memberships event_memberships.user event_memberships.user_email event_memberships.user_name`,
  invitee: `uri email first_name last_name name ${eventStatus} timezone event created_at updated_at
    ${within('tracking', 'utm_campaign utm_source utm_medium utm_content utm_term crm_uuid')}
    text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url
    ${within('payment', 'external_id provider amount currency terms successful')}
    ${within('no_show', 'uri created_at')} reconfirmation scheduling_method=instant_book invitee_scheduled_by`,
  'event type': `uri name active slug scheduling_url duration kind=solo pooling_type type=StandardEventType color
    created_at updated_at internal_note description_plain description_html ${within('profile', 'type name owner')} secret
    booking_method=instant ${within(
      'custom_questions',
      'name type position enabled required answer_choices include_other',
    )} deleted_at admin_managed locale=en`,
  'availability schedule': 'uri default name user timezone rules',
  organization,
  member: `uri role=user|admin|owner ${within('user', user)} organization created_at updated_at`,
  invitation: organization,
  user,
  /** Only that its member is a user. */
  'event type host': inside('member', user),
  group: 'uri name organization created_at updated_at',
  'routing form': 'uri organization name status=draft questions created_at updated_at',
  submission: `uri routing_form questions_and_answers tracking result submitter submitter_type created_at updated_at`,
  'activity entry': 'uri organization action fully_qualified_name namespace actor details occurred_at',
  'protected resource': 'resource authorization_servers scopes_supported bearer_methods_supported',
};

/** The token endpoint: its only path, the form of its only grant, and its reply. */
export const oauth = {
  path: '/oauth/token',
  grant: 'grant_type*=authorization_code client_id* code* code_verifier* redirect_uri* client_secret',
  reply: 'access_token refresh_token token_type=Bearer scope expires_in created_at owner organization',
};

/** The numbers of src/api/limits.ts that are documented. The default page size is documented for one list only. */
export const limits: Record<string, number> = {
  'pageSize.min': 1,
  'pageSize.max': 100,
  'requestsPerMinute.paid': 500,
  'requestsPerMinute.free': 10,
  'createInvitee.trial.day': 5,
  'createInvitee.standard.minute': 10,
  'createInvitee.standard.hour': 50,
  'createInvitee.standard.day': 100,
  'createInvitee.enterprise.minute': 500,
  'durationMinutes.min': 1,
  'durationMinutes.max': 720,
  shareDurationOptions: 4,
  oneOffHosts: 10,
};

/** The bounds that requests have, by field. */
export const bounds: Record<string, number[]> = {
  count: [1, 100],
  /** The documentation does not name this field, but it states its limits. */
  duration_options: [1, 4, 720],
};
