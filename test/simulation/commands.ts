import { jsonIn } from '../../src/base/json.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { ownerToken } from '../../src/sandbox/oauth/ready-tokens.ts';
import { type Dice, diceFor } from './dice.ts';
import { noFaults, usualIntents, workOf } from './faults.ts';
import { startHandlers } from './intents/backfill.ts';
import { lookUp } from './intents/bookings.ts';
import { followOnce, wrongLines } from './intents/follow.ts';
import type { Intent } from './intents/intent.ts';
import { kinds } from './intents/kinds.ts';
import { isLoginGone, placeLogin, watchLogin } from './intents/login.ts';
import { wrongPeople } from './intents/mirror.ts';
import { isUnlocked, watchSchedules } from './intents/schedules.ts';
import { type Counts, type Ended, inputs, type Machine, Process, runningAt } from './machine.ts';
import { origin } from './network.ts';
import { createScene, type OpenService, type Scene, type SceneOptions, watchBookings } from './scene.ts';

/*
 * Whole commands against the real sandbox. Shells on each machine run what the seed plans for them, and run it again if it
 * fails. Then all faults stop, and everything unfinished is run until it is done.
 */

export interface Options extends SceneOptions {
  /** How many intents are planned. */
  intents?: number;
  /** One call of a disk that fails, after the first start of followers. */
  failAt?: { command: string; call: string; number: number };
  /** The numbers of the intents that are left out. */
  dropped?: readonly number[];
}

export interface Outcome extends Counts {
  seed: number;
  digest: string;
  steps: number;
  /** How often each kind of intent ended with each exit code. */
  codes: Record<string, number>;
  violation: string | undefined;
  trace: readonly string[];
}

/** An intent and how it went so far. */
interface Task {
  intent: Intent;
  kind: string;
  machine: Machine;
  dice: Dice;
  isSettled: boolean;
  /** Whether a write of it may have been made without a word: lost, killed, or of two processes at once. */
  isDoubtful: boolean;
  running: Set<Process>;
  /** How often a process of it may have sent something without noting how that ended. */
  mishaps: number;
  /** Attempts that have not ended, or not begun yet. */
  pending: number;
  /** The service was restored as it was before what it needs was there. Nobody runs it any more. */
  isGone: boolean;
  /** Whether it ended with what a receipt says, after a reset. */
  isByReceipt: boolean;
  last: Ended | undefined;
}

const newTask = (intent: Intent, kind: string, machine: Machine, dice: Dice): Task => ({
  intent,
  kind,
  machine,
  dice,
  isSettled: false,
  isDoubtful: false,
  running: new Set(),
  mishaps: 0,
  pending: 0,
  isGone: false,
  isByReceipt: false,
  last: undefined,
});

const shellsPerMachine = 2;
const mostTurns = 400_000;
const pausesMs = [0, 100, 5000, 160_000];

/** Longer than a request may be on its way (R27). */
const longPauseMs = 160_000;

const environmentOf = ({ isShared }: Scene, { isLoggedIn = false }: Intent): Record<string, string> => ({
  ...(isLoggedIn ? {} : { SCHED_TOKEN: ownerToken, SCHED_BASE_URL: origin, CI: '1' }),
  NO_COLOR: '1',
  SCHED_ERROR_FORMAT: 'json',
  SCHED_RECEIPT_KEY_FILE: `${inputs}/key`,
  ...(isShared && { SCHED_SHARED_STATE: 'redis://127.0.0.1:6379' }),
});

/** Why the exit code of a process can't be true, from what happened to it. */
const untrueCode = (
  { saw, writes }: Process,
  { code, stderr }: Ended,
  task: Task,
  mayLoseLogin: boolean,
): string | undefined => {
  if (code === 'killed') return undefined;
  if ([1, 2].includes(code) || (code === 13 && saw.network === 0)) return 'no command ends so here';
  if (code !== 0 && stderr === '') return 'R65: it says nothing';
  if (task.intent.isSentOnce && writes.made > 1) return 'R26: it was sent twice';
  // A process that refreshes the login may keep others waiting.
  if (code === 3 && saw.disk === 0 && !task.intent.isLoggedIn) return 'the disk was fine';
  if (code === 3 && saw.disk === saw.redis && task.intent.needsNoLock) return 'R66: only Redis failed';
  if (code === 4 && !(task.intent.isLoggedIn && mayLoseLogin)) return 'R21: the token is fine';
  if (code === 8 && saw.limited < 3) return 'R29: fewer than three requests were refused';
  // An authorization server that refuses requests for a while counts as unavailable.
  const isRefused = task.intent.isLoggedIn && saw.limited > 0;
  if (code === 9 && saw.network === 0 && !isRefused) return 'the network was fine';
  if (code === 10 && !task.isDoubtful && !task.intent.isUnsure && saw.disk + saw.network === 0)
    return 'no reply was lost';
  if ((code === 130 || code === 143) && saw.signals === 0) return 'R42: there was no signal';
  const outcome = /"outcome": ?"([a-z-]+)"/.exec(stderr)?.[1];
  const isUnchanged = outcome === 'not-sent' || outcome === 'not-applied';
  if (isUnchanged && writes.made > 0) return `it says ${outcome}, and has changed something`;
  return undefined;
};

/** R33: each batch of a receipt has a number of its own, higher than those before. */
const areBatchesInOrder = (receipt: string): boolean => {
  const batches = receipt.split('\n').flatMap((line) => {
    const { type, batch, items } = (jsonIn(line) ?? {}) as { type?: string; batch?: number; items?: string[] };
    return type === 'sending' && items !== undefined ? [batch!] : [];
  });
  return batches.every((batch, index) => index === 0 || batch > batches[index - 1]!);
};

export const simulateCommands = async (seed: number, open: OpenService, options: Options = {}): Promise<Outcome> => {
  const scene = await createScene(seed, open, options);
  const { scheduler, site, machines, model } = scene;
  const codes: Record<string, number> = {};
  const tasks: Task[] = [];
  const setup = diceFor(seed, 'shells');
  const resetDice = diceFor(seed, 'resets');
  const isReset = resetDice.chance(options.only === undefined ? 0.2 : 0.5);
  let saved: { restore: () => Promise<void>; count: number } | undefined;
  const kindsOfSeed = workOf(kinds, diceFor(seed, 'work'), seed);

  watchBookings(scene);
  placeLogin(scene);
  watchSchedules(scene);
  startHandlers(scene);
  // R27: the service refuses a second booking of some times, which hides that it was sent.
  site.onArrive = (request, process) => {
    const { url, body = '' } = request;
    if (new URL(url).pathname !== '/invitees') return;
    const { start_time: start, invitee } = JSON.parse(body);
    if (model.of(invitee.email, start).length > 0)
      scheduler.violate(`R27: process ${process.pid} sends the booking of ${invitee.email} at ${start} again`);
  };
  /** Those who have sent schedules so far, by the machine, or of all machines that share state. */
  const senders = new Map<string, Process[]>();
  // R66: a process that has the lock sends all its schedules before the next one sends any.
  const checkTurns = (process: Process, { method, url }: HttpRequest): void => {
    if (method !== 'PATCH' || !new URL(url).pathname.startsWith('/event_type_availability_schedules/')) return;
    const place = scene.isShared ? '' : process.machine.name;
    const before = senders.get(place) ?? [];
    const other = before.at(-1);
    senders.set(place, [...before, process]);
    if (other === undefined || other === process || !before.includes(process)) return;
    // Without a lock, both say so.
    if (!isUnlocked(process) && !isUnlocked(other))
      scheduler.violate(`R66: ${other.pid} and ${process.pid} change schedules at the same time`);
  };
  // R33, R37
  site.onLeave = (process, request) => {
    checkTurns(process, request);
    const task = tasks.find(({ running }) => running.has(process));
    if (!task?.intent.isRun) return;
    if (!process.hasNoted) scheduler.violate(`R33: ${process.pid} sends what its receipt doesn't say`);
    process.hasNoted = false;
    for (const other of task.running)
      if (other !== process && !other.isOver && other.writes.sent > 0)
        scheduler.violate(`R37: ${other.pid} and ${process.pid} send the same run: ${process.argv.join(' ')}`);
  };

  watchLogin(scene);

  const judge = async (task: Task, process: Process, ended: Ended): Promise<void> => {
    const { code, stdout, stderr } = ended;
    const { intent, kind } = task;
    codes[`${kind} ${code}`] = (codes[`${kind} ${code}`] ?? 0) + 1;
    intent.onEnd?.(ended, process);
    const wrong = wrongPeople(scene, task.machine);
    if (wrong !== undefined) scheduler.violate(wrong);
    const violate = (why: string) =>
      scheduler.violate(`${why}\nexit ${code} of sched ${process.argv.join(' ')}\n${stderr}`);
    const why = untrueCode(process, ended, task, scene.mayLoseLogin);
    if (why !== undefined) violate(why);
    const { disk, lostWrites, signals } = process.saw;
    // After a refusal, a failing disk may keep the record of an attempt open.
    if (code === 'killed' || lostWrites + signals + disk > 0) task.isDoubtful = true;
    // Another machine can't tell whether the process still runs.
    if (scene.isShared && code !== 0) task.isDoubtful = true;
    const said = stdout + stderr;
    if (said.includes(ownerToken)) violate('R12: the output has the token');
    if (intent.hidesAddresses && said.includes('@sim.example')) violate('R49: the output has an address');
    task.mishaps += disk + lostWrites + signals + (code === 'killed' ? 1 : 0);
    task.last = ended;
    if (code !== 0 && !intent.settles?.(ended)) return;
    if (task.isSettled) return;
    task.isSettled = true;
    const missing = await intent.missing();
    // Where no look is made, it must say whose word it is.
    task.isByReceipt = scene.wasReset && stderr.includes('as the receipt says');
    if (missing !== undefined && !task.isByReceipt) violate(missing);
  };

  const attempt = async (task: Task): Promise<void> => {
    const { intent } = task;
    task.pending += 1;
    if (task.pending > 1) task.isDoubtful = true;
    const machine = scene.isShared && intent.isShared ? task.dice.pick(machines) : task.machine;
    await scheduler.turn(`start ${task.kind}`);
    const process = new Process(site, machine, intent.argv, environmentOf(scene, intent));
    site.counts.commands += 1;
    scheduler.note(`${machine.name} ${process.pid}: sched ${intent.argv.join(' ')}`);
    task.running.add(process);
    process.start();
    const ended = await process.done;
    task.running.delete(process);
    await judge(task, process, ended);
    task.pending -= 1;
    if (task.isSettled && task.pending === 0) intent.release?.();
  };

  /** What the error of an unknown booking advises. */
  const lookUpAt = (machine: Machine): Promise<void> => attempt(newTask(lookUp(), 'reconcile', machine, setup));

  const followAt = (machine: Machine): Promise<void> => attempt(newTask(followOnce(machine), 'follow', machine, setup));

  const planned = Array.from({ length: options.intents ?? usualIntents }, (_, index) => index).filter(
    (index) => !options.dropped?.includes(index),
  );

  /**
   * Somebody at a terminal: takes what is planned next, runs a command, and again if it didn't work out. Two may run the
   * same. The service is saved before the first attempt of one of them.
   */
  const shell = async (machine: Machine, planned: number[], savedAt: number | undefined): Promise<void> => {
    for (let index = planned.shift(); index !== undefined; index = planned.shift()) {
      const dice = diceFor(seed, `intent ${index}`);
      const open = tasks.filter((task) => !task.isSettled && !task.isGone && task.machine === machine);
      let task = dice.chance(0.2) && open.length > 0 ? dice.pick(open) : undefined;
      if (task === undefined) {
        const isFollower = scene.isFollowed && dice.chance(0.25);
        let kind = options.only ?? (isFollower ? 'follow' : dice.pick(kindsOfSeed));
        let intent = await kinds[kind]!.make(scene, dice, machine);
        if (intent === undefined) {
          kind = 'book';
          intent = (await kinds.book!.make(scene, dice, machine))!;
        }
        task = newTask(intent, kind, machine, dice);
        tasks.push(task);
      }
      if (index === savedAt) saved = { restore: scene.save(), count: tasks.length };
      for (let tries = 0; tries < 3 && !task.isSettled; tries += 1) {
        await Promise.all(dice.chance(0.25) ? [attempt(task), attempt(task)] : [attempt(task)]);
        await scheduler.sleep(dice.pick(pausesMs));
        if (task.last?.code === 10 && dice.chance(0.3)) await lookUpAt(machine);
      }
    }
  };

  /** Runs everything that is unfinished until it is done. */
  const finish = async (): Promise<void> => {
    for (const task of tasks.filter(({ isGone }) => !isGone)) {
      let namedSeconds: number | undefined;
      for (let tries = 0; !task.isSettled && tries < 10 && scheduler.violation === undefined; tries += 1) {
        await scheduler.sleep(namedSeconds === undefined ? (tries === 0 ? 1000 : longPauseMs) : namedSeconds * 1000);
        await bookNewer();
        await attempt(task);
        const { code, stderr } = task.last!;
        const named = code === 10 ? /"retry_after_s": ?(\d+)/.exec(stderr)?.[1] : undefined;
        // After a reset, several records may each have a time of their own.
        if (named !== undefined && namedSeconds !== undefined && !scene.wasReset)
          scheduler.violate(
            `R27: unknown again after the time that it named: ${task.intent.argv.join(' ')}\n${stderr}`,
          );
        namedSeconds = named === undefined ? undefined : Number(named);
      }
      const { intent, last, isSettled } = task;
      const wrong =
        (task.isByReceipt ? undefined : await intent.wrongInTheEnd?.(last)) ?? intent.sentTooOften?.(task.mishaps);
      const told = `${intent.argv.join(' ')}\nexit ${last?.code}\n${last?.stderr}`;
      if (wrong !== undefined) scheduler.violate(`${wrong}: ${told}`);
      if (!isSettled && !intent.wrongInTheEnd) scheduler.violate(`never done: ${told}`);
    }
    // R55
    for (const machine of scene.isFollowed ? machines : []) {
      await scheduler.sleep(longPauseMs);
      await followAt(machine);
      const wrong = wrongLines(scene, machine);
      if (wrong !== undefined) scheduler.violate(wrong);
    }
    // R12, R36
    for (const { volume, name } of machines)
      for (const [path, data] of volume.files()) {
        if (path.startsWith(inputs)) continue;
        if (path.includes('/receipts/') && path.endsWith('.jsonl') && !areBatchesInOrder(String(data)))
          scheduler.violate(`R33: the batches of ${name}:${path} are not distinct, or don't grow`);
        if (data.includes('@sim.example')) scheduler.violate(`R36: ${name}:${path} has an address`);
        if (data.includes(ownerToken) || path.includes(ownerToken))
          scheduler.violate(`R12: ${name}:${path} has the token`);
      }
    if (isLoginGone(scene)) scheduler.violate('R23: the stored login was removed');
  };

  /** Somebody books at the website: an empty look-up proves something only if the list shows something newer. */
  const bookNewer = async (): Promise<void> => {
    const invitee = { email: `newer${scene.nextNumber()}@sim.example`, name: 'Newer', timezone: 'UTC' };
    await scene.visit('POST', '/invitees', { event_type: scene.solo, start_time: scene.nextSlot(), invitee });
  };

  /**
   * While no process runs, the service is restored as it was before a command, or people undo at the website what commands
   * did. All of them are run again: whatever the records of their machines say, they may only claim what is so. Other
   * records have the IDs of those that are gone.
   */
  const reset = async (): Promise<void> => {
    scene.wasReset = true;
    if (saved !== undefined && resetDice.chance(0.7)) {
      const { restore, count } = saved;
      scheduler.note('the service is restored');
      await restore();
      for (const task of tasks.slice(count)) task.isGone = task.intent.needsRecord === true;
    }
    // Nobody else may take what is booked until its command has ended again.
    scene.booked.length = 0;
    for (const task of tasks) {
      if (task.isGone || task.intent.isOver?.()) continue;
      if (task.isSettled && resetDice.chance(0.3)) await task.intent.undo?.();
      // A record may still be open that nobody had to look at, as long as the service showed what was done.
      Object.assign(task, { isSettled: false, isDoubtful: true });
    }
  };

  const runAll = (works: Promise<void>[]) => scheduler.runAll(works, mostTurns, () => runningAt(machines));

  // A follower tells nothing of the past at its first start.
  if (scene.isFollowed) await runAll(machines.map(followAt));
  site.faults = scene.faults;
  site.failAt = options.failAt && { ...options.failAt };
  scheduler.mayStall = scene.faults.stall > 0;
  const half = Math.ceil(planned.length / 2);
  for (const part of isReset ? [planned.slice(0, half), planned.slice(half)] : [planned]) {
    const savedAt = isReset ? resetDice.pick(part) : undefined;
    await runAll(
      machines.flatMap((machine) => Array.from({ length: shellsPerMachine }, () => shell(machine, part, savedAt))),
    );
    if (isReset && scheduler.violation === undefined) await runAll([reset()]);
  }
  // R30: unless the budget is lost with a disk, counted partly in Redis and partly on the machine because Redis fails, or a
  // request or reply counts for a later minute.
  const { limited, redis, power, diskFull, diskError, lateRequest, stall } = scene.faults;
  const isSure = limited + power + diskFull + diskError + lateRequest + stall === 0;
  const isAlone = isSure && !isReset && (scene.isShared ? redis === 0 : machines.length === 1);
  if (isAlone && site.counts.limited > 0) scheduler.violate(`R30: the service refused ${site.counts.limited} requests`);
  site.faults = noFaults;
  site.failAt = undefined;
  scheduler.mayStall = false;
  for (const machine of machines) Object.assign(machine, { failing: undefined, offline: 0 });
  if (scheduler.violation === undefined) await runAll([finish()]);
  scene.close();
  return {
    seed,
    ...site.counts,
    digest: scheduler.digest(),
    steps: scheduler.steps,
    codes,
    violation: scheduler.violation,
    trace: scheduler.trace ?? [],
  };
};
