import { idIn } from '../../uri.ts';
import { seedTokens } from '../ready-tokens.ts';
import { newSchedule } from '../rules/availability.ts';
import { descriptionOf, newEventType } from '../rules/event-type.ts';
import { dayMilliseconds, makeId, slugOf, uri } from '../store/names.ts';
import type { EventTypeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Plan, stageOf } from '../subscription.ts';
import { seedActivity } from './activity.ts';
import { type HostedEventType, seedEvents } from './events.ts';
import { seedMany } from './many.ts';
import { moreEvents, type SeedName } from './name.ts';
import { insertGroup, seedOrganization } from './organization.ts';
import { seedRoutingForms } from './routing-forms.ts';
import {
  daysBefore,
  eventTypeId,
  groups,
  type Member,
  organizationId,
  type SeedEventType,
  seedEventTypes,
  team,
  userId,
} from './team.ts';
import { seedWebhooks } from './webhooks.ts';

const userOf = ({ key, name, timezone, locale }: (typeof team)[number], created_at: string): UserRecord => ({
  uri: uri('users', userId(key)),
  name,
  slug: slugOf(name),
  email: `${slugOf(name).replace('-', '.')}@northlight.example`,
  scheduling_url: `/book/${slugOf(name)}`,
  timezone,
  avatar_url: key === 'kofi' ? null : `/avatars/${slugOf(name)}.svg`,
  created_at,
  updated_at: created_at,
  current_organization: uri('organizations', organizationId),
  locale,
  resource_type: 'User',
});

const colors = ['#0a8f6b', '#2f6fde', '#c2410c', '#7c3aed', '#b91c1c', '#0e7490'];

const eventTypeOf = (offer: SeedEventType, position: number, owner: UserRecord, now: number): EventTypeRecord => {
  const slug = slugOf(offer.name);
  return {
    ...newEventType({
      id: eventTypeId(slug),
      name: offer.name,
      slug,
      scheduling_url: `${owner.scheduling_url}/${slug}`,
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
  };
};

const seedTeam = (store: Store, now: number, plan: Plan): Map<Member, UserRecord> => {
  const founded = daysBefore(now, 400);
  store.insert('organizations', organizationId, {
    uri: uri('organizations', organizationId),
    name: 'Northlight Advisory',
    kind: 'team',
    plan,
    stage: stageOf(plan),
    created_at: founded,
    updated_at: founded,
  });
  const users = new Map<Member, UserRecord>();
  for (const [index, member] of team.entries()) {
    const joined = daysBefore(now, 400 - index * 30);
    const user = userOf(member, joined);
    users.set(member.key, user);
    store.insert('users', userId(member.key), user);
    const membership = { id: makeId(`seed/membership/${member.key}`), user: userId(member.key), role: member.role };
    const times = { created_at: joined, updated_at: joined };
    store.add('memberships', { ...membership, organization: organizationId, ...times });
  }
  return users;
};

const seedOffers = (store: Store, users: Map<Member, UserRecord>, now: number): HostedEventType[] =>
  seedEventTypes.map((offer, position) => {
    const slug = slugOf(offer.name);
    const id = eventTypeId(slug);
    const created = now - (300 - position * 9) * dayMilliseconds;
    const type = eventTypeOf(offer, position, users.get(offer.hosts[0]!)!, created);
    store.insert('event_types', id, type, {
      organization: organizationId,
      position,
      invitee_limit: offer.limit ?? 1,
      locations: JSON.stringify(offer.places),
    });
    const hosts = offer.hosts.map((key) => {
      const user = users.get(key)!;
      store.add('event_type_hosts', { event_type: id, user: userId(key) });
      const schedule = newSchedule(makeId(`seed/schedule/${slug}/${key}`), user, now);
      store.insert('schedules', idIn(schedule.uri), schedule, { event_type: id, user: userId(key) });
      return { id: userId(key), key, user, schedule };
    });
    return { offer, id, type, hosts };
  });

interface SeedOptions {
  plan?: Plan | undefined;
  world?: SeedName | undefined;
}

/** The seed the data was created with. It is stored, because later versions add to the data. */
export const seedOf = (store: Store) => String(store.fact('seed') ?? 'demo') as SeedName;

const unlessEmpty = (stage: (store: Store, now: number) => void) => (store: Store, now: number) => {
  if (seedOf(store) !== 'empty') stage(store, now);
};

/** The seed data in stages, one per file version that added some. The first stage is what version 1 contained. */
export const stages: ReadonlyArray<(store: Store, now: number, options: SeedOptions) => void> = [
  (store, now, { plan = 'enterprise', world = 'demo' }) => {
    store.setFact('seed', world);
    store.setFact('seeded_at', now);
    const users = seedTeam(store, now, plan);
    if (world === 'empty') return;
    for (const group of groups) insertGroup(store, group, daysBefore(now, 400));
    const hosted = seedOffers(store, users, now);
    seedEvents(store, hosted, now);
    if (moreEvents(world) > 0) seedMany(store, hosted, now, moreEvents(world));
  },
  unlessEmpty((store, now) => {
    seedOrganization(store, now);
    seedRoutingForms(store, now);
    seedActivity(store, now);
  }),
  seedTokens,
  unlessEmpty(seedWebhooks),
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

export const seedAgeDays = (store: Store, now: number): number =>
  (now - Number(store.fact('seeded_at') ?? now)) / dayMilliseconds;
