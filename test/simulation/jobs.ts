import { exitCodes, SchedError } from '../../src/base/errors.ts';
import { readReceipt, replay } from '../../src/commands/bulk/work-receipt.ts';
import type { Options, Outcome } from './commands.ts';
import { type Dice, diceFor } from './dice.ts';
import { noFaults, usualIntents, workOf } from './faults.ts';
import { createJobContext } from './job-context.ts';
import { type JobEnd, type JobIntent, type JobScene, jobKinds } from './job-kinds.ts';
import { inputs, type Machine, Process, runningAt } from './machine.ts';
import { createModelService, type ModelService } from './model-service.ts';
import { createScene, watchBookings } from './scene.ts';

/*
 * The jobs alone, without the command line, against a model of the service: many more of them in the same time, for rare
 * orders of events. Checks what was sent, what stands and what the errors say, not what is printed.
 */

/** An intent and how it went so far. */
interface Task {
  intent: JobIntent;
  kind: string;
  machine: Machine;
  dice: Dice;
  isSettled: boolean;
  /** Whether a write of it may have been made without a word, or claimed without being sent. */
  isDoubtful: boolean;
  /** Kills, lost replies and failed writes to disk: each may repeat one request (R34). */
  repetitions: number;
  running: Set<Process>;
  /** Attempts that have not ended, or not begun yet. */
  pending: number;
  last: JobEnd | undefined;
}

const shellsPerMachine = 2;
const mostTurns = 1_000_000;
const mostTries = 10;
const pausesMs = [0, 100, 5000, 160_000];

/** Longer than a request may be on its way (R27). */
const longPauseMs = 160_000;

const possibleCodes: readonly number[] = (
  [
    'environment',
    'conflict',
    'rate-limited',
    'unavailable',
    'integrity',
    'outcome-unknown',
    'partial',
    'interrupted',
    'terminated',
  ] as const
).map((category) => exitCodes[category]);

/** Why an error of a process can't be true, from what happened to it. */
const untrueError = ({ saw, writes }: Process, error: SchedError, { intent, isDoubtful }: Task): string | undefined => {
  const { category, facts } = error;
  if (!possibleCodes.includes(exitCodes[category])) return 'no job ends so here';
  if (category === 'environment' && saw.disk === 0) return 'the disk was fine';
  if (category === 'rate-limited' && saw.limited < 3) return 'R29: fewer than three requests were refused';
  // Half of a reply may look whole.
  if ((category === 'unavailable' || category === 'integrity') && saw.network === 0) return 'the network was fine';
  if (category === 'outcome-unknown' && !isDoubtful && saw.lostWrites + saw.disk + saw.signals === 0)
    if (!intent.isReadBack || saw.network === 0) return 'no reply was lost';
  if ((category === 'interrupted' || category === 'terminated') && saw.signals === 0) return 'R42: there was no signal';
  const { outcome = 'not-sent' } = facts;
  const isUnchanged = outcome === 'not-sent' || outcome === 'not-applied';
  if (isUnchanged && writes.made > 0) return `it says ${outcome}, and has changed something`;
  return intent.untrue?.(error);
};

/** Whether the error advises a person to look at the calendar. */
const asksPerson = ({ facts: { hint } }: SchedError): boolean =>
  typeof hint === 'object' && hint.flags?.['allow-duplicate'] === true;

const textOf = ({ category, message, facts }: SchedError): string =>
  `${category}: ${message}\n${JSON.stringify(facts)}`;

const createJobScene = async (seed: number, options: Options): Promise<JobScene> => {
  let service: ModelService | undefined;
  const scene = await createScene(
    seed,
    async (now) => {
      service = createModelService(now);
      return service;
    },
    options,
  );
  return {
    ...scene,
    service: service!,
    typeNames: [],
    typesBy: new Map(),
    appliedOn: new Map(),
    changedLate: new Set(),
  };
};

export const simulateJobs = async (seed: number, options: Options = {}): Promise<Outcome> => {
  const scene = await createJobScene(seed, options);
  const { scheduler, site, machines } = scene;
  const codes: Record<string, number> = {};
  const tasks: Task[] = [];
  const kindsOfSeed = workOf(jobKinds, diceFor(seed, 'work'), seed);
  /** People about whom the ledger may have an attempt whose outcome is open. */
  const doubted = new Set<string>();

  watchBookings(scene);
  const learn = site.onChange;
  site.onChange = (request, reply, process, isLate) => {
    learn(request, reply, process, isLate);
    const { pathname } = new URL(request.url);
    if (isLate) scene.changedLate.add(pathname.split('/').at(-1)!);
    if (!pathname.endsWith('/cancellation')) return;
    for (const { intent } of tasks) {
      const wrong = intent.onCanceled?.(pathname.split('/').at(-2)!);
      if (wrong !== undefined) scheduler.violate(`${wrong}, by process ${process.pid}`);
    }
  };
  // R37
  site.onLeave = (process) => {
    const task = tasks.find(({ running }) => running.has(process));
    if (!task?.intent.isRun) return;
    for (const other of task.running)
      if (other !== process && !other.isOver && other.writes.sent > 0)
        scheduler.violate(`R37: ${other.pid} and ${process.pid} send the same run: ${process.argv.join(' ')}`);
  };

  const judge = (task: Task, process: Process, ended: JobEnd): void => {
    const { saw, argv } = process;
    const { code, error } = ended;
    const { intent, kind } = task;
    codes[`${kind} ${code}`] = (codes[`${kind} ${code}`] ?? 0) + 1;
    const violate = (why: string) =>
      scheduler.violate(`${why}\nexit ${code} of ${argv.join(' ')}\n${error && textOf(error)}`);
    const why = error && untrueError(process, error, task);
    if (why !== undefined) violate(why);
    const isCutOff = code === 'killed' || saw.signals > 0;
    if (isCutOff || saw.lostWrites > 0 || saw.disk > 0) task.isDoubtful = true;
    // Another machine can't tell whether the process still runs.
    if (scene.isShared && code !== 0) task.isDoubtful = true;
    task.repetitions += saw.lostWrites + saw.disk + (isCutOff ? 1 : 0);
    // R34
    const sent = intent.mostSent?.() ?? 0;
    if (task.pending === 1 && sent > 1 + task.repetitions)
      violate(`R34: an address was sent ${sent} times after ${task.repetitions} failures`);
    for (const email of task.isDoubtful ? (intent.people ?? []) : []) doubted.add(email);
    if (task.isSettled) return;
    task.last = ended;
    if (code !== 0 && !(error && intent.settles?.(error))) return;
    task.isSettled = true;
    const missing = code === 0 ? intent.missing() : intent.wrongInTheEnd(ended);
    if (missing !== undefined) violate(missing);
  };

  const attempt = async (task: Task, allowDuplicate = false): Promise<void> => {
    const { intent } = task;
    task.pending += 1;
    if (task.pending > 1) task.isDoubtful = true;
    const machine = scene.isShared && intent.isShared ? task.dice.pick(machines) : task.machine;
    await scheduler.turn(`start ${task.kind}`);
    const process = new Process(site, machine, intent.words, {});
    site.counts.commands += 1;
    scheduler.note(`${machine.name} ${process.pid}: ${intent.words.join(' ')}`);
    task.running.add(process);
    let error: SchedError | undefined;
    const count = () => {
      site.counts.jobs += 1;
    };
    process.start({}, async (_, world) => {
      try {
        await intent.work({ context: createJobContext(world, scene.isShared), allowDuplicate, count });
        return 0;
      } catch (thrown) {
        if (!(thrown instanceof SchedError)) throw thrown;
        error = thrown;
        return exitCodes[thrown.category];
      }
    });
    const { code } = await process.done;
    task.running.delete(process);
    judge(task, process, { code, error: code === 'killed' ? undefined : error });
    task.pending -= 1;
    if (task.isSettled && task.pending === 0) intent.release?.();
  };

  /** What is left to do, in order. A shell takes the next one. */
  const planned = Array.from({ length: options.intents ?? usualIntents }, (_, index) => index).filter(
    (index) => !options.dropped?.includes(index),
  );

  const newTask = async (dice: Dice, machine: Machine): Promise<Task> => {
    let kind = options.only ?? dice.pick(kindsOfSeed);
    let intent = await jobKinds[kind]!.make(scene, dice);
    if (intent === undefined) {
      kind = 'book';
      intent = (await jobKinds.book!.make(scene, dice))!;
    }
    const isDoubtful = intent.people?.some((email) => doubted.has(email)) ?? false;
    const none = { isSettled: false, isDoubtful, repetitions: 0, pending: 0, last: undefined };
    return { intent, kind, machine, dice, running: new Set(), ...none };
  };

  /** Somebody at a terminal: starts a job, and again if it didn't work out. Two may start the same. */
  const shell = async (machine: Machine): Promise<void> => {
    for (let index = planned.shift(); index !== undefined; index = planned.shift()) {
      const dice = diceFor(seed, `intent ${index}`);
      const open = tasks.filter((task) => !task.isSettled && task.machine === machine);
      const old = dice.chance(0.2) && open.length > 0 ? dice.pick(open) : undefined;
      const task = old ?? (await newTask(dice, machine));
      if (old === undefined) tasks.push(task);
      for (let tries = 0; tries < 3 && !task.isSettled; tries += 1) {
        await Promise.all(dice.chance(0.25) ? [attempt(task), attempt(task)] : [attempt(task)]);
        await scheduler.sleep(dice.pick(pausesMs));
      }
    }
  };

  /** Runs everything that is unfinished until it is done. */
  const finish = async (): Promise<void> => {
    for (const task of tasks) {
      const { intent } = task;
      for (let tries = 0; !task.isSettled && tries < mostTries && scheduler.violation === undefined; tries += 1) {
        await scheduler.sleep(tries === 0 ? 1000 : longPauseMs);
        // The list of events must show something newer, or an empty look-up proves nothing.
        const invitee = { email: 'newer@else.example', name: 'Newer', timezone: 'UTC' };
        await scene.visit('POST', '/invitees', { event_type: scene.solo, start_time: scene.nextSlot(), invitee });
        const error = task.last?.error;
        const mayDuplicate = tries > 1 && error !== undefined && asksPerson(error) && intent.isUndone?.() === true;
        await attempt(task, mayDuplicate);
      }
      const { last, isSettled } = task;
      const told = `${intent.words.join(' ')}\nexit ${last?.code}\n${last?.error && textOf(last.error)}`;
      if (!isSettled) scheduler.violate(`never done: ${told}`);
      const wrong = intent.wrongInTheEnd(last);
      if (wrong !== undefined) scheduler.violate(`${wrong}: ${told}`);
    }
  };

  const checkFiles = (): void => {
    for (const { volume, name } of machines)
      for (const [path, data] of volume.files()) {
        if (path.startsWith(inputs)) continue;
        if (data.includes('@sim.example')) scheduler.violate(`R36: ${name}:${path} has an address`);
        if (!path.endsWith('.jsonl')) continue;
        const read = readReceipt(data);
        const history = read.ok ? replay(read) : read;
        if (!history.ok) scheduler.violate(`R35: ${name}:${path} is damaged: ${history.problem}`);
      }
  };

  const runAll = (works: Promise<void>[]) => scheduler.runAll(works, mostTurns, () => runningAt(machines));

  site.faults = scene.faults;
  scheduler.mayStall = scene.faults.stall > 0;
  await runAll(machines.flatMap((machine) => Array.from({ length: shellsPerMachine }, () => shell(machine))));
  site.faults = noFaults;
  scheduler.mayStall = false;
  for (const machine of machines) Object.assign(machine, { failing: undefined, offline: 0 });
  if (scheduler.violation === undefined) await runAll([finish()]);
  if (scheduler.violation === undefined) checkFiles();
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
