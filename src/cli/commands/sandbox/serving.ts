import { isWebhookUrl } from '../../../api/webhooks.ts';
import { SchedError } from '../../../errors.ts';
import { Refusal } from '../../../sandbox/error-replies.ts';
import {
  checkOperations,
  createFaultScript,
  type Fault,
  type FaultScript,
  readFaults,
} from '../../../sandbox/faults/faults.ts';
import { isHostName } from '../../../sandbox/http-server.ts';
import type { Sandbox, Serving } from '../../../sandbox/open.ts';
import { clientId, ownerToken, tokensIn } from '../../../sandbox/ready-tokens.ts';
import type { RunningSandbox, RunOptions, SandboxWatch } from '../../../sandbox/run.ts';
import type { Store } from '../../../sandbox/store/store.ts';
import { kinds, planOf, plans } from '../../../sandbox/subscription.ts';
import { readDuration } from '../../../time/duration.ts';
import { isLoopbackUrl } from '../../../uri.ts';
import { version } from '../../../version.ts';
import type { Flag, Invocation } from '../../command.ts';
import { readJsonText } from '../../json-file.ts';
import { readWholeNumber } from '../../operation/values.ts';
import { loadDialect } from '../../session/dialect-file.ts';
import { openSandboxData, sandboxFile } from '../../session/open-sandbox.ts';
import type { Nouns } from '../schema/schema.ts';
import { cannotListen } from '../webhooks/keep-listening.ts';
import { signingKeyFlag, signingKeyOf, signingKeyPath } from '../webhooks/signing-key.ts';
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

export const kindFlag: Flag = {
  name: 'kind',
  value: 'KIND',
  choices: kinds,
  description: 'kind of the organization: team (default for new data), or individual, which has only its owner',
};

const webhookFlags: Flag[] = [
  {
    name: 'webhook-to',
    value: 'URL',
    description: 'while it runs, deliver all webhook events to this URL on this machine',
  },
  { ...signingKeyFlag, description: `with --webhook-to: ${signingKeyFlag.description}`, heading: 'More flags' },
];

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
  kindFlag,
  {
    name: 'dialect',
    value: 'NAME|FILE',
    description: 'speak a dialect of the API, such as calendly; docs/dialects.md explains dialects',
    heading: 'More flags',
  },
  { name: 'no-limits', description: 'turn off rate limits' },
  {
    name: 'allow-host',
    value: 'NAME',
    repeat: true,
    description: 'also accept requests to this name, such as sandbox (with its own port) or sandbox:8080',
    heading: 'More flags',
  },
  { name: 'auto-consent', description: 'approve every login without a click' },
  {
    name: 'refresh-replay-window',
    value: 'DURATION',
    description: 'how long a used refresh token gets the same reply again (default 0s)',
    heading: 'More flags',
  },
  ...webhookFlags,
];

/** Reads `--webhook-to` and the key for it. */
const readReceiver = async (invocation: Invocation): Promise<RunOptions['receiver']> => {
  const { typed, problems } = invocation;
  const url = typed['webhook-to'] === undefined ? undefined : String(typed['webhook-to']);
  if (url === undefined && signingKeyPath(invocation) !== undefined)
    problems.add(`--${signingKeyFlag.name} can only be used with --webhook-to`);
  if (url !== undefined && !(isWebhookUrl(url) && isLoopbackUrl(url)))
    problems.add(`--webhook-to must be a URL on a loopback address such as http://127.0.0.1:8080/, not "${url}"`);
  problems.check();
  return url === undefined ? undefined : { url, key: await signingKeyOf(invocation) };
};

const readReplayWindow = ({ typed, problems }: Invocation): number | undefined => {
  const text = typed['refresh-replay-window'];
  if (text === undefined) return undefined;
  const milliseconds = readDuration(String(text));
  if (milliseconds === undefined) problems.add(`--refresh-replay-window must be a duration such as 10s, not "${text}"`);
  return milliseconds;
};

/** Reads `--allow-host`: exact names, so that no other page can point its own name here. */
const readHosts = ({ typed, problems }: Invocation): string[] => {
  const hosts = [typed['allow-host'] ?? []].flat().map((host) => String(host).toLowerCase());
  for (const host of hosts)
    if (!isHostName(host)) problems.add(`--allow-host must be a name such as sandbox or sandbox:8080, not "${host}"`);
  return hosts;
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
    add(`--faults ${typed.faults}`, () => readFaults(JSON.parse(text ?? '[]')));
  }
  for (const text of [typed.fault ?? []].flat()) add('--fault', () => readFaults(String(text)));
  await checkOperations(faults).catch((error: Error) => problems.add(error.message));
  return createFaultScript(faults);
};

export const readData = ({ typed, problems }: Invocation): string | undefined => {
  if (typed.data === '') problems.add('--data must be a file name or :memory:');
  return typed.data === undefined ? undefined : String(typed.data);
};

/** The data of a command that uses data that is there. */
export const readSharedData = (invocation: Invocation): string | undefined => {
  const data = readData(invocation);
  if (data === ':memory:') invocation.problems.add('--data :memory: ends with its command, so no other one can use it');
  return data;
};

const factsOf = ({ url, secret }: Serving, store: Store, data: string) => ({
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

/** Variables that would make `sched` use another service or user nevertheless. */
export const conflicting = [
  'SCHED_SANDBOX',
  'SCHED_PROFILE',
  'SCHED_TOKEN_FILE',
  'SCHED_USER',
  'SCHED_ORG',
  'SCHED_DIALECT',
];

/** The error for a sandbox that can't start to serve. */
const startError = (error: NodeJS.ErrnoException, port: number, receiver: RunOptions['receiver']): Error => {
  if (error instanceof Refusal)
    return new SchedError('conflict', `Can't deliver to ${receiver?.url}`, {
      reason: error.message,
      outcome: 'not-applied',
    });
  return error.syscall === 'listen' ? cannotListen(error, `127.0.0.1:${port}`) : error;
};

/** Runs a sandbox server, configured by the flags, until `work` is done. */
export const whileServing = async (
  invocation: Invocation,
  usual: { port: number; data?: string },
  work: (facts: ServingFacts, running: RunningSandbox, sandbox: Sandbox) => Promise<void>,
  registry: Nouns,
  watch?: SandboxWatch,
): Promise<void> => {
  const { context, typed, problems } = invocation;
  const { runtime } = context;
  const port = readWholeNumber('port', invocation, 0, 65_535) ?? usual.port;
  const named = readData(invocation) ?? usual.data;
  const plan = problems.choice('plan', typed.plan, plans);
  const kind = problems.choice('kind', typed.kind, kinds);
  const { world, now } = await readSeed(invocation);
  const refreshReplayMilliseconds = readReplayWindow(invocation);
  const hosts = readHosts(invocation);
  const script = await readScript(invocation);
  const receiver = await readReceiver(invocation);
  const { runSandbox } = await import('../../../sandbox/run.ts');
  const sandbox = await openSandboxData(runtime, {
    data: named,
    plan,
    kind,
    world,
    now,
    limits: typed['no-limits'] !== true,
    hosts,
    dialect: typed.dialect === undefined ? undefined : await loadDialect(String(typed.dialect), runtime),
    oauth: { autoConsent: typed['auto-consent'] === true, refreshReplayMilliseconds },
  });
  const data = sandboxFile(runtime, named);
  const openMcp: RunOptions['openMcp'] = async (place) =>
    (await import('../mcp/serve.ts')).openMcp(registry, invocation, place, sandbox.dialect);
  const options = { port, script, data, version, receiver, watch, openMcp };
  const running = await runSandbox(sandbox, options, runtime).catch((error) => {
    throw startError(error, port, receiver);
  });
  try {
    await work(factsOf(running, sandbox.store, data), running, sandbox);
    if (!runtime.interrupted.aborted) await running.drain();
  } finally {
    await running.close();
  }
};
