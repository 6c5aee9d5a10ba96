import type { Dice } from '../dice.ts';
import { type Ended, inputs } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { common, type Intent, type Kind } from './intent.ts';

interface Row {
  email: string;
  start: string;
  type: string;
}

/** Half of the bookings are of a group type: the service itself refuses a second booking of a solo slot. */
const rowOf = (scene: Scene, dice: Dice): Row => ({
  email: `p${scene.nextNumber()}@sim.example`,
  start: scene.nextSlot(),
  type: dice.chance(0.5) ? scene.solo : scene.group,
});

/** What a booking has in common with all others: what is missing, and what others do to it. */
const bookingOf = (scene: Scene, rows: readonly Row[]) => {
  const emails = rows.map(({ email }) => email);
  const missing = () => unbooked(scene, rows);
  return {
    missing,
    wrongInTheEnd: missing,
    isOver: () => emails.some((email) => scene.changed.has(email)),
    undo: () => cancelAll(scene, emails),
  };
};

const unbooked = (scene: Scene, rows: readonly Row[]): string | undefined => {
  // Whoever is moved or canceled later is that intent's business.
  const missing = rows.filter(
    ({ email, start }) => !scene.changed.has(email) && scene.model.of(email, start).length !== 1,
  );
  return missing.length === 0 ? undefined : `R27: ${missing.map(({ email }) => email).join(', ')} not booked once`;
};

/** Somebody cancels all that these people have booked. */
const cancelAll = async ({ model, visit }: Scene, emails: readonly string[]): Promise<void> => {
  for (const { event } of emails.flatMap((email) => model.of(email)))
    await visit('POST', `${new URL(event).pathname}/cancellation`, {});
};

const book: Kind = {
  commands: ['invitees create'],
  weight: 4,
  make(scene, dice) {
    const row = rowOf(scene, dice);
    const who = ['--start', row.start, '--email', row.email, '--name', 'Ada', '--timezone', 'UTC'];
    return {
      ...bookingOf(scene, [row]),
      argv: ['invitees', 'create', '--event-type', row.type, ...who, ...common],
      release: () => void scene.booked.push(row),
      // The booking exists already, which must be true.
      settles: ({ code }) => code === 7,
      isSentOnce: true,
      isShared: true,
    };
  },
};

/** The same booking as a raw request. */
const bookByApi: Kind = {
  commands: ['api'],
  weight: 1,
  make(scene, dice, machine) {
    const row = rowOf(scene, dice);
    const path = `${inputs}/${scene.nextNumber()}.json`;
    const invitee = { email: row.email, name: 'Ada', timezone: 'UTC' };
    machine.volume.place(path, JSON.stringify({ event_type: row.type, start_time: row.start, invitee }));
    return {
      ...bookingOf(scene, [row]),
      argv: ['api', 'POST', '/invitees', '--input', path, '--yes'],
      settles: ({ code }) => code === 7,
      isSentOnce: true,
    };
  },
};

/** Looks up what earlier commands may have booked. It changes nothing at the service. */
export const lookUp = (): Intent => ({
  argv: ['invitees', 'reconcile', '--json'],
  missing: () => undefined,
  // Some bookings are still open.
  settles: ({ code }) => code === 10 || code === 11,
  isUnsure: true,
});

const reconcile: Kind = { commands: ['invitees reconcile'], weight: 1, make: lookUp };

const bulk: Kind = {
  commands: ['invitees create'],
  weight: 2,
  make(scene, dice, machine) {
    const rows = Array.from({ length: 2 + dice.below(7) }, () => rowOf(scene, dice));
    const path = `${inputs}/${scene.nextNumber()}.csv`;
    const lines = rows.map(({ email, start, type }) => `${type},${start},${email},Ada,UTC`);
    machine.volume.place(path, ['event_type,start,email,name,timezone', ...lines].join('\n'));
    return { ...bookingOf(scene, rows), argv: ['invitees', 'create', '--from', path, ...common], isRun: true };
  },
};

/** A booking that is done, or one that somebody makes at the website. Nothing else changes it now. */
const takeBooked = async (scene: Scene, dice: Dice): Promise<Row> => {
  const at = scene.booked.findIndex(({ email, start }) => scene.model.of(email, start).length === 1);
  if (at >= 0) return scene.booked.splice(at, 1)[0]!;
  const row = rowOf(scene, dice);
  const invitee = { email: row.email, name: 'Ada', timezone: 'UTC' };
  await scene.visit('POST', '/invitees', { event_type: row.type, start_time: row.start, invitee });
  return row;
};

/** A move is taken over from a process that is running only after it has been silent for longer than this. */
const shortestTurnMs = 60_000;

const move: Kind = {
  commands: ['events move'],
  weight: 3,
  async make(scene, dice) {
    const old = await takeBooked(scene, dice);
    const { email, type } = old;
    const [booking] = scene.model.of(email, old.start);
    const isCanceledFirst = dice.chance(0.5);
    const start = scene.nextSlot();
    const by = {};
    // The whole event is moved, with everybody who has joined it.
    for (const each of scene.model.emailsAt(booking!.event))
      scene.changed.set(each, { by, most: isCanceledFirst ? 1 : 2 });
    const count = () => scene.model.of(email).length;
    // Somebody joins a group while it is moved: they must not be left out without a word.
    const newcomer = type === scene.group && dice.chance(0.5) ? `new${scene.nextNumber()}@sim.example` : undefined;
    if (newcomer !== undefined) {
      const invitee = { email: newcomer, name: 'Newcomer', timezone: 'UTC' };
      scene.changed.set(newcomer, { by, most: isCanceledFirst ? 1 : 2 });
      scene.later(dice.below(1000), 'POST', '/invitees', { event_type: type, start_time: old.start, invitee });
    }
    let said = '';
    const isLeftOut = () => {
      const isThere = newcomer === undefined || scene.model.of(newcomer).length > 0;
      return !isThere && scene.model.hasBooked(newcomer!) && !said.includes(newcomer!);
    };
    const says = (ended: Ended | undefined, words: string) => ended?.stderr.includes(words) === true;
    // A service that was reset may show the old event as canceled, and not the new one.
    const saysNobody = (ended: Ended | undefined) =>
      says(ended, 'nobody is booked') || (scene.wasReset && says(ended, 'no longer stands'));
    const order = isCanceledFirst ? ['--cancel-first'] : [];
    return {
      argv: ['events', 'move', booking!.event.split('/').at(-1)!, '--to', start, ...order, ...common],
      needsRecord: true,
      isOver: () => scene.changed.get(email)?.by !== by,
      undo: () => cancelAll(scene, [email]),
      missing: () => {
        if (scene.model.of(email, start).length !== 1) return `R56: ${email} is not booked at the new time`;
        if (isLeftOut()) return `R56: ${newcomer} joined, and is left out`;
        return count() === 1 ? undefined : `R56: ${email} has ${count()} bookings`;
      },
      onEnd: ({ stderr }, { writes, startedAt, pid }) => {
        said += stderr;
        const age = scene.scheduler.time - startedAt;
        // Without a write, it may have begun at the same time as the other one.
        if (/has taken over this move/.test(stderr) && writes.sent > 0 && age < shortestTurnMs)
          scene.scheduler.violate(`R56: the move of ${pid} was taken over after ${age} ms, while it was running`);
      },
      release: () => void scene.booked.push({ email, start, type }),
      wrongInTheEnd: (last) =>
        count() === 1 || saysNobody(last) || scene.changed.get(email)?.by !== by
          ? undefined
          : `R56: ${email} has ${count()} bookings in the end`,
      isShared: true,
    };
  },
};

/** Nobody can take back a cancellation. */
const cancel: Kind = {
  commands: ['events cancel'],
  weight: 2,
  async make(scene, dice) {
    const old = await takeBooked(scene, dice);
    const [booking] = scene.model.of(old.email, old.start);
    scene.changed.set(old.email, { by: old, most: 1 });
    const missing = () =>
      scene.model.of(old.email).length === 0 ? undefined : `R26: the event of ${old.email} is not canceled`;
    return {
      argv: ['events', 'cancel', booking!.event.split('/').at(-1)!, '--reason', 'ill', ...common],
      needsRecord: true,
      isOver: () => scene.changed.get(old.email)?.by !== old,
      missing,
      wrongInTheEnd: missing,
    };
  },
};

/** Nobody can take back a deletion. */
const erase: Kind = {
  commands: ['compliance delete'],
  weight: 2,
  make(scene, dice, machine) {
    const emails = Array.from({ length: 1 + dice.below(120) }, () => `gone${scene.nextNumber()}@sim.example`);
    const path = `${inputs}/${scene.nextNumber()}.txt`;
    machine.volume.place(path, emails.join('\n'));
    const missing = () => {
      const left = emails.filter((email) => !scene.model.isErased(email));
      return left.length === 0 ? undefined : `R34: ${left.length} of ${emails.length} addresses were never sent`;
    };
    return {
      argv: ['compliance', 'delete', '--from', path, '--json', '--confirm', String(emails.length)],
      missing,
      sentTooOften: (mishaps) => {
        const most = Math.max(...emails.map((email) => scene.model.erasures.get(email) ?? 0));
        return most > 1 + mishaps ? `R34: an address was sent ${most} times after ${mishaps} mishaps` : undefined;
      },
      wrongInTheEnd: missing,
      isRun: true,
      hidesAddresses: true,
    };
  },
};

export const bookingKinds = { book, bookByApi, reconcile, bulk, move, cancel, erase };
