import { setMaxListeners } from 'node:events';
import { SchedError } from '../../../errors.ts';
import type { HttpRequest } from '../../../http/message.ts';
import { withFaults } from '../../../sandbox/admin.ts';
import { dataCalls } from '../../../sandbox/data-admin.ts';
import {
  createFaultScript,
  type Fault,
  type FaultScript,
  readFault,
  readFaults,
  unknownOperation,
} from '../../../sandbox/faults/faults.ts';
import type { WireReply } from '../../../sandbox/faults/inject.ts';
import { type Server, serve, type WireService } from '../../../sandbox/http-server.ts';
import type { Sandbox, Serving } from '../../../sandbox/open.ts';
import { clientId, ownerToken, tokensIn } from '../../../sandbox/ready-tokens.ts';
import type { Store } from '../../../sandbox/store/store.ts';
import { type Plan, planOf, plans } from '../../../sandbox/subscription.ts';
import type { DelivererOptions } from '../../../sandbox/webhooks/deliverer.ts';
import type { Clock } from '../../../system.ts';
import { readDuration } from '../../../time/duration.ts';
import type { Flag, Invocation } from '../../command.ts';
import { readJsonText } from '../../json-file.ts';
import { readWholeNumber } from '../../operation/values.ts';
import { openSandboxData, sandboxFile } from '../../session/open-sandbox.ts';
import { readReceiver, startDeliveries, webhookFlags } from './deliveries.ts';
import { readSeed, seedFlags } from './seed-flags.ts';

export const dataFlag: Flag = {
  name: 'data',
  value: 'FILE',
  description: 'store the data in this file, or in :memory: (default: the file that all sandbox commands share)',
};

/** The flag of commands that use data that is there. */
export const sharedDataFlag: Flag = {
  ...dataFlag,
  description: "the sandbox's data file (default: the file that all sandbox commands share)",
};

/** Flags of every command that starts a sandbox server. */
export const servingFlags: Flag[] = [
  ...seedFlags,
  {
    name: 'fault',
    value: 'FAULT',
    repeat: true,
    description: "simulate a failure, such as 'events.list 503 at=2' or JSON; docs/sandbox.md lists all faults",
  },
  { name: 'faults', value: 'FILE', description: 'file with a JSON array of faults', heading: 'More flags' },
  {
    name: 'plan',
    value: 'PLAN',
    choices: plans,
    description: "the organization's plan (default: the plan in the data, else enterprise)",
  },
  { name: 'no-limits', description: 'turn off rate limits' },
  { name: 'auto-consent', description: 'approve every login without a click' },
  {
    name: 'refresh-replay-window',
    value: 'DURATION',
    description: 'how long a used refresh token gets the same reply again (default 0s)',
    heading: 'More flags',
  },
  ...webhookFlags,
];

const readPlan = ({ typed, problems }: Invocation): Plan | undefined => {
  problems.choice('plan', typed.plan, plans);
  return plans.find((each) => each === typed.plan);
};

const readReplayWindow = ({ typed, problems }: Invocation): number | undefined => {
  const text = typed['refresh-replay-window'];
  if (text === undefined) return undefined;
  const milliseconds = readDuration(String(text));
  if (milliseconds === undefined) problems.add(`--refresh-replay-window must be a duration such as 10s, not "${text}"`);
  return milliseconds;
};

const readScript = async ({ context, typed, problems }: Invocation): Promise<FaultScript> => {
  const faults: Fault[] = [];
  const add = (where: string, read: () => Fault[]) => {
    try {
      faults.push(...read());
    } catch (error) {
      problems.add(`${where}: ${(error as Error).message}`);
    }
  };
  if (typed.faults !== undefined) {
    const text = await readJsonText(String(typed.faults), '--faults', context.runtime, problems);
    add(`--faults ${typed.faults}`, () => readFaults(text ?? '[]'));
  }
  for (const text of [typed.fault ?? []].flat()) add('--fault', () => [readFault(String(text))]);
  const unknown = await unknownOperation(faults);
  if (unknown !== undefined) problems.add(`Unknown operation "${unknown}" in a fault`);
  return createFaultScript(faults);
};

export const readData = ({ typed, problems }: Invocation): string | undefined => {
  if (typed.data === '') problems.add('--data must be a file name or :memory:');
  return typed.data === undefined ? undefined : String(typed.data);
};

const factsOf = (url: string, store: Store, data: string, secret: string) => ({
  base_url: url,
  auth_url: url,
  mcp_url: url,
  client_id: clientId,
  token: ownerToken,
  tokens: Object.fromEntries(tokensIn(store).map(({ name, token }) => [name, token])),
  plan: planOf(store),
  data,
  admin_token: secret,
});

export type ServingFacts = ReturnType<typeof factsOf>;

/** Variables with which `sched`, or any other program that reads them, uses this sandbox. */
export const environmentOf = ({ url, secret }: Serving) => ({
  SCHED_BASE_URL: url,
  SCHED_AUTH_URL: url,
  SCHED_MCP_URL: url,
  SCHED_CLIENT_ID: clientId,
  SCHED_TOKEN: ownerToken,
  SCHED_SANDBOX_ADMIN: secret,
});

const listen = (service: WireService, options: Parameters<typeof serve>[1]): Promise<Server> =>
  serve(service, options).catch((error: NodeJS.ErrnoException) => {
    throw new SchedError('environment', `Can't listen on 127.0.0.1:${options.port}`, {
      reason: error.code === 'EADDRINUSE' ? 'the port is in use' : error.message,
      hint: { flags: { port: '0' } },
    });
  });

/** Sees what a running sandbox does. */
export interface ServingWatch {
  onRequest(request: HttpRequest, reply: WireReply, milliseconds: number): void;
  onDelivery: NonNullable<DelivererOptions['onAttempt']>;
}

/** Runs a sandbox server, configured by the flags, until `work` is done. */
export const whileServing = async (
  invocation: Invocation,
  usual: { port: number; data?: string },
  work: (facts: ServingFacts, serving: Serving, sandbox: Sandbox) => Promise<void>,
  watch?: ServingWatch,
): Promise<void> => {
  const { context, typed } = invocation;
  const { runtime } = context;
  const port = readWholeNumber('port', invocation, 0, 65_535) ?? usual.port;
  const data = readData(invocation) ?? usual.data;
  const plan = readPlan(invocation);
  const { world, now } = await readSeed(invocation);
  const refreshReplayMilliseconds = readReplayWindow(invocation);
  const script = await readScript(invocation);
  const receiver = await readReceiver(invocation);
  const sandbox = await openSandboxData(runtime, {
    data,
    plan,
    world,
    now,
    limits: typed['no-limits'] !== true,
    oauth: { autoConsent: typed['auto-consent'] === true, refreshReplayMilliseconds },
  });
  try {
    const secret = `sandbox_admin_${Buffer.from(runtime.randomBytes(24)).toString('base64url')}`;
    // A fault can delay a reply for up to ten minutes. These delays end when the work is done.
    const over = new AbortController();
    // Otherwise Node would report a leak once eleven requests wait.
    setMaxListeners(0, over.signal);
    const sleep: Clock['sleep'] = (milliseconds) => runtime.clock.sleep(milliseconds, over.signal);
    const clock = { now: () => sandbox.clock.now(), sleep };
    const deliveries = await startDeliveries(sandbox, receiver, runtime, watch?.onDelivery);
    try {
      const more = { ...deliveries.calls, ...dataCalls(sandbox, sandboxFile(runtime, data)) };
      const service = withFaults(deliveries.service, { script, secret, clock, more });
      const watched: WireService = async (request) => {
        const started = runtime.clock.now();
        const reply = await service(request);
        if (!request.url.includes('/__sandbox/')) watch!.onRequest(request, reply, runtime.clock.now() - started);
        return reply;
      };
      const server = await listen(watch === undefined ? service : watched, {
        port,
        sleep,
        refusalHeaders: sandbox.refusalHeaders,
      });
      const serving = { url: server.url, secret };
      sandbox.serving = serving;
      try {
        await work(factsOf(server.url, sandbox.store, sandboxFile(runtime, data), secret), serving, sandbox);
        if (!runtime.interrupted.aborted) await deliveries.drain();
      } finally {
        await server.close();
        over.abort();
        // Another sandbox may have started with the same data.
        if (sandbox.serving?.secret === secret) sandbox.serving = undefined;
      }
    } finally {
      await deliveries.close();
    }
  } finally {
    sandbox.close();
  }
};
