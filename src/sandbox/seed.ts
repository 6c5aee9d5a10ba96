import type { Rule, Schedule } from './availability.ts';
import { dayMilliseconds, makeId, timestamp, uri } from './names.ts';
import type { EventTypeRecord, UserRecord } from './records.ts';
import { type HostedOffer, seedEvents } from './seed-events.ts';
import { groups, type Member, type Offer, offers, team } from './seed-team.ts';
import type { Store } from './store.ts';
import { localTime } from './zone.ts';

/** Ready-made tokens, one per role. Their prefix tells any reader, and the scan for leaked secrets, what they are. */
export const tokens = {
  owner: { token: 'sandbox_owner', member: 'amara' },
  admin: { token: 'sandbox_admin', member: 'jonas' },
  user: { token: 'sandbox_user', member: 'tomas' },
} as const satisfies Record<string, { token: `sandbox_${string}`; member: Member }>;

const organization = { id: makeId('seed/organization'), name: 'Northlight Advisory' };

const userId = (key: Member) => makeId(`seed/user/${key}`);

/** `Lucía Romero` ⇒ `lucia-romero` */
const slugOf = (name: string) =>
  name.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ı', 'i').toLowerCase().replaceAll(' ', '-');

const userOf = ({ key, name, timezone, locale }: (typeof team)[number], created_at: string): UserRecord => ({
  uri: uri.user(userId(key)),
  name,
  slug: slugOf(name),
  email: `${slugOf(name).replace('-', '.')}@northlight.example`,
  scheduling_url: `https://book.northlight.example/${slugOf(name)}`,
  timezone,
  avatar_url: key === 'kofi' ? null : `https://book.northlight.example/avatars/${slugOf(name)}.png`,
  created_at,
  updated_at: created_at,
  current_organization: uri.organization(organization.id),
  locale,
  resource_type: 'User',
});

const colors = ['#0a8f6b', '#2f6fde', '#c2410c', '#7c3aed', '#b91c1c', '#0e7490'];

const eventTypeOf = (offer: Offer, id: string, position: number, owner: UserRecord, created_at: string) => {
  const record: EventTypeRecord = {
    uri: uri.eventType(id),
    name: offer.name,
    active: !offer.inactive,
    slug: offer.slug,
    scheduling_url: `${owner.scheduling_url}/${offer.slug}`,
    duration: offer.duration,
    kind: offer.limit ? 'group' : 'solo',
    pooling_type: offer.pooling ?? null,
    type: 'StandardEventType',
    color: colors[position % colors.length]!,
    created_at,
    updated_at: created_at,
    internal_note: offer.price ? 'Paid at booking' : null,
    description_plain: offer.description ?? null,
    description_html: offer.description ? `<p>${offer.description}</p>` : null,
    profile: { type: offer.pooling ? 'Team' : 'User', name: owner.name, owner: owner.uri },
    secret: offer.secret ?? false,
    booking_method: 'instant',
    custom_questions: (offer.questions ?? []).map((question, place) => ({
      enabled: true,
      required: false,
      answer_choices: [],
      include_other: false,
      ...question,
      position: place,
    })),
    deleted_at: null,
    admin_managed: offer.pooling === 'collective',
    locale: owner.locale,
  };
  return record;
};

/** Nine to five on weekdays with a break, and one day off behind and one ahead. */
const rulesIn = (timezone: string, now: number): Rule[] => {
  const intervals = [
    { from: '09:00', to: '12:30' },
    { from: '13:00', to: '17:00' },
  ];
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
  const daysOff = [-16, 12].map((days) => localTime(timezone, now + days * dayMilliseconds).date);
  return [
    ...weekdays.map((wday): Rule => ({ type: 'wday', wday, intervals })),
    ...daysOff.map((date): Rule => ({ type: 'date', date, intervals: [] })),
  ];
};

const seedTeam = (store: Store, now: number): Map<Member, UserRecord> => {
  const founded = timestamp(now - 400 * dayMilliseconds);
  store.insert('organizations', organization.id, {
    uri: uri.organization(organization.id),
    name: organization.name,
    kind: 'team',
    plan: 'enterprise',
    stage: 'active',
    created_at: founded,
    updated_at: founded,
  });
  const users = new Map<Member, UserRecord>();
  for (const [index, member] of team.entries()) {
    const joined = timestamp(now - (400 - index * 30) * dayMilliseconds);
    const user = userOf(member, joined);
    users.set(member.key, user);
    store.insert('users', userId(member.key), user);
    const membership = [makeId(`seed/membership/${member.key}`), userId(member.key), organization.id, member.role];
    store.run('INSERT INTO memberships VALUES (?, ?, ?, ?, ?, ?)', ...membership, joined, joined);
  }
  for (const { name, members } of groups) {
    const id = makeId(`seed/group/${name}`);
    const group = { uri: uri.group(id), name, organization: uri.organization(organization.id) };
    const record = { ...group, created_at: founded, updated_at: founded };
    store.insert('groups', id, record, { organization: organization.id });
    for (const key of members) store.run('INSERT INTO group_members VALUES (?, ?)', id, userId(key));
  }
  for (const { token, member } of Object.values(tokens))
    store.run('INSERT INTO tokens VALUES (?, ?, ?, NULL)', token, userId(member), founded);
  return users;
};

const seedOffers = (store: Store, users: Map<Member, UserRecord>, now: number): HostedOffer[] =>
  offers.map((offer, position) => {
    const id = makeId(`seed/event-type/${offer.slug}`);
    const created = timestamp(now - (300 - position * 9) * dayMilliseconds);
    const type = eventTypeOf(offer, id, position, users.get(offer.hosts[0]!)!, created);
    store.insert('event_types', id, type, {
      organization: organization.id,
      position,
      invitee_limit: offer.limit ?? 1,
      locations: JSON.stringify(offer.places),
    });
    const hosts = offer.hosts.map((key) => {
      const user = users.get(key)!;
      store.run('INSERT INTO event_type_hosts VALUES (?, ?)', id, userId(key));
      const schedule: Schedule = {
        uri: uri.schedule(makeId(`seed/schedule/${offer.slug}/${key}`)),
        default: true,
        name: 'Working hours',
        user: user.uri,
        timezone: user.timezone,
        rules: rulesIn(user.timezone, now),
      };
      const facts = { event_type: id, user: userId(key) };
      store.insert('schedules', makeId(`seed/schedule/${offer.slug}/${key}`), schedule, facts);
      return { id: userId(key), key, user, schedule };
    });
    return { offer, id, type, hosts };
  });

/** Fills an empty store with the same world for the same moment. Call it inside a transaction. */
export const seed = (store: Store, now: number) => {
  const users = seedTeam(store, now);
  const hosted = seedOffers(store, users, now);
  seedEvents(store, { organization: organization.id, hosted, now });
  store.setFact('seeded_at', now);
};

export const seedAgeDays = (store: Store, now: number): number =>
  (now - Number(store.fact('seeded_at') ?? now)) / dayMilliseconds;
