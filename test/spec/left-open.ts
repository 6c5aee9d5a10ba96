/**
 * The parts of a reply whose contents or values the service's documentation doesn't show. `of` is the path of the
 * operation that sends them, `at` their place in the reply (`*` is each item), and `lines` the commands that read them.
 */
export interface OpenPart {
  of: string;
  method?: 'POST' | 'PATCH';
  at: string;
  lines: string[];
  /** `json` if no table or page has room for it, `nowhere` if the record is read back instead. */
  shown?: 'json' | 'nowhere';
}

const schedules = '/event_type_availability_schedules';
const invitees = '/scheduled_events/EVENT/invitees';
const ofSubmissions = ['routing-forms submissions', 'routing-forms submissions FORM'];
const ofForms = ['routing-forms list', 'routing-forms submissions FORM'];
const ofSlots = ['event-types slots TYPE --since tomorrow', 'availability list --event-type TYPE'];
const ofEvents = ['events list', 'events agenda --week', 'events stats', 'events list -o ics'];
const ofAnswers = ['invitees list EVENT', 'events get EVENT --with invitees', 'events list --with invitees -o ics'];
const ofGroups = ['groups relationships', 'groups members GROUP'];
const deletion = 'compliance delete nobody@nowhere.example --confirm 1 --yes';
const change = "availability update --event-type TYPE --rule 'mon 9:00-10:00' --yes";

/** What a creation answers: the whole reply, or the record in it. */
const created = (of: string, line: string, more: Partial<OpenPart> = {}): OpenPart[] =>
  ['', 'resource'].map((at) => ({ of, method: 'POST', at, lines: [line], ...more }));

const parts = (of: string, names: string[], lines: string[]): OpenPart[] =>
  names.map((name) => ({ of, at: `collection.*.${name}`, lines }));

export const openParts: OpenPart[] = [
  ...parts(schedules, ['rules', 'rules.0', 'rules.0.intervals'], [...ofSlots, `${change} --dry-run`]),
  ...created('/shares', 'shares create --event-type TYPE'),
  { of: '/shares', method: 'POST', at: 'resource.scheduling_links', lines: ['shares create --event-type TYPE'] },
  {
    of: '/shares',
    method: 'POST',
    at: 'resource.share_override',
    lines: ['shares create --event-type TYPE'],
    shown: 'json',
  },
  ...created('/one_off_event_types', 'one-offs create --name A --duration 30 --days 3', { shown: 'json' }),
  ...created('/event_types', 'event-types create --name A --duration 30', { shown: 'json' }),
  { of: schedules, method: 'PATCH', at: '', lines: [`${change} --replace`], shown: 'nowhere' },
  ...parts(invitees, ['reconfirmation'], ['invitees list EVENT', 'invitees get INVITEE']).map((part) => ({
    ...part,
    shown: 'json' as const,
  })),
  { of: `${invitees}/INVITEE`, at: 'resource.reconfirmation', lines: ['invitees get INVITEE'] },
  ...parts(invitees, ['questions_and_answers', 'questions_and_answers.0'], ofAnswers),
  ...parts('/organization_invitations', ['email', 'status', 'last_sent_at'], ['invitations list']),
  ...parts('/routing_forms', ['questions', 'questions.0', 'status'], ofForms),
  ...parts('/routing_form_submissions', ['questions_and_answers', 'questions_and_answers.0', 'result'], ofSubmissions),
  { of: '/routing_form_submissions', at: 'collection.*.tracking', lines: ofSubmissions, shown: 'json' },
  ...parts('/activity_log_entries', ['actor', 'details'], ['activity list --limit 3']),
  { of: '/locations', at: 'collection.*', lines: ['locations list'] },
  ...parts('/locations', ['kind', 'connected'], ['locations list']),
  ...parts('/event_type_memberships', ['member'], ['event-types hosts TYPE', ...ofSlots]),
  ...parts('/group_relationships', ['owner', 'role', 'group'], ofGroups),
  ...parts('/webhook_subscriptions', ['events', 'callback_url', 'state'], ['webhooks list']),
  ...['kind', 'plan', 'stage'].map((name) => ({
    of: '/organizations/ORG',
    at: `resource.${name}`,
    lines: ['orgs get'],
  })),
  { of: '/users/me', at: 'resource', lines: ['users me', 'whoami', 'events list'] },
  { of: '/data_compliance/invitee_deletion', method: 'POST', at: '', lines: [deletion], shown: 'nowhere' },
  ...parts('/organization_memberships', ['role'], ['members list', 'whoami']),
  ...parts('/event_types', ['pooling_type', 'kind'], ['event-types list', ...ofSlots]),
  { of: invitees, at: 'collection.*.scheduling_method', lines: ['invitees list EVENT'], shown: 'json' },
  { of: '/event_types', at: 'collection.*.booking_method', lines: ['event-types list'], shown: 'json' },
  {
    of: '/scheduled_events',
    at: 'collection.*.location.type',
    lines: [...ofEvents, 'events get EVENT'],
    shown: 'json',
  },
  { of: '/scheduled_events', at: 'collection.*.location.status', lines: ofEvents, shown: 'json' },
];
