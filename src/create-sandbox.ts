import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { version } from './base/system.ts';
import type { Dialect } from './dialects/dialect.ts';
import { parseDialect, shippedDialects } from './dialects/read.ts';
import { clock, every } from './node/clock.ts';
import { mkdtempSync, readFile, rmSync } from './node/files.ts';
import { machine } from './node/machine.ts';
import { loadSqliteSilently } from './node/sqlite-warning.ts';
import { adminHeader } from './sandbox/admin/admin.ts';
import type { LogEntry as AdminLogEntry } from './sandbox/admin/log-admin.ts';
import { hasFields, isMark, waitFor, waitKinds } from './sandbox/admin/wait.ts';
import { checkOperations, createFaultScript, readFaults } from './sandbox/faults/faults.ts';
import { profileNames } from './sandbox/oauth/profiles.ts';
import { environmentOf, openSandbox, placesIn } from './sandbox/open.ts';
import { kinds, plans } from './sandbox/rules/subscription.ts';
import { type RunOptions, runSandbox } from './sandbox/run.ts';
import { isSeedName, type Seed } from './sandbox/seed/name.ts';
import { isHostName, originIn } from './sandbox/server/http-server.ts';
import { readDuration, timeBefore } from './time/duration.ts';
import type { FileProblem } from './yaml-file.ts';

// The types of the package are made from this file alone, so its exported types use nothing of other files.

/** The name of a token: a role, or what the token is restricted to. `sched sandbox tokens` lists them. */
export type TokenName = 'owner' | 'admin' | 'user' | 'read_only' | 'events_only' | 'legacy';

/** A fault such as `'events.list 503 at=2'`, or the same as an object. docs/sandbox.md of `sched` lists all kinds. */
export type Fault = string | { kind: string; operation?: string; [property: string]: unknown };

/** The types of `fetch`, where the TypeScript of the importing program knows them. */
type FetchRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : unknown;
type FetchResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : unknown;

/** An authorization server that some clients can't cope with. */
export type OAuthProfileName =
  | 'default'
  | 'dcr-only'
  | 'cimd-only'
  | 'preregistered-only'
  | 'forgets-clients'
  | 'strict-redirect'
  | 'basic-only'
  | 'short-tokens'
  | 'no-refresh'
  | 'reuse-revokes'
  | 'no-resource'
  | 'wrong-issuer'
  | 'no-metadata';

/** What an OAuth client did in one step. `missed` is the rule that it missed, at the first step that went wrong. */
export interface OAuthStep {
  client: string | null;
  step: string;
  requests: number;
  status: number | null;
  missed: string | null;
}

export interface SandboxOptions {
  /**
   * The first content: `demo` (default), `empty` (people and tokens only), `large:N` (the demo and N more events), the path
   * of a world file such as `./world.yaml`, or the content of one.
   */
  world?: string | object;
  /** First moment of the clock for new data. By default, the time of this machine. The clock then runs on. */
  now?: Date | string;
  /** Plan of the organization, by default `enterprise`. */
  plan?: 'trial' | 'free' | 'standard' | 'enterprise';
  /** Kind of the organization: `team` (default), or `individual`, which has only its owner. */
  kind?: 'team' | 'individual';
  /** A dialect of the API that it speaks: `calendly`, or the path of a file such as `./acme.yaml`. */
  dialect?: string;
  /** Whether rate limits apply, by default `true`. A number is how many requests a minute each token has instead. */
  limits?: boolean | number;
  /** Failures to simulate from the start. */
  faults?: readonly Fault[];
  /** Whether it listens on 127.0.0.1, by default `true`. With `false`, only `fetch` reaches it. */
  listen?: boolean;
  /** Port on 127.0.0.1. By default, any free one. */
  port?: number;
  /** Origin of all links, such as `https://sched.test`, for a proxy in front of it. By default, that of each request. */
  baseUrl?: string;
  /** Names that it is reached by beside 127.0.0.1, such as `sandbox` (with its own port) or `sandbox:8080`. */
  hosts?: readonly string[];
  /** File for the data, by default `:memory:`. */
  data?: string;
  /** Whether every login is approved without a click. */
  autoConsent?: boolean;
  /** How its authorization server behaves, by default `default`. docs/sandbox.md of `sched` lists all profiles. */
  oauth?: OAuthProfileName;
  /** How long a used refresh token gets the same reply again: `10s`, or milliseconds. By default 0. */
  refreshReplayWindow?: string | number;
}

/** A fault, and what became of it. */
export interface ScriptedFault {
  fault: { kind: string; operation: string; at: number; count: number | null };
  /** Requests that it could have affected. */
  matched: number;
  /** Requests that it affected. */
  struck: number;
}

/** A request that the sandbox got. */
export interface LogEntry {
  number: number;
  at: string;
  method: string;
  /** Path with query. */
  path: string;
  /** Such as `events.list`; `null` if the request matches no operation. */
  operation: string | null;
  /** `null` if a fault kept the request from the service. */
  status: number | null;
  /** Whether the request changed data, even if its reply was lost. */
  committed: boolean;
  /** Kinds of the faults that affected it. */
  faults: string[];
  /** The body of a write as it was sent; `null` for logins. */
  body: string | null;
  /** What the request was for its OAuth client, and the rule of OAuth that it missed. `null` for other requests. */
  oauth: { step: string; client: string | null; missed: string | null } | null;
  /** The body of the reply, before any fault; `null` for logins. */
  reply: string | null;
}

/** A webhook event for one subscription, with its attempts. */
export interface Delivery {
  number: number;
  /** URI of the webhook subscription. */
  webhook: string;
  url: string;
  event: string;
  state: string;
  created_at: string;
  /** When the next attempt is due, if there is one. */
  due_at: string | null;
  attempts: Array<{ at: string; status: number | null; error: string | null; milliseconds: number }>;
  /** What is sent. */
  body: { event: string; created_at: string; payload: Record<string, unknown>; [field: string]: unknown };
}

/** What the service would have sent by email or text message. */
export interface Notice {
  number: number;
  created_at: string;
  channel: 'email' | 'text';
  /** An email address or a phone number. */
  to: string;
  kind: string;
  /** URI of the record. */
  about: string;
  subject: string;
  details: Record<string, unknown>;
}

/** What `waitFor` can wait for. */
export interface Awaitable {
  /** A delivery that was sent at least once. */
  delivery: Delivery;
  notice: Notice;
  /** A request that was answered. */
  request: LogEntry;
}

/** A running sandbox. */
export interface Sandbox {
  /**
   * Base address of the API and of the logins, without a slash at the end. With `listen: false`, the address that clients
   * may be given: nothing listens there.
   */
  readonly url: string;
  /**
   * Answers a request as the server would, pages, logins and admin requests included. The origin of the request may be any:
   * links in the reply carry it. Redirects aren't followed.
   */
  fetch(request: FetchRequest): Promise<FetchResponse>;
  /**
   * The variables that make `sched` and programs of yours use this sandbox, as `sched sandbox env` prints them. With them,
   * `sched` keeps what it notes in a directory of this sandbox, which `close` removes.
   */
  readonly environment: Record<string, string>;
  /** A token for the `Authorization: Bearer` header. It belongs to the first user with the role. */
  token(name?: TokenName): string;
  /** Deletes the data and makes the first content again. Faults and the log stay. */
  reset(): Promise<void>;
  /** Saves the data and the clock under a name, by default `default`. Replaces a snapshot of the same name. */
  snapshot(name?: string): Promise<void>;
  /** Goes back to a snapshot, within milliseconds. Faults and the log stay. */
  restore(name?: string): Promise<void>;
  /** The clock of the service. Everything that waits for a time follows it. */
  readonly clock: {
    now(): Promise<Date>;
    /** Sets the time. `now` means the time of this machine. */
    set(time: Date | string): Promise<Date>;
    /** Moves the clock forward: `1h30m`, or milliseconds. */
    advance(duration: string | number): Promise<Date>;
    /** Stops the clock. */
    freeze(): Promise<Date>;
    /** Lets a frozen clock run on, from the time it shows. */
    resume(): Promise<Date>;
  };
  /** Failures to simulate. */
  readonly faults: {
    add(...faults: Fault[]): Promise<ScriptedFault[]>;
    list(): Promise<ScriptedFault[]>;
    clear(): Promise<void>;
  };
  /** The requests so far, the oldest first. */
  log(): Promise<LogEntry[]>;
  /** What each OAuth client did, step by step, and the rule that it missed at the first step that went wrong. */
  oauth(): Promise<OAuthStep[]>;
  /** The newest 100 deliveries of webhooks, the newest first. */
  deliveries(): Promise<Delivery[]>;
  /** Sends a delivery again, and resolves after the attempt. */
  resend(number: number): Promise<Delivery>;
  /**
   * Sends a sample of an event to the webhooks for it, and resolves after the attempts. `to` means only the webhooks with
   * this URL, `payload` replaces the payload of the sample, and `set` parts of it: `{ 'payload.name': 'Ada' }`.
   */
  trigger(
    event: string,
    options?: { to?: string; payload?: Record<string, unknown>; set?: Record<string, unknown> },
  ): Promise<Delivery[]>;
  /** What the service would have sent to people, the newest 100, the newest first. Nothing is sent. */
  notices(options?: { to?: string; kind?: string }): Promise<Notice[]>;
  /** Marks what has come so far, for `since` of `waitFor`. A mark ends with the next restore or reset. */
  mark(): Promise<string>;
  /**
   * Waits for the first delivery, notice or request that matches: a function, or fields with their values. Only what comes
   * from now on counts, or what has come since a mark. Rejects after the `timeout` (milliseconds, or a duration such as
   * `10s`, which is the default) and says what did come.
   */
  waitFor<Kind extends keyof Awaitable>(
    kind: Kind,
    match?: Record<string, unknown> | ((record: Awaitable[Kind]) => boolean),
    options?: { timeout?: number | string; since?: string },
  ): Promise<Awaitable[Kind]>;
  /** Stops the server and discards data in memory. May be called again. */
  close(): Promise<void>;
}

/** What a file says, or an error with all its mistakes. */
const contentOf = <Value>(file: { ok: true; value: Value } | { ok: false; problems: FileProblem[] }): Value => {
  if (file.ok) return file.value;
  throw new Error(file.problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
};

const readSeed = async (given: SandboxOptions['world'], now: number): Promise<Seed | undefined> => {
  if (given === undefined || isSeedName(given)) return given;
  if (typeof given === 'string' && !/[./\\]/.test(given))
    throw new Error(`world must be demo, empty, large:N, a file such as world.yaml or its content, not "${given}"`);
  const [name, text] =
    typeof given === 'string' ? [given, await readFile(given, 'utf8')] : ['world', JSON.stringify(given)];
  const { readWorld } = await import('./sandbox/world/file.ts');
  return contentOf(readWorld(text, name, now));
};

/** A name means a dialect that comes with `sched`: what the person has among the settings is nothing to a test. */
const readDialect = async (given: string | undefined): Promise<Dialect | undefined> => {
  if (given === undefined) return undefined;
  if (Object.hasOwn(shippedDialects, given))
    return contentOf(await parseDialect({ place: given, text: shippedDialects[given]! }));
  if (!/[./\\]/.test(given))
    throw new Error(
      `dialect must be one of ${Object.keys(shippedDialects).join(', ')}, or a file such as ./acme.yaml, not "${given}"`,
    );
  const place = resolve(given);
  return contentOf(await parseDialect({ place, text: await readFile(place, 'utf8') }));
};

const durationIn = (given: string | number): number => {
  if (typeof given === 'number') return given;
  // Days and weeks of 24 hours, as the clock of the sandbox is moved by.
  const milliseconds = /[dw]$/.test(given) ? timeBefore(given, 0) : readDuration(given);
  if (milliseconds === undefined) throw new Error(`Can't read "${given}" as a duration such as 1h30m or 7d`);
  return Math.abs(milliseconds);
};

/** What a refused admin request says. */
const reasonIn = ({ message, details }: { message: string; details?: { parameter?: string; message: string }[] }) =>
  details?.map(({ parameter, message: why }) => (parameter ? `${parameter} ${why}` : why)).join('; ') ?? message;

/**
 * Starts a sandbox of the service in this process. It listens on 127.0.0.1 like `sched sandbox start`, unless `listen` is
 * `false`, and doesn't keep the process running.
 */
export const createSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const { plan, kind, limits = true, listen = true, port = 0, data = ':memory:', autoConsent = false } = options;
  const now = options.now === undefined ? undefined : new Date(options.now).getTime();
  if (Number.isNaN(now)) throw new Error('now must be a time such as 2026-12-01T09:00:00Z');
  const world = await readSeed(options.world, now ?? clock.now());
  if (plan !== undefined && !plans.includes(plan)) throw new Error(`plan must be one of ${plans.join(', ')}`);
  if (kind !== undefined && !kinds.includes(kind)) throw new Error(`kind must be one of ${kinds.join(', ')}`);
  const hosts = options.hosts?.map((host) => host.toLowerCase());
  const wrong = hosts?.find((host) => !isHostName(host));
  if (wrong !== undefined) throw new Error(`hosts must be names such as sandbox or sandbox:8080, not "${wrong}"`);
  const baseUrl = options.baseUrl === undefined ? undefined : originIn(options.baseUrl);
  if (options.baseUrl !== undefined && baseUrl === undefined)
    throw new Error(`baseUrl must be an origin such as https://sched.test, not "${options.baseUrl}"`);
  const { oauth: profile } = options;
  if (profile !== undefined && !profileNames.includes(profile))
    throw new Error(`oauth must be one of ${profileNames.join(', ')}`);
  const dialect = await readDialect(options.dialect);
  const refreshReplayMilliseconds = durationIn(options.refreshReplayWindow ?? 0);
  const faults = readFaults(options.faults ?? []);
  await checkOperations(faults);
  const script = createFaultScript(faults);
  const file = data === ':memory:' ? data : resolve(data);
  loadSqliteSilently();
  const sandbox = await openSandbox({
    file,
    clock,
    randomBytes,
    plan,
    kind,
    world,
    now,
    limits,
    hosts,
    dialect,
    oauth: { autoConsent, profile, refreshReplayMilliseconds, sleep: clock.sleep },
  }).catch((cause: Error) => {
    throw new Error(`The sandbox can't open its data: ${cause.message} (${file})`, { cause });
  });
  const outside = { clock, every, randomBytes, machine };
  // The commands of `sched`, which are its tools, are loaded for the first client only.
  const openMcp: RunOptions['openMcp'] = async (place) =>
    (await import('./library-mcp.ts')).openLibraryMcp(place, dialect);
  const served = { port: listen ? port : undefined, baseUrl, script, data: file, version, openMcp, unref: true };
  const running = await runSandbox(sandbox, served, outside);
  const { secret } = running;
  // Records of this machine are kept by address, so a sandbox that doesn't listen has one that no other has.
  const [one, two, three] = randomBytes(3);
  const url = listen ? running.url : (baseUrl ?? `http://127.${one! || 1}.${two!}.${three! || 1}:4010`);

  let isClosed = false;
  /** A directory for programs that use `environment`, made for the first one. */
  let own: string | undefined;
  const answer = async (request: Request): Promise<Response> => {
    if (isClosed) throw new Error('The sandbox is closed');
    return running.fetch(request);
  };
  /** Sends an admin request. */
  const ask = async (method: 'GET' | 'POST' | 'DELETE', name: string, body?: unknown) => {
    const headers = { [adminHeader]: secret };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await answer(new Request(`${url}/__sandbox/${name}`, { method, headers, ...sent }));
    const content = JSON.parse(await reply.text());
    if (reply.status >= 400) throw new Error(reasonIn(content));
    return content;
  };
  const timeIn = ({ time }: { time: string }) => new Date(time);
  const moveClock = async (change: object) => timeIn(await ask('POST', 'clock', change));

  return {
    url,
    fetch: answer as Sandbox['fetch'],
    get environment() {
      own ??= mkdtempSync(join(tmpdir(), 'sched-sandbox-'));
      // What sched notes of this sandbox is nothing to other tests, and nothing to the person who runs them.
      return { ...environmentOf({ ...running, url }), ...placesIn(own) };
    },
    token(name = 'owner') {
      const tokens = sandbox.tokens();
      const match = tokens.find((each) => each.name === name);
      if (match === undefined) throw new Error(`token must be one of ${tokens.map((each) => each.name).join(', ')}`);
      return match.token;
    },
    async reset() {
      await ask('POST', 'reset', {});
    },
    async snapshot(name = 'default') {
      await ask('POST', 'snapshots', { name });
    },
    async restore(name = 'default') {
      await ask('POST', `snapshots/${encodeURIComponent(name)}/restore`);
    },
    clock: {
      now: async () => timeIn(await ask('GET', 'clock')),
      set: (time) => moveClock({ time }),
      async advance(duration) {
        return moveClock({ advance_seconds: durationIn(duration) / 1000 });
      },
      freeze: () => moveClock({ frozen: true }),
      resume: () => moveClock({ frozen: false }),
    },
    faults: {
      add: async (...faults) => (await ask('POST', 'faults', faults)).faults,
      list: async () => (await ask('GET', 'faults')).faults,
      async clear() {
        await ask('DELETE', 'faults');
      },
    },
    log: async (): Promise<AdminLogEntry[]> => (await ask('GET', 'log')).log,
    oauth: async () => (await ask('GET', 'oauth')).oauth,
    deliveries: async () => (await ask('GET', 'deliveries')).deliveries,
    resend: async (number) => (await ask('POST', 'deliveries', { number })).deliveries[0],
    trigger: async (event, choices) => (await ask('POST', 'trigger', { ...choices, event })).deliveries,
    async notices(filter = {}) {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined);
      return (await ask('GET', `notices?${new URLSearchParams(given)}`)).notices;
    },
    mark: async () => (await ask('GET', 'mark')).mark,
    async waitFor(kind, match = {}, { timeout = '10s', since } = {}) {
      if (!waitKinds.includes(kind)) throw new Error(`waitFor can wait for ${waitKinds.join(', ')}, not "${kind}"`);
      if (since !== undefined && !isMark(since)) throw new Error(`since must be a mark, not "${since}"`);
      const matches = typeof match === 'function' ? match : (record: unknown) => hasFields(record, match);
      const ways = { since, timeoutMs: durationIn(timeout), clock, ask: (path: string) => ask('GET', path) };
      const result = await waitFor(kind, matches as (record: object) => boolean, ways);
      if ('missed' in result) throw new Error(`No ${kind} matched within ${timeout}: ${result.missed}`);
      return result.found as never;
    },
    async close() {
      isClosed = true;
      await running.close();
      if (own !== undefined) rmSync(own, { recursive: true, force: true });
    },
  };
};
