import type { Dice } from '../dice.ts';
import { inputs } from '../machine.ts';
import type { EventType, Scene } from '../scene.ts';
import { common, type Intent, type Kind } from './intent.ts';

/*
 * Changes of schedules and configurations. Each has a day or a name of its own, so that a change of another process that
 * gets lost is seen (R57, R66).
 */

interface Schedule {
  uri: string;
  user: string;
  rules: { type: string; date?: string; intervals: unknown[] }[];
}

/** A day that no other intent takes off. */
const dayFor = (scene: Scene): string =>
  new Date(Date.UTC(2030, 0, scene.nextNumber())).toISOString().slice(0, 'yyyy-mm-dd'.length);

/** One of two event types: then several processes change the same schedule. */
const typeIn = (scene: Scene, dice: Dice): EventType => dice.pick(scene.ownTypes.slice(0, 2));

const schedulesOf = async (scene: Scene, types: readonly EventType[]): Promise<Schedule[]> => {
  const found: Schedule[] = [];
  for (const { uri } of types) {
    const path = `/event_type_availability_schedules?${new URLSearchParams({ event_type: uri })}`;
    found.push(...(await scene.visit<{ collection: Schedule[] }>('GET', path)).collection);
  }
  return found.filter(({ user }) => user === scene.me);
};

const isOff = ({ rules }: Schedule, day: string): boolean =>
  rules.some(({ date, intervals }) => date === day && intervals.length === 0);

/** What is wrong if a day is to be off, or not to be off, in the schedules of these event types. */
const wrongDay = async (scene: Scene, types: readonly EventType[], day: string, isWanted = true) => {
  if (scene.maySchedulesClash) return undefined;
  const wrong = (await schedulesOf(scene, types)).filter((schedule) => isOff(schedule, day) !== isWanted);
  return wrong.length === 0 ? undefined : `R66: ${day} is ${isWanted ? 'not ' : ''}off in ${wrong.length} schedules`;
};

/** Notes whether a process may have worked on schedules at the same time as another one. */
const onEndIn =
  (scene: Scene): Intent['onEnd'] =>
  ({ stderr }, { isKilled, saw, writes }) => {
    const isUnlocked = stderr.includes('may change the same at the same time');
    const isLate = writes.sent > 0 && (isKilled || saw.lostWrites + saw.signals > 0);
    if (isUnlocked || isLate) scene.maySchedulesClash = true;
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
      wrongInTheEnd: missing,
      onEnd: onEndIn(scene),
    };
  },
};

const undoDayOff: Kind = {
  commands: ['availability off'],
  weight: 1,
  async make(scene) {
    const day = dayFor(scene);
    const [type] = scene.ownTypes;
    const [schedule] = await schedulesOf(scene, [type!]);
    const rules = [...schedule!.rules, { type: 'date', date: day, intervals: [] }];
    await scene.visit('PATCH', new URL(schedule!.uri).pathname, { rules });
    const missing = () => wrongDay(scene, [type!], day, false);
    return {
      argv: ['availability', 'off', day, '--undo', ...common],
      missing,
      wrongInTheEnd: missing,
      onEnd: onEndIn(scene),
    };
  },
};

const updateSchedule: Kind = {
  commands: ['availability update'],
  weight: 1,
  async make(scene, dice) {
    const day = dayFor(scene);
    const type = typeIn(scene, dice);
    const [schedule] = await schedulesOf(scene, [type]);
    const missing = () => wrongDay(scene, [type], day);
    return {
      argv: ['availability', 'update', schedule!.uri, '--event-type', type.uri, '--day-off', day, ...common],
      missing,
      wrongInTheEnd: missing,
      onEnd: onEndIn(scene),
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
      const count = scene.model.created(name);
      if (count !== 1) return `R57: the event type ${name} was created ${count} times`;
      if (!(await isBookable(scene, name))) return `R57: the event type ${name} is not active`;
      return wrongDay(scene, [type], day);
    };
    return {
      argv: ['config', 'apply', path, '--allow', 'create', ...common],
      missing,
      wrongInTheEnd: missing,
      onEnd: onEndIn(scene),
    };
  },
};

export const scheduleKinds = { takeDayOff, undoDayOff, updateSchedule, applyConfig };
