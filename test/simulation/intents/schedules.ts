import type { Dice } from '../dice.ts';
import { inputs, type Process } from '../machine.ts';
import type { DaysOff, EventType, Scene } from '../scene.ts';
import { common, type Kind } from './intent.ts';

/*
 * Changes of schedules and configurations. Each has a day or a name of its own, so that a change of another process that
 * gets lost is seen (R57, R66).
 */

interface Schedule {
  uri: string;
  user: string;
  rules: { type: string; date?: string; wday?: string; intervals: unknown[] }[];
}

/** A day that no other intent takes off. */
const dayFor = (scene: Scene): string =>
  new Date(Date.UTC(2030, 0, scene.nextNumber())).toISOString().slice(0, 'yyyy-mm-dd'.length);

/** One of two event types: then several processes change the same schedule. */
const typeIn = (scene: Scene, dice: Dice): EventType => dice.pick(scene.ownTypes.slice(0, 2));

/** The user's schedule of an event type. */
const scheduleOf = async (scene: Scene, { uri }: EventType): Promise<Schedule> => {
  const path = `/event_type_availability_schedules?${new URLSearchParams({ event_type: uri })}`;
  const { collection } = await scene.visit<{ collection: Schedule[] }>('GET', path);
  return collection.find(({ user }) => user === scene.me)!;
};

const paths = new WeakMap<EventType, string>();

/** The path of its schedule. It is asked for once, because checks would use up the rate limit. */
const pathOf = async (scene: Scene, type: EventType): Promise<string> => {
  const path = paths.get(type) ?? new URL((await scheduleOf(scene, type)).uri).pathname;
  paths.set(type, path);
  return path;
};

const daysOffOf = ({ daysOff }: Scene, path: string): DaysOff => {
  const found: DaysOff = daysOff.get(path) ?? new Map();
  daysOff.set(path, found);
  return found;
};

/** The date or the day of the week that a rule is about. */
const dayOf = ({ date, wday }: Schedule['rules'][number]): string => (date ?? wday)!;

const isOff = ({ rules }: Schedule, day: string): boolean =>
  rules.some((rule) => dayOf(rule) === day && rule.intervals.length === 0);

/** What is wrong if a day is to be off, or not to be off, in the schedules of these event types. */
const wrongDay = async (scene: Scene, types: readonly EventType[], day: string, isWanted = true) => {
  // Without shared state, each machine has a lock of its own.
  if (scene.doubtfulDays.has(day) || (scene.machines.length > 1 && !scene.isShared)) return undefined;
  const paths = await Promise.all(types.map((type) => pathOf(scene, type)));
  const wrong = paths.filter((path) => (daysOffOf(scene, path).get(day)?.isOff ?? false) !== isWanted);
  return wrong.length === 0 ? undefined : `R66: ${day} is ${isWanted ? 'not ' : ''}off in ${wrong.length} schedules`;
};

const schedulesPath = '/event_type_availability_schedules/';

/** Whether a process has said that it works without a lock. */
export const isUnlocked = ({ stderr }: Process): boolean => stderr.includes('may change the same at the same time');

/** Notes what a change has done to the days of a schedule. */
const noteDays = (scene: Scene, schedule: Schedule, isDoubtful: boolean): void => {
  const days = daysOffOf(scene, new URL(schedule.uri).pathname);
  for (const day of new Set([...days.keys(), ...schedule.rules.flatMap(dayOf)])) {
    const [before, isNowOff] = [days.get(day), isOff(schedule, day)];
    if ((before?.isOff ?? false) === isNowOff) continue;
    if (isDoubtful || before?.isDoubtful) scene.doubtfulDays.add(day);
    days.set(day, { isOff: isNowOff, isDoubtful });
  }
};

/** Notes the days that are changed without a lock, or by a request that comes late. */
export const watchSchedules = (scene: Scene): void => {
  const { site } = scene;
  const learn = site.onChange;
  site.onChange = (request, reply, process, isLate) => {
    learn(request, reply, process, isLate);
    const { pathname } = new URL(request.url);
    if (request.method !== 'PATCH' || !pathname.startsWith(schedulesPath)) return;
    noteDays(scene, JSON.parse(reply.body).resource, isLate || isUnlocked(process));
  };
};

/** Somebody takes a day off, or back, at the website, which takes no lock. Nothing else changes this day now. */
const setDay = async (scene: Scene, type: EventType, day: string, isOffThen: boolean): Promise<void> => {
  const { uri, rules } = await scheduleOf(scene, type);
  const { pathname } = new URL(uri);
  const others = rules.filter((rule) => dayOf(rule) !== day);
  const wanted = isOffThen ? [...others, { type: 'date', date: day, intervals: [] }] : others;
  const { resource } = await scene.visit<{ resource: Schedule }>('PATCH', pathname, { rules: wanted });
  // What others change at the same time may be undone.
  noteDays(scene, resource, true);
  scene.doubtfulDays.delete(day);
  daysOffOf(scene, pathname).set(day, { isOff: isOffThen, isDoubtful: false });
};

const takeDayOff: Kind = {
  commands: ['availability off'],
  weight: 1,
  make(scene) {
    const day = dayFor(scene);
    const missing = () => wrongDay(scene, scene.ownTypes, day);
    return {
      argv: ['availability', 'off', day, ...common],
      missing,
      undo: () => setDay(scene, scene.ownTypes[0]!, day, false),
      wrongInTheEnd: missing,
      needsNoLock: true,
    };
  },
};

/** A day of the week without bookings, in all schedules. Nobody undoes it, because every intent of this kind wants it. */
const takeEveryDayOff: Kind = {
  commands: ['availability off'],
  weight: 1,
  make(scene) {
    const missing = () => wrongDay(scene, scene.ownTypes, 'sunday');
    return {
      argv: ['availability', 'off', '--every', 'sunday', ...common],
      missing,
      wrongInTheEnd: missing,
      needsNoLock: true,
    };
  },
};

const updateAllSchedules: Kind = {
  commands: ['availability update'],
  weight: 1,
  make(scene) {
    const day = dayFor(scene);
    const missing = () => wrongDay(scene, scene.ownTypes, day);
    return {
      argv: ['availability', 'update', '--all', '--day-off', day, ...common],
      missing,
      undo: () => setDay(scene, scene.ownTypes[0]!, day, false),
      wrongInTheEnd: missing,
      needsNoLock: true,
    };
  },
};

const undoDayOff: Kind = {
  commands: ['availability off'],
  weight: 1,
  async make(scene) {
    const day = dayFor(scene);
    const [type] = scene.ownTypes;
    const takeOff = () => setDay(scene, type!, day, true);
    await takeOff();
    const missing = () => wrongDay(scene, [type!], day, false);
    return {
      argv: ['availability', 'off', day, '--undo', ...common],
      missing,
      needsRecord: true,
      undo: takeOff,
      wrongInTheEnd: missing,
      needsNoLock: true,
    };
  },
};

const updateSchedule: Kind = {
  commands: ['availability update'],
  weight: 1,
  async make(scene, dice) {
    const day = dayFor(scene);
    const type = typeIn(scene, dice);
    const schedule = await scheduleOf(scene, type);
    const missing = () => wrongDay(scene, [type], day);
    return {
      argv: ['availability', 'update', schedule.uri, '--event-type', type.uri, '--day-off', day, ...common],
      missing,
      undo: () => setDay(scene, type, day, false),
      wrongInTheEnd: missing,
      needsNoLock: true,
    };
  },
};

/** Whether the user has an event type of this name that can be booked. */
const isBookable = async (scene: Scene, name: string): Promise<boolean> => {
  const path = `/event_types?${new URLSearchParams({ user: scene.me, organization: scene.organization, count: '100' })}`;
  const { collection } = await scene.visit<{ collection: EventType[] }>('GET', path);
  return collection.some((type) => type.name === name && type.active);
};

/** A file that creates an event type, and takes a day off in another one. */
const applyConfig: Kind = {
  commands: ['config apply'],
  weight: 2,
  make(scene, dice, machine) {
    const [day, name] = [dayFor(scene), `sim-${scene.nextNumber()}-x`];
    const type = typeIn(scene, dice);
    const path = `${inputs}/${name}.json`;
    const types = {
      fresh: { name, duration: 45, active: true },
      known: { name: type.name, availability: { dates: { [day]: 'off' } } },
    };
    machine.volume.place(path, JSON.stringify({ sched: 1, users: { me: { event_types: types } } }));
    const missing = async () => {
      const count = scene.model.created(name).length;
      if (count !== 1) return `R57: the event type ${name} was created ${count} times`;
      if (!(await isBookable(scene, name))) return `R57: the event type ${name} is not active`;
      return wrongDay(scene, [type], day);
    };
    return {
      argv: ['config', 'apply', path, '--allow', 'create', ...common],
      missing,
      undo: async () => {
        for (const each of scene.model.created(name)) await scene.visit('PATCH', each!, { active: false });
        await setDay(scene, type, day, false);
      },
      wrongInTheEnd: missing,
    };
  },
};

export const scheduleKinds = {
  takeDayOff,
  takeEveryDayOff,
  undoDayOff,
  updateSchedule,
  updateAllSchedules,
  applyConfig,
};
