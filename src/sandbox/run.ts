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
import type { Sandbox, Serving } from './open.ts';
import { fetchFrom } from './server/fetch.ts';
import type { WireService } from './server/front.ts';
import { serve } from './server/http-server.ts';
import { createDeliverer, type DelivererOptions } from './webhooks/deliverer.ts';
import { clearLeftovers, type Subscriber, subscribeTemporarily } from './webhooks/temporary.ts';

/**
 * How often a running sandbox writes its counts, and looks for deliveries that are due because its clock was moved, or by
 * another process.
 */
const pollMilliseconds = 250;

/** The address of a sandbox that doesn't listen. Any other one reaches it too. */
const usualAddress = 'http://127.0.0.1:4010';

/** What a running sandbox needs of the outside world. */
interface SandboxWorld extends Pick<World, 'clock' | 'every' | 'randomBytes'> {
  readonly machine: Pick<Machine, 'pid' | 'isAlive'>;
}

/** Sees what a running sandbox does. */
export interface SandboxWatch {
  onRequest(request: HttpRequest, reply: WireReply, milliseconds: number): void;
  onDelivery: NonNullable<DelivererOptions['onAttempt']>;
}

export interface RunOptions {
  /** 0 picks a free port. Without one, nothing listens: only `fetch` reaches the sandbox. */
  port?: number | undefined;
  script: FaultScript;
  /** Where the data is, for the replies to admin requests. */
  data: string;
  /** The version of `sched`, which deliveries name. */
  version: string;
  /** Gets every event while the sandbox runs. */
  receiver?: Pick<Subscriber, 'url' | 'key'> | undefined;
  watch?: SandboxWatch | undefined;
  /** Starts an MCP server whose tools use the sandbox at this address. Without it, the sandbox has none. */
  openMcp?: ((place: Omit<Serving, 'secret'>) => Promise<McpServer>) | undefined;
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
  { port, script, data, version, receiver, watch, openMcp, unref }: RunOptions,
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
    const mcp = openMcp && createEndpoint({ sandbox, randomBytes, open: () => openMcp({ url, dialect }) });
    undo.push(() => mcp?.close());
    const sending: typeof sandbox.service = async (request) => {
      const answered = await mcp?.answer(request);
      if (answered !== undefined) return answered;
      const reply = await sandbox.service(request);
      if (request.method !== 'GET') deliverer.wake();
      return reply;
    };
    const log = createLog();
    const desk = openDesk({
      sandbox,
      script,
      log,
      version,
      secret,
      service: (request) => faulty(request),
      clock: system,
      every,
      randomBytes,
    });
    undo.push(desk.close);
    const faulty = withAdmin(
      withFaults(sending, { script, log, clock: { now: () => clock.latest, sleep }, dialect: sandbox.dialect }),
      {
        secret,
        calls: adminCalls,
        context: { sandbox, data, deliverer, desk, script, log },
      },
    );
    const service: WireService = async (request) =>
      answerTime(request, clock) ?? (await desk.answer(request)) ?? faulty(request);
    const watched: WireService = async (request) => {
      const started = system.now();
      const reply = await service(request);
      if (!/\/(?:__sandbox|assets|avatars)\//.test(request.url))
        watch!.onRequest(request, reply, system.now() - started);
      return reply;
    };
    const whole = watch === undefined ? service : watched;
    const { refusalHeaders, hosts } = sandbox;
    const fetch = fetchFrom(whole, { sleep, refusalHeaders });
    if (port !== undefined) {
      const server = await serve(whole, { port, sleep, unref, refusalHeaders, hosts });
      undo.push(() => {
        // Another sandbox may have started with the same data.
        if (sandbox.serving?.secret === secret) sandbox.serving = undefined;
      }, server.close);
      url = server.url;
      sandbox.serving = { url, secret, dialect };
    }
    const deskAddress = (seconds?: number) => desk.addressAt(url, seconds);
    return { url, secret, dialect, service, fetch, deskAddress, drain: deliverer.drain, close: once(undoAll) };
  } catch (error) {
    await undoAll();
    throw error;
  }
};
