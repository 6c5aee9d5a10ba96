import { seedTokens } from '../ready-tokens.ts';
import { type Schedule, workingHours } from '../rules/availability.ts';
import { descriptionOf, newEventType } from '../rules/event-type.ts';
import { bookingSite, dayMilliseconds, makeId, slugOf, timestamp, uri } from '../store/names.ts';
import type { EventTypeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Plan, stageOf } from '../subscription.ts';
import { seedActivity } from './activity.ts';
import { type HostedEventType, seedEvents } from './events.ts';
import { seedMany } from './many.ts';
import { readSeedName, type SeedName, seedNameText } from './name.ts';
import { seedOrganization } from './organization.ts';
import { seedRoutingForms } from './routing-forms.ts';
import { groups, type Member, type SeedEventType, seedEventTypes, team, userId } from './team.ts';
import { seedWebhooks } from './webhooks.ts';

const organization = { id: makeId('seed/organization'), name: 'Northlight Advisory' };

const userOf = ({ key, name, timezone, locale }: (typeof team)[number], created_at: string): UserRecord => ({
  uri: uri('users', userId(key)),
  name,
  slug: slugOf(name),
  email: `${slugOf(name).replace('-', '.')}@northlight.example`,
  scheduling_url: `${bookingSite}/${slugOf(name)}`,
  timezone,
  avatar_url: key === 'kofi' ? null : `${bookingSite}/avatars/${slugOf(name)}.png`,
  created_at,
  updated_at: created_at,
  current_organization: uri('organizations', organization.id),
  locale,
  resource_type: 'User',
});

const colors = ['#0a8f6b', '#2f6fde', '#c2410c', '#7c3aed', '#b91c1c', '#0e7490'];

const eventTypeOf = (
  offer: SeedEventType,
  id: string,
  position: number,
  owner: UserRecord,
  now: number,
): EventTypeRecord => ({
  ...newEventType({
    id,
    name: offer.name,
    slug: offer.slug,
    scheduling_url: `${owner.scheduling_url}/${offer.slug}`,
    duration: offer.duration,
    owner,
    now,
  }),
  ...descriptionOf(offer.description),
  active: !offer.inactive,
  kind: offer.limit ? 'group' : 'solo',
  pooling_type: offer.pooling ?? null,
  color: colors[position % colors.length]!,
  internal_note: offer.price ? 'Paid at booking' : null,
  profile: { type: offer.pooling ? 'Team' : 'User', name: owner.name, owner: owner.uri },
  secret: offer.secret ?? false,
  custom_questions: (offer.questions ?? []).map((question, place) => ({
    enabled: true,
    required: false,
    answer_choices: [],
    include_other: false,
    ...question,
    position: place,
  })),
  admin_managed: offer.pooling === 'collective',
});

const seedTeam = (store: Store, now: number, plan: Plan, world: SeedName): Map<Member, UserRecord> => {
  const founded = timestamp(now - 400 * dayMilliseconds);
  store.insert('organizations', organization.id, {
    uri: uri('organizations', organization.id),
    name: organization.name,
    kind: 'team',
    plan,
    stage: stageOf(plan),
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
  for (const { name, members } of world.kind === 'empty' ? [] : groups) {
    const id = makeId(`seed/group/${name}`);
    const group = { uri: uri('groups', id), name, organization: uri('organizations', organization.id) };
    const record = { ...group, created_at: founded, updated_at: founded };
    store.insert('groups', id, record, { organization: organization.id });
    for (const key of members) store.run('INSERT INTO group_members ("group", user) VALUES (?, ?)', id, userId(key));
  }
  return users;
};

const seedOffers = (store: Store, users: Map<Member, UserRecord>, now: number): HostedEventType[] =>
  seedEventTypes.map((offer, position) => {
    const id = makeId(`seed/event-type/${offer.slug}`);
    const created = now - (300 - position * 9) * dayMilliseconds;
    const type = eventTypeOf(offer, id, position, users.get(offer.hosts[0]!)!, created);
    store.insert('event_types', id, type, {
      organization: organization.id,
      position,
      invitee_limit: offer.limit ?? 1,
      locations: JSON.stringify(offer.places),
    });
    const hosts = offer.hosts.map((key) => {
      const user = users.get(key)!;
      store.run('INSERT INTO event_type_hosts (event_type, user) VALUES (?, ?)', id, userId(key));
      const schedule: Schedule = {
        uri: uri('event_type_availability_schedules', makeId(`seed/schedule/${offer.slug}/${key}`)),
        default: true,
        name: 'Working hours',
        user: user.uri,
        timezone: user.timezone,
        rules: workingHours(user.timezone, now),
      };
      const facts = { event_type: id, user: userId(key) };
      store.insert('schedules', makeId(`seed/schedule/${offer.slug}/${key}`), schedule, facts);
      return { id: userId(key), key, user, schedule };
    });
    return { offer, id, type, hosts };
  });

interface SeedOptions {
  /** Plan of the organization, by default `enterprise`. */
  plan?: Plan | undefined;
  /** Which seed to use, by default `demo`. */
  world?: SeedName | undefined;
}

/** The seed of existing data. It is stored, because later versions add to the data. */
const keptWorld = (store: Store): SeedName => readSeedName(String(store.fact('seed') ?? 'demo'))!;

/** The seed data in stages, one per file version that added some. The first stage is what version 1 contained. */
export const stages: ReadonlyArray<(store: Store, now: number, options: SeedOptions) => void> = [
  (store, now, { plan = 'enterprise', world = { kind: 'demo' } }) => {
    store.setFact('seed', seedNameText(world));
    store.setFact('seeded_at', now);
    const users = seedTeam(store, now, plan, world);
    if (world.kind === 'empty') return;
    const hosted = seedOffers(store, users, now);
    seedEvents(store, { organization: organization.id, hosted, now });
    if (world.kind === 'large') seedMany(store, { organization: organization.id, hosted, now }, world.events);
  },
  (store, now) => {
    if (keptWorld(store).kind === 'empty') return;
    seedOrganization(store, organization.id, now);
    seedRoutingForms(store, organization.id, now);
    seedActivity(store, organization.id, now);
  },
  seedTokens,
  (store, now) => {
    if (keptWorld(store).kind !== 'empty') seedWebhooks(store, organization.id, now);
  },
];

const stagesDone = (store: Store): number =>
  Number(store.fact('seed_stages') ?? (store.fact('seeded_at') === undefined ? 0 : 1));

export const isSeeded = (store: Store): boolean => stagesDone(store) === stages.length;

/**
 * Fills an empty store; the same time always gives the same data. For data of an older version, adds the missing stages
 * with the original seed time and keeps all bookings. Call it inside a transaction.
 */
export const seed = (store: Store, now: number, options: SeedOptions = {}) => {
  const moment = Number(store.fact('seeded_at') ?? now);
  for (const stage of stages.slice(stagesDone(store))) stage(store, moment, options);
  store.setFact('seed_stages', stages.length);
};

/** The name of the seed the data was created with. */
export const seedOf = (store: Store): string => seedNameText(keptWorld(store));

export const seedAgeDays = (store: Store, now: number): number =>
  (now - Number(store.fact('seeded_at') ?? now)) / dayMilliseconds;
