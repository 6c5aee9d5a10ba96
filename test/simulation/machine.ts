import { Readable } from 'node:stream';
import { SchedError } from '../../src/base/errors.ts';
import type { Env } from '../../src/base/system.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { run } from '../../src/main.ts';
import type { ChildProcess, Peer, World } from '../../src/runtime.ts';
import { type Dice, diceFor } from './dice.ts';
import type { Faults } from './faults.ts';
import { type DiskCall, type Host, setHost } from './files.ts';
import { sendFrom } from './network.ts';
import { connectionTo, type Redis } from './redis.ts';
import type { Entry, Scheduler } from './scheduler.ts';
import { createVolume, failure, type Volume } from './volume.ts';

/** What all machines share. */
export interface Site {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly service: Send;
  /** What a handler of webhooks answers. */
  handle(request: HttpRequest): HttpReply;
  readonly redis: Redis | undefined;
  /** Decisions about faults, a kind each. */
  readonly dice: Record<'kill' | 'signal' | 'power' | 'disk' | 'network' | 'redis', Dice>;
  faults: Faults;
  /** A single call that fails: the one of this number that a process with these first words makes. */
  failAt: { command: string; call: string; number: number } | undefined;
  readonly counts: Counts;
  lastPid: number;
  /** Called when a write leaves a process. */
  onLeave(process: Process, request: HttpRequest): void;
  /** Called when a write reaches the service. */
  onArrive(request: HttpRequest, process: Process): void;
  /** Called when the service has changed something. */
  /** `isLate` if the process has given up, or is over. */
  onChange(request: HttpRequest, reply: HttpReply, process: Process, isLate: boolean): void;
  /** Called when a process has ended. */
  onEnd(process: Process): void;
}

export const noCounts = { commands: 0, jobs: 0, requests: 0, kills: 0, signals: 0, cuts: 0, limited: 0 };
export type Counts = typeof noCounts;

export interface Machine {
  readonly name: string;
  readonly skewMs: number;
  readonly volume: Volume;
  readonly processes: Set<Process>;
  /** Which boot it is. */
  boot: number;
  /** The disk fails this many more calls. */
  failing: { code: string; calls: number } | undefined;
  /** So many more of its requests reach nobody. */
  offline: number;
}

export const home = '/home/ada';
export const inputs = '/in';

/** The key of all receipts. */
export const keyText = '5'.repeat(64);

export const createMachine = (name: string, skewMs: number): Machine => {
  const volume = createVolume();
  volume.place(`${home}/.profile`, '');
  volume.place(`${inputs}/key`, keyText);
  return { name, skewMs, volume, processes: new Set(), boot: 1, failing: undefined, offline: 0 };
};

export interface Ended {
  code: number | 'killed';
  stdout: string;
  stderr: string;
}

/** The process was killed in a call that returns at once. Whatever it does after that has no effect. */
class Killed extends Error {}

const forever = <Value>(): Promise<Value> => new Promise(() => {});

/** The random end of a draft's name, which differs if the code asks for random bytes in another order. */
const draft = /\.(probe-)?[0-9a-f]{16}$/;

/** A pipe for lines. */
const createPipe = () => {
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let isClosed = false;
  return {
    write(line: string): void {
      if (isClosed) return;
      const next = waiting.shift();
      if (next === undefined) lines.push(line);
      else next(line);
    },
    close(): void {
      isClosed = true;
      for (const next of waiting.splice(0)) next(undefined);
    },
    read: (): Promise<string | undefined> => {
      if (lines.length > 0 || isClosed) return Promise.resolve(lines.shift());
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
};

type Pipe = ReturnType<typeof createPipe>;

/** A `sched` process on a simulated machine. */
export class Process implements Host {
  isOver = false;
  isKilled = false;
  /** What went wrong for it: its exit code must fit. */
  saw = { disk: 0, redis: 0, network: 0, limited: 0, lostWrites: 0, signals: 0 };
  /** Requests of it that changed something at the service, and those that would if they arrived. */
  readonly writes = { made: 0, sent: 0 };
  /** Whether it has put a line of a receipt on disk since its last write left. */
  hasNoted = false;
  /** Whether it has reserved room on disk for the next token of a login. */
  hasRoom = false;
  /** The process that has started this one, and those that this one has started. */
  parent: Process | undefined;
  readonly helpers: Process[] = [];
  /** When it may send each request again that was refused with a 429. */
  readonly mayRepeatAt = new Map<string, number>();
  stdout = '';
  stderr = '';
  readonly done: Promise<Ended>;
  readonly machine: Machine;
  readonly site: Site;
  readonly pid: number;
  readonly startedAt: number;
  readonly argv: readonly string[];
  readonly env: Env;
  readonly #finish: (ended: Ended) => void;
  readonly #controller = new AbortController();
  #protected = 0;
  #atTheEnd: (() => void) | undefined;
  readonly #pipes: Pipe[] = [];

  constructor(site: Site, machine: Machine, argv: readonly string[], env: Env) {
    this.site = site;
    this.machine = machine;
    this.argv = argv;
    this.env = env;
    site.lastPid += 1;
    this.pid = site.lastPid;
    this.startedAt = site.scheduler.time;
    let finish!: (ended: Ended) => void;
    this.done = new Promise((resolve) => {
      finish = resolve;
    });
    this.#finish = finish;
    machine.processes.add(this);
  }

  get volume(): Volume {
    return this.machine.volume;
  }

  now(): number {
    return this.site.scheduler.time + this.machine.skewMs;
  }

  systemFile(path: string): string | undefined {
    if (path === '/etc/machine-id') return this.machine.name;
    if (path === '/proc/sys/kernel/random/boot_id') return String(this.machine.boot);
    if (path === '/proc/self/ns/pid') return 'pid:[1]';
    const pid = Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]);
    const isRunning = [...this.machine.processes].some((each) => each.pid === pid);
    // Field 22 is the start. No PID is used twice.
    return isRunning ? `${pid} (sched) S ${'0 '.repeat(18)}${pid} 0` : undefined;
  }

  /** Ends it in whatever way. */
  #end(code: Ended['code']): void {
    if (this.isOver) return;
    this.isOver = true;
    this.machine.processes.delete(this);
    for (const pipe of this.#pipes) pipe.close();
    this.isKilled = code === 'killed';
    this.site.scheduler.note(`${this.pid} ends: ${code}`);
    this.site.onEnd(this);
    this.#finish({ code, stdout: this.stdout, stderr: this.stderr });
  }

  kill(): void {
    if (this.isOver) return;
    this.site.counts.kills += 1;
    this.#end('killed');
  }

  /** SIGINT or SIGTERM, as src/node/signals.ts handles them: the second one ends the process at once. */
  interrupt(category: 'interrupted' | 'terminated'): void {
    this.saw.signals += 1;
    this.site.counts.signals += 1;
    this.site.scheduler.note(`${this.pid} is ${category}`);
    const { signal } = this.#controller;
    if (!signal.aborted) {
      const message = category === 'interrupted' ? 'Interrupted' : 'Terminated';
      this.#controller.abort(new SchedError(category, message));
    } else if (this.#protected > 0) this.#atTheEnd ??= () => this.#end('killed');
    else this.#end('killed');
  }

  /** Whether this is the one call that is to fail. */
  #isToFail({ name }: DiskCall): boolean {
    const { failAt } = this.site;
    if (failAt?.call !== name || !this.argv.join(' ').startsWith(failAt.command)) return false;
    failAt.number -= 1;
    return failAt.number === 0;
  }

  /** Fails a call on this machine's disk, if it is time for that. Files of the user are on another disk. */
  #strikeDisk(call: DiskCall): void {
    const { name, path, isWrite } = call;
    if (!path.startsWith(home)) return;
    const { machine, site } = this;
    if (this.#isToFail(call)) machine.failing = { code: 'EIO', calls: 1 };
    const { dice, faults, scheduler } = site;
    if (machine.failing === undefined) {
      const calls = dice.disk.chance(0.3) ? 2 + dice.disk.below(30) : 1;
      if (isWrite && dice.disk.chance(faults.diskFull)) machine.failing = { code: 'ENOSPC', calls };
      else if (dice.disk.chance(faults.diskError)) machine.failing = { code: 'EIO', calls };
    }
    const { failing } = machine;
    // A full disk can be read, and files can be removed.
    if (failing === undefined || (failing.code === 'ENOSPC' && (!isWrite || name === 'remove'))) return;
    failing.calls -= 1;
    if (failing.calls === 0) machine.failing = undefined;
    this.saw.disk += 1;
    scheduler.note(`${this.pid} ${failing.code}`);
    throw failure(failing.code, name, path);
  }

  #noteRecord({ name, path }: DiskCall): void {
    if (name !== 'sync') return;
    if (path.endsWith('.jsonl')) this.hasNoted = true;
    if (path.includes('/probe-')) this.hasRoom = true;
  }

  #labelOf({ name, path }: DiskCall): string {
    return `${this.pid} ${name} ${path.replace(draft, '.draft')}`;
  }

  callNow<Value>(call: DiskCall, work: () => Value): Value {
    const { scheduler, dice, faults } = this.site;
    if (this.isOver) throw new Killed();
    scheduler.steps += 1;
    scheduler.note(this.#labelOf(call));
    this.#strikeDisk(call);
    this.#noteRecord(call);
    if (!call.isWrite || !dice.kill.chance(faults.kill)) return work();
    if (dice.kill.chance(0.5)) work();
    this.kill();
    throw new Killed();
  }

  callLater<Value>(call: DiskCall, work: () => Value): Promise<Value> {
    if (this.isOver) return forever();
    return new Promise((resolve, reject) => {
      this.site.scheduler.add({
        label: this.#labelOf(call),
        owner: this,
        change: work,
        happen: () => {
          try {
            this.#strikeDisk(call);
            this.#noteRecord(call);
            resolve(work());
          } catch (error) {
            reject(error);
          }
        },
      });
    });
  }

  #startChild([, ...argv]: readonly string[], env: Env): Promise<ChildProcess> {
    if (this.isOver) return forever();
    const { scheduler } = this.site;
    const [toChild, toParent] = [createPipe(), createPipe()];
    const child = new Process(this.site, this.machine, argv, env);
    // What goes wrong for the helper goes wrong for this process.
    child.saw = this.saw;
    child.parent = this;
    this.helpers.push(child);
    this.#pipes.push(toChild);
    child.#pipes.push(toParent);
    const heardBy =
      (owner: Process, { read }: Pipe) =>
      async (): Promise<string | undefined> => {
        const line = await read();
        return new Promise((resolve) => {
          scheduler.add({ label: `${owner.pid} hears`, owner, happen: () => resolve(line) });
        });
      };
    const parent: Peer = { say: toParent.write, hear: heardBy(child, toChild), leave: () => toChild.close() };
    scheduler.add({
      label: `${child.pid} starts as a child of ${this.pid}`,
      owner: child,
      happen: () => child.start({ parentProcess: () => parent }),
    });
    return Promise.resolve({
      pid: child.pid,
      say: toChild.write,
      hear: heardBy(this, toParent),
      leave: () => toParent.close(),
      isRunning: () => !child.isOver,
      kill: () => child.kill(),
    });
  }

  /** Starts the program, or another one in its place. */
  start(more: Partial<World> = {}, program: typeof run = run): void {
    const { site, machine, pid, argv } = this;
    const { scheduler } = site;
    const random = diceFor(site.seed, `process ${pid}`);
    const output = (name: 'stdout' | 'stderr') => ({
      isTerminal: false,
      columns: 80,
      rows: 24,
      write: async (text: string) => {
        if (this.isOver) return forever<void>();
        const isKilled = site.dice.kill.chance(site.faults.kill);
        if (!isKilled || site.dice.kill.chance(0.5)) this[name] += text;
        if (!isKilled) return;
        this.kill();
        return forever<void>();
      },
    });
    const input = {
      isTerminal: false,
      bytes: async () => new Uint8Array(),
      stream: () => Readable.from([]),
      line: async () => undefined,
    };
    const world: World = {
      env: this.env,
      home,
      platform: 'linux',
      stdin: input,
      keyboard: input,
      stdout: output('stdout'),
      stderr: output('stderr'),
      clock: {
        now: () => this.now(),
        sleep: (milliseconds, signal) =>
          this.isOver ? forever() : scheduler.sleep(milliseconds, this, signal, String(pid)),
      },
      systemZone: 'Europe/Paris',
      every: () => () => {},
      randomBytes: (count) => random.bytes(count),
      send: sendFrom(site, this, this.#controller.signal),
      sendToEnd: sendFrom(site, this, new AbortController().signal),
      connectRedis: async () => connectionTo(site, this),
      interrupted: this.#controller.signal,
      afterSend: async () => {},
      protect: async (work) => {
        this.#protected += 1;
        try {
          return await work();
        } finally {
          this.#protected -= 1;
          if (this.#protected === 0) this.#atTheEnd?.();
        }
      },
      machine: {
        platform: 'linux',
        host: machine.name,
        accountHome: home,
        pid,
        executable: '/bin/node',
        version: '20.0.0',
        program: ['sched'],
        isAlive: (other) => [...machine.processes].some((each) => each.pid === other),
      },
      startChild: (command, { env }) => this.#startChild(command, env),
      openBrowser: async () => false,
      ...more,
    };
    setHost(this);
    program(argv, world).then(
      (code) => this.#end(code),
      (error: Error) => {
        if (!this.isOver) scheduler.violate(`a process threw: ${error.stack}`);
      },
    );
  }
}

/** The processes that still run, for a message. */
export const runningAt = (machines: readonly Machine[]): string =>
  machines.flatMap(({ processes }) => [...processes].map(({ argv }) => argv.join(' '))).join(' and ');

export const cutPower = (site: Site, machine: Machine): void => {
  site.scheduler.note(`power cut at ${machine.name}`);
  site.counts.cuts += 1;
  for (const process of [...machine.processes]) process.kill();
  machine.volume.cutPower(site.dice.power);
  machine.boot += 1;
};

/** Lets a fault of a process or its machine happen instead of its next step, if it is time for one. */
export const strike = (site: Site, { owner, change }: Entry): boolean => {
  setHost(owner instanceof Process ? owner : undefined);
  if (!(owner instanceof Process)) return false;
  const { dice, faults } = site;
  if (dice.power.chance(faults.power)) {
    cutPower(site, owner.machine);
    return true;
  }
  if (dice.kill.chance(faults.kill)) {
    // Before the step, or right after it: then it has happened, and nobody hears of it.
    if (dice.kill.chance(0.5)) {
      try {
        change?.();
      } catch {
        // The call would have failed.
      }
    }
    owner.kill();
    return true;
  }
  // A signal takes effect between two steps, and the step goes on.
  if (dice.signal.chance(faults.signal)) {
    owner.interrupt(dice.signal.chance(0.5) ? 'interrupted' : 'terminated');
    return owner.isOver;
  }
  return false;
};
