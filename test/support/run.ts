import { once, setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { ClosedPipe } from '../../src/base/errors.ts';
import type { Clock, Machine } from '../../src/base/system.ts';
import type { Dialect } from '../../src/dialects/dialect.ts';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { createTransport } from '../../src/http/transport.ts';
import { run as runProgram } from '../../src/main.ts';
import { startChild } from '../../src/node/children.ts';
import { clock as realClock } from '../../src/node/clock.ts';
import { afterSend } from '../../src/node/send.ts';
import type { World } from '../../src/runtime.ts';
import { answerTime, timePath } from '../../src/sandbox/clock/answer-time.ts';
import { ownerToken } from '../../src/sandbox/oauth/ready-tokens.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import type { Plan } from '../../src/sandbox/rules/subscription.ts';
import { openConnection } from '../../src/state/redis/redis-client.ts';
import { expectNoSecret } from './canary.ts';
import { checked, rethrow } from './checked.ts';
import { machineAheadMs, machineClock } from './clocks.ts';
import { expectSameAccount } from './printed-lines.ts';
import { withServerTime } from './redis.ts';
import { dontWaitForDisk, seededFile } from './seeded.ts';
import { splitCommandLine } from './shell-words.ts';
import { closeLater } from './temporary.ts';
import { expectRunnable } from './try-line.ts';

/** A Sunday evening in Paris, well inside a week without clock changes. */
export const someday = Date.parse('2026-11-15T18:00:00Z');

/** What this machine's clock shows then: 2025-10-11T18:00:00Z. */
export const machineDay = someday + machineAheadMs;

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
  /** Both outputs as a terminal shows them, in the order they were written. */
  screen: string;
  /** Every request that reached the network, except for those in `timeQuestions`. */
  requests: HttpRequest[];
  /** Questions for the time of a sandbox, which it neither counts nor logs. */
  timeQuestions: HttpRequest[];
}

export interface WorldOptions {
  env?: Record<string, string>;
  /** Terminals among stdin, stdout and stderr. */
  terminals?: readonly ('stdin' | 'stdout' | 'stderr')[];
  columns?: number;
  rows?: number;
  stdin?: string;
  /** Replaces `stdin` for a command that talks a protocol. */
  inputStream?: Readable;
  /** Replaces the sandbox as the network. */
  send?: Send;
  /** The service's text is hostile: next to it, a command line may not be readable. */
  isHostile?: boolean;
  /** A home directory. Without one, nothing can be stored on disk. */
  home?: string;
  /** When the world is seeded and the clock starts. */
  start?: number;
  /** How far this machine's clock is ahead of the service's, if it isn't behind as usual. */
  clockAheadMs?: number;
  /** Plan of the organization. */
  plan?: Plan;
  /** The dialect that the sandbox speaks. */
  dialect?: Dialect;
  /** The data of the sandbox. Without it, the demo as seeded at `start`. */
  file?: string;
  /** The pager of a terminal with five lines. */
  openPager?: NonNullable<World['openPager']>;
  /** stdout accepts this many characters before its reader exits. */
  closeAfter?: number;
  systemZone?: string;
  /** Replaces the clock that advances only during sleeps, in what the service says too. */
  clock?: Clock;
  /** Replaces the real clock for the time limits of a connection to Redis. */
  redisClock?: Clock;
  /** SIGINT or SIGTERM. */
  interrupted?: AbortSignal;
  /** Sees each text as it is written to stdout, for a command that runs until it is stopped. */
  onStdout?: (text: string) => void;
  /** The same for stderr. */
  onStderr?: (text: string) => void;
  spawn?: NonNullable<World['spawn']>;
  openBrowser?: World['openBrowser'];
  /** Replaces random bytes that are all 0, for commands that run at the same time. */
  randomBytes?: World['randomBytes'];
  /** Replaces timers that never fire. */
  every?: World['every'];
  /** Replaces Linux. */
  platform?: string;
  /** The user who runs the command. Without one, owners of files aren't checked. */
  uid?: number;
  /** The command that starts sched again. */
  program?: readonly string[];
}

/** The terminals of a person. */
export const terminals = ['stdin', 'stdout', 'stderr'] as const;

/** The terminals of a person whose input comes from elsewhere. */
export const outputs = ['stdout', 'stderr'] as const;

/** A clock that advances only during sleeps. */
export const virtualClock = (start = someday): Clock & { slept: number[] } => {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
};

/** The same for a task with a limit: its sleep of that length ends when the other sleeps have taken as long. */
export const withLimit = ({ now, sleep }: Clock, limitMs: number): Clock => {
  let end = Number.POSITIVE_INFINITY;
  let wake = () => {};
  return {
    now,
    sleep: async (milliseconds, signal) => {
      if (milliseconds === limitMs) {
        end = now() + limitMs;
        return new Promise((resolve) => {
          wake = resolve;
        });
      }
      if (now() + milliseconds < end) return sleep(milliseconds, signal);
      await sleep(end - now(), signal);
      wake();
      await once(signal!, 'abort');
      signal!.throwIfAborted();
    },
  };
};

/** A sandbox that serves as the network, and a function that runs commands against it. */
export const createWorld = async (options: WorldOptions = {}) => {
  const clock = virtualClock(options.start);
  const file = options.file ?? (await seededFile(clock.now()));
  // Its URIs have an origin of their own, whatever the base URL: so it stands for any service.
  const usualOrigin = 'http://127.0.0.1:4010';
  const { plan, dialect } = options;
  const machine = machineClock(clock, options.clockAheadMs);
  const sandbox = await openSandbox({ file, clock: machine, onError: rethrow, plan, dialect, usualOrigin });
  if (sandbox.clock.now() !== clock.now()) sandbox.clock.set(clock.now());
  const operations = dialect === undefined ? checked(sandbox.service) : sandbox.service;
  // The time that the service tells: that of a clock of the test's own, if the last run had one.
  let { now } = sandbox.clock;
  const service: Send = async (request) => {
    const reply = answerTime(request, sandbox.clock) ?? (await operations(request));
    return { ...reply, headers: { ...reply.headers, date: new Date(now()).toUTCString() } };
  };
  dontWaitForDisk(sandbox.store);
  const close = closeLater(() => sandbox.close());
  const run = (line: string | string[], more: WorldOptions = {}): Promise<Result> => {
    now = more.clock?.now ?? sandbox.clock.now;
    return runInWorld(line, service, ownerToken, more.clock ?? clock, {
      ...options,
      ...more,
      env: { ...options.env, ...more.env },
    });
  };
  let snapshots = 0;
  /** Remembers the data of the service. Returns how to restore it: records made since then are gone, and their IDs free. */
  const saveService = () => {
    snapshots += 1;
    const { name } = sandbox.snapshots.save(`saved-${snapshots}`);
    return () => sandbox.snapshots.restore(name);
  };
  return { run, clock, machineNow: machine.now, service, token: ownerToken, saveService, close };
};

/** A world of a test: `createWorld` made it. */
export type TestWorld = Awaited<ReturnType<typeof createWorld>>;

/** Logs in as somebody does who allows everything in the browser; a file holds the login. */
export const logIn = ({ run, service, clock }: TestWorld, flags: string[] = [], more: WorldOptions = {}) =>
  run(['auth', 'login', '--credential-store', 'file', ...flags], {
    ...more,
    terminals: ['stdin', 'stdout', 'stderr'],
    // The login waits for the browser, and the time for that is never over.
    clock: { now: clock.now, sleep: (_, signal) => once(signal!, 'abort').then(() => signal!.throwIfAborted()) },
    openBrowser: async (url) => {
      const page = await service({ method: 'GET', url, headers: {} });
      const ticket = /name="ticket" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      const allowed = await service({
        method: 'POST',
        url: url.split('?')[0]!,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(new URLSearchParams({ ticket, user: 'owner', decision: 'allow' })),
      });
      void fetch(allowed.headers.location!).then((reply) => reply.text());
      return true;
    },
  });

/** The addresses of the service for a login that no profile knows yet. */
export const loginAddresses = ['base-url', 'auth-url']
  .map((name) => `--${name}=http://127.0.0.1:4010`)
  .concat('--client-id=sched-cli');

const never = new AbortController().signal;
// Each request that is on its way listens to it.
setMaxListeners(0, never);

/** The real network, for a service that listens. */
export const network: Send = createTransport({ env: {}, clock: realClock, interrupted: never });

const machines = new Map<string, Machine>();

/** All commands of a test run in one process, so that they get the same machine. */
const machineFor = (platform: string, home: string, program: readonly string[] | undefined): Machine => {
  const key = JSON.stringify([platform, home, program]);
  const machine = machines.get(key) ?? {
    platform,
    host: 'test',
    // Nothing can be created there.
    accountHome: home || '/dev/null',
    pid: process.pid,
    executable: process.execPath,
    version: process.versions.node,
    isAlive: () => true,
    ...(program && { program }),
  };
  machines.set(key, machine);
  return machine;
};

const runInWorld = async (
  line: string | string[],
  service: Send,
  token: string,
  clock: Clock,
  {
    env = {},
    terminals = [],
    columns = 80,
    rows = 5,
    stdin = '',
    inputStream,
    send = service,
    isHostile = false,
    closeAfter = Number.POSITIVE_INFINITY,
    systemZone = 'Europe/Paris',
    redisClock = realClock,
    clockAheadMs = machineAheadMs,
    openPager,
    interrupted = new AbortController().signal,
    onStdout,
    onStderr,
    spawn,
    openBrowser = async () => false,
    every = () => () => {},
    randomBytes = (count) => new Uint8Array(count),
    // Not even root can create files below a device: commands must work without files on disk.
    home = '/dev/null/home',
    platform = 'linux',
    uid,
    program,
  }: WorldOptions,
): Promise<Result> => {
  const requests: HttpRequest[] = [];
  const timeQuestions: HttpRequest[] = [];
  const written = { stdout: '', stderr: '' };
  let screen = '';
  const output = (name: 'stdout' | 'stderr') => ({
    isTerminal: terminals.includes(name),
    columns,
    rows,
    write: async (text: string) => {
      written[name] += text;
      screen += text;
      if (name === 'stdout') onStdout?.(text);
      else onStderr?.(text);
      if (name === 'stdout' && written.stdout.length > closeAfter) throw new ClosedPipe();
    },
  });
  const lines = stdin.split('\n');
  const readLine: World['keyboard']['line'] = async ({ prompt = '' } = {}) => {
    written.stderr += prompt;
    screen += prompt;
    return lines.shift();
  };
  const deliver: Send = async (request) => {
    if (request.url.endsWith(timePath)) {
      timeQuestions.push(request);
      return send === network ? network(request) : service(request);
    }
    requests.push(request);
    return send(request);
  };
  const runtime: World = {
    // Tests of colors set NO_COLOR to '', which counts as unset.
    env: { SCHED_TOKEN: token, SCHED_BASE_URL: 'http://127.0.0.1:4010', NO_COLOR: '1', ...env },
    home,
    platform,
    ...(uid !== undefined && { uid }),
    stdin: {
      isTerminal: terminals.includes('stdin'),
      bytes: async () => new TextEncoder().encode(stdin),
      stream: () => inputStream ?? Readable.from([Buffer.from(stdin)]),
      line: readLine,
    },
    keyboard: { isTerminal: terminals.includes('stdin'), line: readLine },
    stdout: output('stdout'),
    stderr: output('stderr'),
    clock: machineClock(clock, clockAheadMs),
    systemZone,
    every,
    randomBytes,
    send: deliver,
    sendToEnd: deliver,
    connectRedis: async (address) => withServerTime(openConnection(address, redisClock), clock),
    interrupted,
    afterSend,
    protect: (work) => work(),
    machine: machineFor(platform, home, program),
    openBrowser,
    startChild,
    ...(openPager && { openPager }),
    ...(spawn && { spawn }),
  };
  const argv = typeof line === 'string' ? splitCommandLine(line) : line;
  const code = await runProgram(argv, runtime);
  expectNoSecret({ line: argv, env: runtime.env, stdin }, written);
  // A sentence with names as data that was put into a plain template.
  if (written.stderr.includes('[object Object]')) throw new Error(`unspelled: ${written.stderr}`);
  await expectRunnable(written.stderr);
  await expectSameAccount(written.stderr, argv, runtime.env, isHostile);
  return { code, ...written, screen, requests, timeQuestions };
};

/** A network that sends this reply to every request. */
export const replying =
  (reply: Partial<HttpReply>): Send =>
  async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...reply,
  });

/** The last line of an output, as JSON. */
export const lastJson = (text: string) => JSON.parse(text.trim().split('\n').at(-1)!);

/** The JSON that a successful command printed. */
export const jsonOf = (result: Result) => {
  if (result.code !== 0) throw new Error(`exit code ${result.code}: ${result.stderr}`);
  return JSON.parse(result.stdout);
};

/** An event type of the organization, by its name. */
export const eventTypeNamed = async ({ run }: TestWorld, name: string) =>
  jsonOf(await run('event-types list --org current --json')).find((type: { name: string }) => type.name === name);

export const isWrite = ({ method }: { method: string }): boolean => method !== 'GET';

export const writes = ({ requests }: Pick<Result, 'requests'> & Partial<Result>): HttpRequest[] =>
  requests.filter(isWrite);
