/* Words that other tools use, or that people type, for our commands and flags. The first one that exists is meant. */

/** For a noun, or for a whole command. */
export const nounSynonyms = new Map(
  Object.entries({
    'auth login': ['login', 'signin'],
    'auth logout': ['logout', 'signout'],
    'auth status': ['status'],
    'users me': ['me'],
    'invitees create': ['book'],
    'events cancel': ['cancel'],
    'events move': ['move', 'reschedule'],
    'events agenda': ['agenda', 'calendar', 'week'],
    'events next': ['next'],
    'events stats': ['stats'],
    'event-types slots': ['slots', 'free'],
    'event-types why': ['why'],
    'availability off': ['off', 'vacation', 'vacations', 'holiday', 'holidays', 'time-off', 'day-off', 'days-off'],
    'invitees no-show': ['no-show'],
    events: ['meeting', 'meetings', 'booking', 'bookings', 'appointment', 'appointments'],
    invitees: ['attendee', 'attendees', 'guest', 'guests'],
    'event-types': ['types'],
    availability: ['schedules'],
    shares: ['links'],
    'routing-forms': ['forms'],
    orgs: ['organization', 'organizations', 'organisation', 'organisations'],
    members: ['people', 'team'],
    groups: ['teams'],
    profiles: ['accounts'],
    'members list': ['users list', 'users ls', 'users all'],
    'profiles list': ['config list', 'config ls'],
    'profiles set': ['config set'],
    'profiles show': ['config get', 'config show'],
  }).flatMap(([replacement, words]) => words.map((word) => [word, replacement] as const)),
);

/** What each word may mean, given the words by their meanings. */
const meanings = (words: Record<string, string>): Map<string, string[]> =>
  new Map(Object.entries(words).flatMap(([meant, all]) => all.split(' ').map((word) => [word, meant.split(' ')])));

export const verbSynonyms = meanings({
  list: 'ls all find search index',
  'get show list': 'show',
  'get show': 'view info describe',
  get: 'read',
  'cancel delete remove': 'rm del',
  'cancel remove': 'delete',
  'cancel delete': 'remove',
  cancel: 'canceled cancelled',
  'create add': 'new',
  create: 'add book make schedule',
  'update set': 'edit change modify',
  move: 'reschedule postpone',
  use: 'switch',
});

export const flagSynonyms = meanings({
  limit: '-L --max --top',
  fields: '-f',
  'page-size limit': '--count',
  output: '--format',
  org: '--organisation --organization',
  'since start-date start': '--from',
  since: '--after',
  'since start-date': '--start',
  'until end-date': '--to --end',
  until: '--before',
  start: '--when --time',
  invitee: '--email',
  'invitee email': '--attendee --guest',
  'email invitee': '--mail',
  'event-type': '--type',
  search: '--query --grep --filter',
  name: '--title',
  duration: '--length --minutes',
  reason: '--message --why -m',
  sort: '--order --order-by --sort-by',
  'timezone tz': '--zone',
  tz: '--timezone',
  yes: '--force',
  profile: '--account',
});
