import { jsonIn } from '../../src/base/json.ts';
import { type HttpReply, type HttpRequest, isSuccess, type Send } from '../../src/http/message.ts';
import type { Database } from '../../src/sandbox/store/database.ts';
import { diceFor } from './dice.ts';
import { type Faults, noFaults, swarmOf } from './faults.ts';
import { createMachine, type Machine, noCounts, type Process, type Site, strike } from './machine.ts';
import { placeDatabase } from './mirror-database.ts';
import { origin } from './network.ts';
import { createRedis } from './redis.ts';
import { createScheduler } from './scheduler.ts';

export const someday = Date.parse('2026-11-15T18:00:00Z');

/** The token of people who work at the service's website. The commands have another one, with a limit of its own. */
const websiteToken = 'sandbox_admin';

/** Free times of the seeded world: five half hours on each working day, far behind all seeded events. */
const firstMonday = Date.parse('2027-02-01T10:00:00Z');
const halfHours = [0, 1, 6, 7, 8];
const slotAt = (index: number): string => {
  const workday = Math.floor(index / halfHours.length);
  const days = Math.floor(workday / 5) * 7 + (workday % 5);
  return new Date(firstMonday + days * 86_400_000 + halfHours[index % 5]! * 1_800_000).toISOString();
};

interface Booking {
  uri: string;
  event: string;
  email: string;
  start: string;
  /** By `nameOf`. */
  name: string;
  /** When it was booked, and canceled. */
  at: number;
  canceledAt?: number;
}

/** After a reset, another booking may have the URI. */
export const nameOf = ({ uri, created_at: at }: { uri: string; created_at: string }): string => `${uri} ${at}`;

interface Membership {
  uri: string;
  role: string;
  user: { uri: string };
}

/** Which days are off, and whether it was somebody without a lock who changed that. */
export type DaysOff = Map<string, { isOff: boolean; isDoubtful: boolean }>;

export interface EventType {
  uri: string;
  name: string;
  kind: string;
  active: boolean;
  pooling_type: string | null;
  profile: { owner: string };
  custom_questions: { required: boolean }[];
}

const refill = <Value>(map: Map<string, Value>, from: ReadonlyMap<string, Value>): void => {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
};

/** What the service has, from its own replies: asking it for each check would cost more than the step. */
const createModel = (now: () => number) => {
  let has = {
    /** The active bookings of each person, by URI. */
    bookings: new Map<string, Map<string, Booking>>(),
    /** All bookings, also those that were canceled. */
    ever: [] as Booking[],
    created: [] as { body: string; path: string | undefined }[],
    deleted: new Set<string>(),
    erased: new Set<string>(),
  };
  const of = (email: string): Map<string, Booking> => {
    const found = has.bookings.get(email) ?? new Map<string, Booking>();
    has.bookings.set(email, found);
    return found;
  };
  const erasures = new Map<string, number>();
  return {
    /** Remembers all of it. Returns how to go back. */
    save: () => {
      const before = structuredClone(has);
      return () => {
        has = before;
      };
    },
    hasBooked: (email: string): boolean => has.ever.some((each) => each.email === email),
    everBooked: (): readonly Booking[] => has.ever,
    /** The paths of the records that were created with this name in them, if they have one, and still exist. */
    created: (name: string): (string | undefined)[] =>
      has.created.filter(({ body }) => body.includes(name)).map(({ path }) => path),
    /** Whether the record of this path was deleted. */
    isDeleted: (path: string): boolean => has.deleted.has(path),
    /** Whether the data of this address was deleted. */
    isErased: (email: string): boolean => has.erased.has(email),
    /** How often the data of each address was deleted, whatever was restored since. */
    erasures,
    /** The active bookings of a person, at any time or at this one. */
    of: (email: string, start?: string): Booking[] =>
      [...of(email).values()].filter((each) => start === undefined || Date.parse(each.start) === Date.parse(start)),
    /** Who has an active booking of this event. */
    emailsAt: (event: string): string[] =>
      [...has.bookings]
        .filter(([, own]) => [...own.values()].some((each) => each.event === event))
        .map(([email]) => email),
    /** Learns from a change. Returns who was booked by it. */
    learn({ method, url, body = '' }: HttpRequest, reply: HttpReply): { email: string; start: string } | undefined {
      const { pathname } = new URL(url);
      const { resource } = (jsonIn(reply.body) ?? {}) as { resource?: Record<'uri' | 'event' | 'created_at', string> };
      if (method === 'POST') has.created.push({ body, path: resource?.uri && new URL(resource.uri).pathname });
      if (method === 'DELETE') {
        has.deleted.add(pathname);
        has.created = has.created.filter(({ path }) => path !== pathname);
      }
      if (pathname === '/invitees') {
        const { start_time: start, invitee } = JSON.parse(body);
        const { email } = invitee;
        const { uri, event } = resource!;
        const booking = { uri, event, email, start, name: nameOf(resource!), at: now() };
        of(email).set(uri, booking);
        has.ever.push(booking);
        return { email, start };
      }
      if (pathname.startsWith('/data_compliance'))
        for (const email of JSON.parse(body).emails ?? []) {
          has.erased.add(email);
          erasures.set(email, (erasures.get(email) ?? 0) + 1);
        }
      if (pathname.endsWith('/cancellation')) {
        const event = pathname.split('/').at(-2)!;
        for (const each of has.bookings.values())
          for (const [uri, booking] of each)
            if (booking.event.endsWith(`/${event}`)) {
              booking.canceledAt = now();
              each.delete(uri);
            }
      }
      return undefined;
    },
  };
};

export interface SceneOptions {
  /** Faults that never happen. */
  without?: readonly (keyof Faults)[];
  isTraced?: boolean;
  /** The only kind of intent. What it needs is booked first. */
  only?: string;
}

/** The service of one seed. */
export interface Service {
  send: Send;
  /** Saves its data. Returns how to restore them. Jobs need none of that. */
  save?(): () => Promise<void>;
  close(): void;
}

/** Opens the service with this clock and these random bytes. */
export type OpenService = (
  now: () => number,
  randomBytes: (count: number) => Uint8Array,
  /** How many requests a minute a token has, if not the usual number. */
  limit: number | undefined,
) => Promise<Service>;

/** Everything that one seed decides before the first command. */
export const createScene = async (seed: number, open: OpenService, options: SceneOptions = {}) => {
  const setup = diceFor(seed, 'setup');
  const scheduler = createScheduler(diceFor(seed, 'order'), someday);
  if (options.isTraced) scheduler.trace = [];
  const serviceDice = diceFor(seed, 'service');
  // The usual limit is hardly reached.
  const limit = diceFor(seed, 'limit').chance(0.5) ? 40 : undefined;
  const service = await open(() => scheduler.time, serviceDice.bytes, limit);
  const faults = swarmOf(diceFor(seed, 'faults'));
  for (const kind of options.without ?? []) faults[kind] = 0;
  const machineCount = 1 + setup.below(2);
  const skewMs = setup.chance(0.5) ? faults.skewMs : -faults.skewMs;
  const machines: Machine[] = Array.from({ length: machineCount }, (_, index) =>
    createMachine(`m${index}`, index === 0 ? 0 : skewMs),
  );
  const isShared = setup.chance(0.5);
  const model = createModel(() => scheduler.time);
  const mirrors = new Map<Machine, Database>();
  for (const machine of machines) mirrors.set(machine, await placeDatabase(machine.volume));
  const watchers: ((booked: { email: string; start: string }, process: Process) => void)[] = [];
  const site: Site = {
    seed,
    scheduler,
    service: service.send,
    handle: () => {
      throw new Error('there is no handler');
    },
    redis: isShared ? createRedis() : undefined,
    dice: {
      kill: diceFor(seed, 'kill'),
      signal: diceFor(seed, 'signal'),
      power: diceFor(seed, 'power'),
      disk: diceFor(seed, 'disk'),
      network: diceFor(seed, 'network'),
      redis: diceFor(seed, 'redis'),
    },
    faults: noFaults,
    failAt: undefined,
    counts: { ...noCounts },
    lastPid: 1000,
    onLeave: () => {},
    onEnd: () => {},
    onArrive: () => {},
    onChange: (request, reply, process) => {
      const booked = model.learn(request, reply);
      if (booked !== undefined) for (const watch of watchers) watch(booked, process);
    },
  };
  scheduler.strike = (entry) => strike(site, entry);

  const ask = async (method: string, path: string, body?: object): Promise<HttpReply> => {
    const request: HttpRequest = {
      method,
      url: `${origin}${path}`,
      headers: { authorization: `Bearer ${websiteToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    };
    const reply = await service.send(request);
    if (method !== 'GET' && isSuccess(reply)) model.learn(request, reply);
    return reply;
  };

  /** What somebody does at the service's website. Nothing of it fails. */
  const visit = async <Content = { resource: Record<string, unknown> }>(
    method: string,
    path: string,
    body?: object,
  ): Promise<Content> => {
    let reply = await ask(method, path, body);
    // They have a limit, too.
    while (reply.status === 429) {
      await scheduler.sleep(60_000);
      reply = await ask(method, path, body);
    }
    if (!isSuccess(reply)) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
    return reply.body === '' ? (undefined as Content) : JSON.parse(reply.body);
  };

  const { resource: admin } = await visit<{ resource: { current_organization: string } }>('GET', '/users/me');
  const organization = admin.current_organization;
  const query = `organization=${encodeURIComponent(organization)}&count=100`;
  const { collection: memberships } = await visit<{ collection: Membership[] }>(
    'GET',
    `/organization_memberships?${query}`,
  );
  const me = memberships.find(({ role }) => role === 'owner')!.user.uri;
  const { collection: types } = await visit<{ collection: EventType[] }>('GET', `/event_types?${query}`);
  const typeOf = (wanted: Partial<EventType>): string =>
    types.find(
      (type) =>
        type.active &&
        type.custom_questions.every(({ required }) => !required) &&
        Object.entries(wanted).every(([name, value]) => type[name as keyof EventType] === value),
    )!.uri;

  const solo = typeOf({ kind: 'solo', pooling_type: null });
  const group = typeOf({ kind: 'group' });
  const hosts = types.filter(({ uri }) => uri === solo || uri === group).map(({ profile }) => profile.owner);
  const changed = new Map<string, { by: object; most: number }>();
  /** The days that each schedule has off, by its path, as far as somebody has changed them. */
  const daysOff = new Map<string, DaysOff>();
  let slots = 0;
  let numbers = 0;
  const scene = {
    seed,
    site,
    scheduler,
    faults,
    machines,
    /** The database of each machine's mirror, for checks. */
    mirrors,
    isShared,
    /** Whether bookings are followed. */
    isFollowed: setup.chance(0.5) || options.only === 'follow',
    model,
    daysOff,
    /** Days off that somebody without a lock has changed: they may be lost, and those of others with them. */
    doubtfulDays: new Set<string>(),
    /** Whether a fault in the middle of a refresh may have lost the login. */
    mayLoseLogin: false,
    /** Whether the service was restored, or people have undone what commands did. */
    wasReset: false,
    /** Called for each booking. */
    watchers,
    /** Bookings that are done, and that nothing else is changing. */
    booked: [] as { email: string; start: string; type: string }[],
    /** Who last began to move or cancel a person's booking, and how many bookings the person may have meanwhile. */
    changed,
    visit,
    /** Lets somebody do something at the website after a while, if the service allows it then. */
    later: (milliseconds: number, method: string, path: string, body: object): void => {
      const happen = async () => void (await ask(method, path, body));
      scheduler.after(milliseconds, () => scheduler.add({ label: `website ${method} ${path}`, happen }));
    },
    organization,
    /** The user whose token the commands have. */
    me,
    /** Memberships of users whose event types nobody books, so that nothing else needs them. */
    members: memberships.filter(({ role, user }) => role === 'user' && !hosts.includes(user.uri)).map(({ uri }) => uri),
    /**
     * Saves the service. Returns how to restore it, as from a backup: what was made since then is gone, and its IDs are
     * free.
     */
    save: () => {
      const [data, records, changes, days] = [
        service.save!(),
        model.save(),
        new Map(changed),
        structuredClone(daysOff),
      ];
      return async () => {
        await data();
        records();
        refill(changed, changes);
        refill(daysOff, days);
        // The service knows no token that it has issued since then.
        scene.mayLoseLogin = true;
      };
    },
    /** The event types that this user alone owned from the start. */
    ownTypes: types.filter(({ profile, kind }) => profile.owner === me && kind === 'solo'),
    solo,
    group,
    nextSlot: (): string => slotAt(slots++),
    /** A number that nothing else in the scene has. */
    nextNumber: (): number => {
      numbers += 1;
      return numbers;
    },
    close: () => {
      service.close();
      for (const database of mirrors.values()) database.close();
    },
  };
  return scene;
};

export type Scene = Awaited<ReturnType<typeof createScene>>;

/** R27, R56: after each booking, the person has no more than may be. */
export const watchBookings = ({ watchers, model, changed, scheduler }: Scene): void => {
  watchers.push(({ email, start }, { pid }) => {
    const same = model.of(email, start).length;
    if (same > 1) scheduler.violate(`R27: ${email} is booked ${same} times at ${start}, by process ${pid}`);
    const all = model.of(email).length;
    if (all > (changed.get(email)?.most ?? 1)) scheduler.violate(`R56: ${email} has ${all} bookings`);
  });
};
