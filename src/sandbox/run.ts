import { setMaxListeners } from 'node:events';
import { once } from '../base/once.ts';
import type { Clock, Machine } from '../base/system.ts';
import type { HttpRequest } from '../http/message.ts';
import type { World } from '../runtime.ts';
import { withAdmin } from './admin/admin.ts';
import { adminCalls } from './admin/admin-calls.ts';
import { createLog } from './admin/log-admin.ts';
import { answerTime } from './clock/answer-time.ts';
import { openDesk } from './desk/desk.ts';
import type { FaultScript } from './faults/faults.ts';
import type { WireReply } from './faults/inject.ts';
import { withFaults } from './faults/with-faults.ts';
import { createEndpoint, type McpServer } from './mcp/endpoint.ts';
import { createOwnTokens } from './oauth/own-tokens.ts';
import { clientOfToken, fingerprint, tokensIn } from './oauth/ready-tokens.ts';
import type { Sandbox, Serving } from './open.ts';
import { deletionsDone } from './rules/deletion.ts';
import { fetchFrom } from './server/fetch.ts';
import type { WireService } from './server/front.ts';
import { serve } from './server/http-server.ts';
import { createDeliverer, type DelivererOptions } from './webhooks/deliverer.ts';
import { postTo } from './webhooks/post.ts';
import { clearLeftovers, type Subscriber, subscribeTemporarily } from './webhooks/temporary.ts';

/**
 * How often a running sandbox writes its counts, and looks for deliveries that are due because its clock was moved, or by
 * another process.
 */
const pollMilliseconds = 250;

/** The address of a sandbox that doesn't listen. Any other one reaches it too. */
const usualAddress = 'http://127.0.0.1:4010';

/** What other machines don't reach: the desk, and everything that controls the sandbox. */
const isLocal = (path: string): boolean => path === '/' || path.startsWith('/__sandbox/');

/** The request at another origin, which the links in its reply then carry. */
const atOrigin = (origin: string | undefined, request: HttpRequest): HttpRequest =>
  origin === undefined ? request : { ...request, url: request.url.replace(/^https?:\/\/[^/]*/, origin) };

/** What a running sandbox needs of the outside world. */
interface SandboxWorld extends Pick<World, 'clock' | 'every' | 'randomBytes'> {
  readonly machine: Pick<Machine, 'pid' | 'isAlive'>;
}

/** Sees what a running sandbox does. */
export interface SandboxWatch {
  onRequest(request: HttpRequest, reply: WireReply, milliseconds: number): void;
  onDelivery: NonNullable<DelivererOptions['onAttempt']>;
}

/** How the tools of the MCP server reach the sandbox. */
export interface McpPlace extends Pick<Serving, 'url' | 'dialect'> {
  fetch(request: Request): Promise<Response>;
}

export interface RunOptions {
  /** 0 picks a free port. Without one, nothing listens: only `fetch` reaches the sandbox. */
  port?: number | undefined;
  /**
   * An address that other machines can reach, beside the loopback address. Then the ready-made tokens are random, and the
   * desk and admin requests are for this machine only, unless `allowAdmin` is set.
   */
  bind?: string | undefined;
  allowAdmin?: boolean | undefined;
  /** Certificate and key, to speak TLS. */
  tls?: { cert: string; key: string } | undefined;
  /** The origin in all links, if clients use another one than that of their request. */
  baseUrl?: string | undefined;
  script: FaultScript;
  /** Where the data is, for the replies to admin requests. */
  data: string;
  /** The version of `sched`, which deliveries name. */
  version: string;
  /** Gets every event while the sandbox runs. */
  receiver?: Pick<Subscriber, 'url' | 'key'> | undefined;
  watch?: SandboxWatch | undefined;
  /** Starts an MCP server whose tools use the sandbox. Without it, the sandbox has none. */
  openMcp?: ((place: McpPlace) => Promise<McpServer>) | undefined;
  /** Lets the process end although nobody closed the sandbox. */
  unref?: boolean;
}

export interface RunningSandbox extends Serving {
  /** What a request is answered with, including admin requests. */
  readonly service: WireService;
  /** The same for requests as `fetch` has them. Refuses what a server refuses, except for foreign names. */
  fetch(request: Request): Promise<Response>;
  /** The address of the desk with a new key. It works once, for so many seconds or until the sandbox ends. */
  deskAddress(seconds?: number): string;
  /** Waits a little for deliveries that are due. */
  drain(): Promise<void>;
  /** Stops the server and the deliveries, then closes the data. A second call waits for the first. */
  close(): Promise<void>;
}

/** Serves an open sandbox with its faults, admin requests and deliveries. Closes the data when it ends or fails to start. */
export const runSandbox = async (
  sandbox: Sandbox,
  { port, bind, allowAdmin, tls, baseUrl, script, data, version, receiver, watch, openMcp, unref }: RunOptions,
  { clock: system, every, randomBytes, machine: { pid, isAlive } }: SandboxWorld,
): Promise<RunningSandbox> => {
  const { store, clock } = sandbox;
  /** Each undoes a part of the start. */
  const undo: Array<() => unknown> = [() => sandbox.close()];
  const undoAll = async (): Promise<void> => {
    try {
      await undo.pop()?.();
    } finally {
      if (undo.length > 0) await undoAll();
    }
  };
  try {
    clearLeftovers(store, isAlive);
    if (receiver !== undefined) undo.push(subscribeTemporarily(store, { ...receiver, now: clock.now(), pid }));
    const deliverer = createDeliverer({
      store,
      clock,
      system,
      name: `${pid}-${Buffer.from(randomBytes(6)).toString('hex')}`,
      userAgent: `sched-sandbox/${version}`,
      post: postTo(receiver?.url),
      onAttempt: watch?.onDelivery,
      dialect: sandbox.dialect,
    });
    const poll = () => {
      store.counters.batch();
      deliverer.poll();
    };
    undo.push(deliverer.close, every(pollMilliseconds, poll));
    // Deliveries of an earlier run may be left.
    deliverer.wake();

    const secret = `sandbox_admin_${Buffer.from(randomBytes(24)).toString('base64url')}`;
    // A fault can delay a reply for up to ten minutes. These delays end when the sandbox is closed.
    const over = new AbortController();
    // Otherwise Node would report a leak once eleven requests wait.
    setMaxListeners(0, over.signal);
    undo.push(() => over.abort());
    const sleep: Clock['sleep'] = (milliseconds) => system.sleep(milliseconds, over.signal);
    const dialect = sandbox.dialect?.place;
    let url = usualAddress;
    const mcp =
      openMcp && createEndpoint({ sandbox, randomBytes, open: () => openMcp({ url, dialect, fetch: ownFetch }) });
    undo.push(() => mcp?.close());
    const sending: typeof sandbox.service = async (request) => {
      const answered = await mcp?.answer(request);
      if (answered !== undefined) return answered;
      const reply = await sandbox.service(request);
      if (request.method !== 'GET') deliverer.wake();
      return reply;
    };
    const log = createLog({ deletionsDone: () => deletionsDone(store) });
    const desk = openDesk({
      sandbox,
      script,
      log,
      version,
      receiver: receiver?.url,
      secret,
      service: (request) => faulty(request),
      clock: system,
      every,
      randomBytes,
    });
    undo.push(desk.close);
    // The desk is opened where the sandbox listens: whatever is in front of it may not run.
    const addressAt: typeof desk.addressAt = (origin, seconds) =>
      desk.addressAt(baseUrl === undefined ? origin : url, seconds);
    /** Kept, because the tokens of a login that ended are gone. */
    const clients = new Map<string, string | undefined>();
    const clientOf = (token: string): string | undefined => {
      const hash = fingerprint(token);
      if (clients.size > 1000) clients.clear();
      const found = clients.get(hash) ?? clientOfToken(store, hash);
      clients.set(hash, found);
      return found;
    };
    const faulty = withAdmin(
      withFaults(sending, {
        script,
        log,
        clock: { now: () => clock.latest, sleep },
        dialect: sandbox.dialect,
        clientOf,
      }),
      {
        secret,
        calls: adminCalls,
        context: { sandbox, data, deliverer, desk: { addressAt }, script, log },
      },
    );
    const answer: WireService = async (sent) => {
      const request = atOrigin(baseUrl, sent);
      return answerTime(request, clock) ?? (await desk.answer(request)) ?? faulty(request);
    };
    const watched: WireService = async (request) => {
      const started = system.now();
      const reply = await answer(request);
      if (!/\/(?:__sandbox|assets|avatars)\//.test(request.url))
        watch!.onRequest(request, reply, system.now() - started);
      return reply;
    };
    const inside = watch === undefined ? answer : watched;
    // With the tokens that the data knows.
    const ownFetch = fetchFrom(inside, { sleep });
    const own = bind === undefined ? undefined : createOwnTokens(randomBytes);
    if (own !== undefined) sandbox.tokens = () => tokensIn(store).map(own.shown);
    const service: WireService = own === undefined ? inside : (request) => inside(own.translate(request));
    const { refusalHeaders, hosts } = sandbox;
    const fetch = fetchFrom(service, { sleep, refusalHeaders });
    const token = own && sandbox.tokens().find(({ name }) => name === 'owner')?.token;
    const names = { dialect, base: baseUrl, token };
    if (port !== undefined) {
      const place = { port, bind, tls, hosts, ownHost: baseUrl && new URL(baseUrl).host };
      const who = bind === undefined || allowAdmin ? {} : { isLocal };
      const server = await serve(service, { ...place, ...who, sleep, unref, refusalHeaders });
      undo.push(() => {
        // Another sandbox may have started with the same data.
        if (sandbox.serving?.secret === secret) sandbox.serving = undefined;
      }, server.close);
      url = server.url;
      sandbox.serving = { url, secret, ...names };
    }
    const deskAddress = (seconds?: number) => desk.addressAt(url, seconds);
    return { url, secret, ...names, service, fetch, deskAddress, drain: deliverer.drain, close: once(undoAll) };
  } catch (error) {
    await undoAll();
    throw error;
  }
};
