import { hash } from 'node:crypto';
import { eventTypes } from '../../src/api/event-types.ts';
import { invitees } from '../../src/api/invitees.ts';
import { hasCategory, SchedError } from '../../src/base/errors.ts';
import type { Json } from '../../src/base/json.ts';
import { idIn } from '../../src/base/uri.ts';
import { answer } from '../../src/cli/answer/carry-out.ts';
import type { Shell } from '../../src/cli/session/context.ts';
import { sendBooking } from '../../src/commands/booking/book-many.ts';
import type { BookingLine } from '../../src/commands/booking/read-bookings.ts';
import { book as bookJob } from '../../src/commands/booking/work.ts';
import type { Bulk } from '../../src/commands/bulk/run-answer.ts';
import { bulkPlan } from '../../src/commands/bulk/run-bulk.ts';
import type { InputItem } from '../../src/commands/bulk/screen.ts';
import { sendDeletion } from '../../src/commands/compliance/delete.ts';
import { applyContext, outcomeOf } from '../../src/commands/config/apply.ts';
import { worldSource } from '../../src/commands/config/read-plan.ts';
import { applyConfig } from '../../src/commands/config/work-apply.ts';
import { acceptsConfirmed } from '../../src/commands/config/work-confirmed-plan.ts';
import { diffConfig } from '../../src/commands/config/work-diff.ts';
import { planDigest } from '../../src/commands/config/work-digest.ts';
import type { WantedHours, WantedType } from '../../src/commands/config/work-file-schema.ts';
import { readConfig } from '../../src/commands/config/work-read-file.ts';
import { reach, readWorld } from '../../src/commands/config/work-read-service.ts';
import { checkMovable, moveTo, planOf, readMovable } from '../../src/commands/move/plan-move.ts';
import { moveEvent } from '../../src/commands/move/work.ts';
import { NotMoved } from '../../src/commands/move/work-steps.ts';
import type { Dice } from './dice.ts';
import { bookingOf, movingOf } from './job-context.ts';
import type { ModelService } from './model-service.ts';
import { organization, origin, user } from './model-service.ts';
import type { Scene } from './scene.ts';

/** A job that a process does. It throws the error that a command would report. */
export interface Job {
  readonly context: Shell;
  /** Whether a person has looked at the calendar and allows a duplicate. */
  readonly allowDuplicate: boolean;
  /** Called for each booking, move, line or apply that begins. */
  count(): void;
}

/** How a job has ended. */
export interface JobEnd {
  code: number | 'killed';
  error: SchedError | undefined;
}

/** Something that a user wants, and how to tell whether it is so. */
export interface JobIntent {
  /** How it is named in the trace. */
  readonly words: readonly string[];
  work(job: Job): Promise<void>;
  /** What is missing although the job says that it is done. Nothing if all is there. */
  missing(): string | undefined;
  /** Whether the user has no reason to try again after this error. */
  settles?(error: SchedError): boolean;
  /** What is wrong once it is settled or can't be settled, and nothing fails any more. */
  wrongInTheEnd(last: JobEnd | undefined): string | undefined;
  /** Lets others change what it has made, once no process works on it any more. */
  release?(): void;
  /** An error that can't be true. */
  untrue?(error: SchedError): string | undefined;
  /** Called when an event is canceled: what is wrong then. */
  onCanceled?(event: string): string | undefined;
  /** The addresses of those whom it books. */
  people?: readonly string[];
  /** What the service has accepted counts as unknown if it can't be read then. */
  isReadBack?: boolean;
  /** How often the same item was sent, at most. */
  mostSent?(): number;
  /** Whether a person sees in the calendar that it is not done. */
  isUndone?(): boolean;
  /** No two processes may send the same run at once (R37). */
  isRun?: boolean;
  /** With shared state, any machine can go on. */
  isShared?: boolean;
}

/** What the jobs of a seed are about. */
export interface JobScene extends Scene {
  service: ModelService;
  /** Names of event types that nothing else is changing. */
  typeNames: string[];
  /** Who last began to change an event type, by its name. */
  typesBy: Map<string, object>;
  /** The file that was last applied on each machine, by its name: a machine keeps one confirmed plan. */
  appliedOn: Map<string, object>;
  /** IDs of records that a request has changed after its sender gave up: it may have undone what others set meanwhile. */
  changedLate: Set<string>;
}

interface JobKind {
  /** How often it is chosen. */
  weight: number;
  /** Undefined if there is nothing to do it to. */
  make(scene: JobScene, dice: Dice): JobIntent | undefined | Promise<JobIntent | undefined>;
}

interface Row {
  email: string;
  start: string;
  type: string;
}

const personOf = (email: string) => ({ email, name: 'Ada', timezone: 'UTC' });

const bodyOf = ({ email, start, type }: Row) => ({ event_type: type, start_time: start, invitee: personOf(email) });

/** Half of the bookings are of a group type: the service itself refuses a second booking of a solo slot. */
const rowOf = (scene: JobScene, dice: Dice): Row => ({
  email: `p${scene.nextNumber()}@sim.example`,
  start: scene.nextSlot(),
  type: dice.chance(0.5) ? scene.solo : scene.group,
});

const unbooked = (scene: JobScene, rows: readonly Row[]): string | undefined => {
  // Whoever is moved later is that intent's business.
  const missing = rows.filter(
    ({ email, start }) => !scene.changed.has(email) && scene.model.of(email, start).length !== 1,
  );
  return missing.length === 0 ? undefined : `R27: ${missing.map(({ email }) => email).join(', ')} not booked once`;
};

const book: JobKind = {
  weight: 8,
  make(scene, dice) {
    const row = rowOf(scene, dice);
    const body = bodyOf(row);
    const ifAbsent = dice.chance(0.3);
    const missing = () => unbooked(scene, [row]);
    return {
      words: ['book', row.email],
      work: async ({ context, allowDuplicate, count }) => {
        count();
        const client = await context.client();
        const send = (leaving: () => Promise<void>) => client.write(invitees.create, { body }, leaving);
        await bookJob(await bookingOf(context), { ...body, send }, { ifAbsent, allowDuplicate });
      },
      missing,
      // The booking exists already, which must be true.
      settles: ({ category }) => category === 'conflict',
      wrongInTheEnd: missing,
      release: () => void scene.booked.push(row),
      isUndone: () => missing() !== undefined,
      people: [row.email],
      isShared: true,
    };
  },
};

/** Somebody else books. */
const visitor = (scene: JobScene, type: string, start: string): Promise<unknown> =>
  scene.visit('POST', '/invitees', bodyOf({ email: `v${scene.nextNumber()}@else.example`, start, type }));

/** The people of a new group event, or the person of a booking that is done. */
const movedPeople = async (scene: JobScene, dice: Dice): Promise<{ rows: Row[]; event: string } | undefined> => {
  if (dice.chance(0.3)) {
    const start = scene.nextSlot();
    const rows = Array.from({ length: 2 + dice.below(2) }, () => ({ ...rowOf(scene, dice), start, type: scene.group }));
    for (const row of rows) await scene.visit('POST', '/invitees', bodyOf(row));
    return { rows, event: scene.model.of(rows[0]!.email)[0]!.event };
  }
  const at = scene.booked.findIndex(({ email, start }) => scene.model.of(email, start).length === 1);
  const [row] = at < 0 ? [] : scene.booked.splice(at, 1);
  return row && { rows: [row], event: scene.model.of(row.email, row.start)[0]!.event };
};

const seatsOfGroup = 10;

/** R56: who is booked, as the error says it. Each has one booking if it says nothing about that. */
const wrongCounts = (counts: readonly number[], error: SchedError | undefined): string | undefined => {
  const text = `${error?.message ?? ''}; ${error?.facts.reason ?? ''}`;
  const how = (times: number) => counts.filter((count) => count === times).length;
  const [, some, of] = /(?:(\d+) of )?(\d+) (?:person|people) (?:is|are) booked at both times/.exec(text) ?? [];
  if (of !== undefined)
    return how(2) === Number(some ?? of) && how(1) + how(2) === counts.length ? undefined : 'at both times';
  if (/nobody is booked/.test(text)) return how(0) === counts.length ? undefined : 'not nobody';
  const [, placed] = /the old event is canceled, and (\d+) of \d+ (?:person|people)/.exec(text) ?? [];
  const wanted = placed === undefined ? counts.length : Number(placed);
  return how(1) === wanted && how(0) === counts.length - wanted ? undefined : 'not one each';
};

const move: JobKind = {
  weight: 6,
  async make(scene, dice) {
    const found = await movedPeople(scene, dice);
    if (found === undefined) return undefined;
    const { rows, event } = found;
    const { start: from, type } = rows[0]!;
    const to = scene.nextSlot();
    const isCanceledFirst = dice.chance(0.5);
    const [isNewTaken, isOldTaken] = [dice.chance(0.2), dice.chance(0.5)];
    if (isNewTaken) {
      // Of a group, one seat is left.
      const visitors = type === scene.group ? seatsOfGroup - 1 : 1;
      for (let count = 0; count < visitors; count += 1) await visitor(scene, type, to);
    }
    const by = {};
    for (const { email } of rows) scene.changed.set(email, { by, most: isCanceledFirst ? 1 : 2 });
    /** Nobody has begun another move of these people since. */
    const isLast = () => rows.every(({ email }) => scene.changed.get(email)?.by === by);
    const counts = () => rows.map(({ email }) => scene.model.of(email).length);
    const choices = { reason: 'Moved', cancelFirst: isCanceledFirst };
    return {
      words: ['move', idIn(event), to, ...(isCanceledFirst ? ['cancel-first'] : [])],
      work: async ({ context, allowDuplicate, count }) => {
        count();
        const moving = await movingOf(context);
        const client = await context.client();
        const options = { ...choices, allowDuplicate };
        const typeOf = (uri: string) => client.call(eventTypes.get, { path: { event_type: idIn(uri) } });
        const movable = await readMovable(moving, idIn(event), options, typeOf);
        checkMovable(context, movable, options);
        await moveEvent(moving, planOf(context, moveTo(movable, Date.parse(to)), options));
      },
      missing: () =>
        rows.every(({ email }) => scene.model.of(email, to).length === 1) && counts().every((count) => count === 1)
          ? undefined
          : `R56: ${counts().join(', ')} bookings after a move`,
      // Not for each refusal: another process may be in the middle of it. One that was killed may have ended it.
      settles: (error) => error instanceof NotMoved || /is canceled, so it can't be moved/.test(error.message),
      wrongInTheEnd: (last) => {
        if (!isLast()) return undefined;
        const wrong = wrongCounts(counts(), last?.error);
        return wrong && `R56: ${wrong}, but ${counts().join(', ')} bookings`;
      },
      release: () => {
        const [{ email }, ...others] = rows as [Row];
        const [only, second] = scene.model.of(email);
        // An event with others in it would be moved with all of them.
        const isAlone = others.length === 0 && !(isNewTaken && type === scene.group);
        if (isAlone && only !== undefined && second === undefined)
          scene.booked.push({ email, start: only.start, type });
      },
      untrue: ({ message }) =>
        /Someone else canceled/.test(message) ? 'R56: nobody else has canceled the event' : undefined,
      onCanceled: (canceled) => {
        if (canceled !== idIn(event) || !isLast()) return undefined;
        if (isNewTaken && isOldTaken && type === scene.solo) void visitor(scene, type, from);
        return isCanceledFirst || counts().every((count) => count > 0)
          ? undefined
          : `R56: ${counts().join(', ')} bookings after a cancellation`;
      },
      isUndone: () => counts().some((count) => count === 0),
      people: rows.map(({ email }) => email),
      isShared: true,
    };
  },
};

const once = { receipt: undefined, again: false };

/** What each bulk job has. */
const common = {
  owner: user,
  organization,
  endpoint: origin,
  isSandbox: false,
  wrong: [],
  thing: 'line' as const,
  fix: () => '',
};

/** Carries out bulk work, which asks nobody here. */
const runBulk = <Item extends InputItem>(context: Shell, job: Bulk<Item>): Promise<void> =>
  answer(context, bulkPlan(context, once, { job: async () => job }));

/** Counts each request of a bulk job. */
const counted =
  <Item>(send: Bulk['send'], count: () => void) =>
  (items: readonly Item[], leaving: () => Promise<void>) => {
    count();
    return send(items as never, leaving);
  };

const bulk: JobKind = {
  weight: 3,
  make(scene, dice) {
    const rows = Array.from({ length: 2 + dice.below(15) }, () => rowOf(scene, dice));
    const items = rows.map((row, index) => ({ line: index + 1, body: bodyOf(row), input: { body: bodyOf(row) } }));
    const input = hash('sha256', JSON.stringify(items));
    const missing = () => unbooked(scene, rows);
    return {
      words: ['bulk', ...rows.map(({ email }) => email)],
      work: async ({ context, count }) => {
        const send = sendBooking(context, await context.client(), await bookingOf(context), false);
        await runBulk(context, {
          ...common,
          things: 'meetings',
          done: 'booked',
          operation: 'invitees.create',
          input,
          items: items as unknown as BookingLine[],
          needsAll: true,
          mark: ({ line, body }) => `${line} ${idIn(body.event_type)} ${body.start_time}`,
          send: counted(send as Bulk['send'], count),
        });
      },
      missing,
      wrongInTheEnd: missing,
      isRun: true,
    };
  },
};

const addressesPerRequest = 3;

const erase: JobKind = {
  weight: 2,
  make(scene, dice) {
    const items = Array.from({ length: 1 + dice.below(12) }, (_, index) => ({
      line: index + 1,
      text: `gone${scene.nextNumber()}@sim.example`,
    }));
    const input = hash('sha256', JSON.stringify(items));
    const sent = () => items.map(({ text }) => scene.model.erasures.get(text) ?? 0);
    const missing = () => {
      const left = sent().filter((count) => count === 0).length;
      return left === 0 ? undefined : `R34: ${left} of ${items.length} addresses were never sent`;
    };
    return {
      words: ['erase', `${items[0]!.text} and ${items.length - 1} more`],
      work: async ({ context, count }) => {
        const send = sendDeletion(await context.client(), (text) => text);
        await runBulk(context, {
          ...common,
          things: 'addresses',
          done: 'accepted',
          operation: 'compliance.delete',
          input,
          items,
          batchSize: addressesPerRequest,
          mark: ({ text }) => hash('sha256', text),
          send: counted(send as Bulk['send'], count),
        });
      },
      missing,
      wrongInTheEnd: missing,
      mostSent: () => Math.max(...sent()),
      isRun: true,
    };
  },
};

const hoursOf = (dice: Dice): string[] => [`mon-${dice.pick(['tue', 'thu', 'fri'])} 0${8 + dice.below(2)}:00-12:00`];

const weekdayWords = ['mon', 'tue', 'wed', 'thu', 'fri'];

/** Whether a schedule has the hours that `hoursOf` makes, and its time zone. */
const hasHours = ({ timezone, rules }: Json, wanted: WantedHours): boolean => {
  const [, last, hours] = /^mon-(\w+) (.+)$/.exec(wanted.hours![0]!)!;
  const days = weekdayWords.slice(0, weekdayWords.indexOf(last!) + 1).map((day) => `${day} ${hours}`);
  const shown = (rules as { wday: string; intervals: { from: string; to: string }[] }[]).flatMap(
    ({ wday, intervals }) => intervals.map(({ from, to: end }) => `${wday.slice(0, 3)} ${from}-${end}`),
  );
  return timezone === wanted.timezone && shown.join() === days.join();
};

/** What is wanted of an event type: some of its fields, and maybe its hours. */
const wantedOf = (name: string, dice: Dice): WantedType => ({
  name,
  active: dice.chance(0.7),
  duration: 15 + 5 * dice.below(6),
  ...(dice.chance(0.5) && { description_plain: `About ${dice.below(100)}` }),
  ...(dice.chance(0.6) && { availability: { hours: hoursOf(dice), timezone: dice.pick(['UTC', 'Europe/Paris']) } }),
});

const apply: JobKind = {
  weight: 3,
  make(scene, dice) {
    const fresh = Array.from({ length: dice.below(3) }, () => `New ${scene.nextNumber()}`);
    const known = scene.typeNames.splice(0, fresh.length === 0 ? 1 : dice.below(2));
    const names = [...fresh, ...known];
    if (names.length === 0) return undefined;
    const event_types = Object.fromEntries(names.map((name, index) => [`t${index}`, wantedOf(name, dice)]));
    const file = readConfig(JSON.stringify({ sched: 1, users: { me: { event_types } } }), 'team.yaml');
    if (!file.ok) throw new Error(file.problems[0]!.message);
    const { file: read } = file;
    for (const name of names) scene.typesBy.set(name, read);
    // A plan that was confirmed is kept on one machine.
    const isConfirmed = !scene.isShared && dice.chance(0.5);
    let confirmed: string | undefined;
    // A change was sent, so the plan is kept, and the same digest must go on.
    let isUnderway = false;
    const twice = () => {
      const name = names.find((each) => scene.service.typesCalled(each).length > 1);
      return name && `R57: there are two event types called ${name}`;
    };
    const missing = () => {
      const wrong = Object.values(event_types).find(({ name, availability, ...fields }) => {
        if (scene.typesBy.get(name) !== read) return false;
        const [type] = scene.service.typesCalled(name);
        if (type !== undefined && [type.record, type.schedule].some(({ uri }) => scene.changedLate.has(idIn(uri))))
          return false;
        if (type === undefined || Object.entries(fields).some(([field, value]) => type.record[field] !== value))
          return true;
        return availability !== undefined && !hasHours(type.schedule, availability);
      });
      return twice() ?? (wrong && `R57: ${wrong.name} is not as the file says`);
    };
    const planNow = async (context: Shell) => {
      const world = await readWorld(await worldSource(context), reach(read.config));
      const diffed = diffConfig(read, world);
      if (!diffed.ok) throw new Error(diffed.problems[0]!.message);
      return { plan: diffed.plan, world };
    };
    return {
      words: ['apply', ...names],
      work: async ({ context, count }) => {
        count();
        const { plan, world } = await planNow(context);
        if (plan.changes.length === 0) return;
        const { host } = context.runtime.machine;
        // After another file, a person has to confirm the rest.
        if (scene.appliedOn.get(host) !== read) isUnderway = false;
        if (!isUnderway) confirmed = isConfirmed ? planDigest(plan) : undefined;
        const digest = confirmed;
        scene.appliedOn.set(host, read);
        const facts = { file: read, reach: reach(read.config), world, plan, digest: planDigest(plan) };
        const applying = await applyContext(context, facts, 'team.yaml');
        const { client } = applying;
        applying.client = {
          ...client,
          write: (...request) => {
            [confirmed, isUnderway] = [digest, true];
            return client.write(...request);
          },
        };
        if (digest !== undefined && !(await acceptsConfirmed(applying, plan, digest)))
          throw new SchedError('conflict', 'The changes differ from the confirmed ones');
        const applied = await applyConfig(applying, read, reach(read.config), plan, digest).catch((error: unknown) => {
          // Another process has the lock, and keeps the plan of its own file.
          if (hasCategory(error, 'conflict') && scene.appliedOn.get(host) === read) scene.appliedOn.delete(host);
          throw error;
        });
        const failed = applied.outcomes.find(({ state }) => state !== 'applied' && state !== 'already');
        if (failed === undefined) return;
        const error = applied.stopReason ?? new SchedError('partial', `Not all was applied: ${failed.error?.message}`);
        throw error.with({ outcome: outcomeOf(applied) });
      },
      missing,
      wrongInTheEnd: missing,
      untrue: twice,
      isReadBack: true,
      release: () => void scene.typeNames.push(...names),
      isShared: true,
    };
  },
};

export const jobKinds: Record<string, JobKind> = { book, move, bulk, erase, apply };
