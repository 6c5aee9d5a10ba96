import { createSecureContext } from 'node:tls';
import { SchedError, usageError } from '../../base/errors.ts';
import { version } from '../../base/system.ts';
import { the, words } from '../../base/words.ts';
import { cannotListen } from '../../cli/messages/cannot-listen.ts';
import type { Context, Shell } from '../../cli/session/context.ts';
import { loadDialect } from '../../cli/session/dialect-file.ts';
import { openSandboxData, sandboxFile } from '../../cli/session/open-sandbox.ts';
import { Refusal } from '../../sandbox/error-replies.ts';
import { createFaultScript } from '../../sandbox/faults/faults.ts';
import { clientId, ownerToken } from '../../sandbox/oauth/ready-tokens.ts';
import type { Sandbox, Serving } from '../../sandbox/open.ts';
import { planOf } from '../../sandbox/rules/subscription.ts';
import type { RunningSandbox, RunOptions, SandboxWatch } from '../../sandbox/run.ts';
import type { Nouns } from '../schema/command.ts';
import { signingKeyIn } from '../webhooks/signing-key.ts';
import { isOtherAddress, type ServingInput } from './input.ts';

const servingFacts = ({ url, base = url, secret, token = ownerToken }: Serving, sandbox: Sandbox, data: string) => ({
  base_url: base,
  listening: url,
  auth_url: base,
  mcp_url: base,
  client_id: clientId,
  token,
  tokens: Object.fromEntries(sandbox.tokens().map(({ name, token }) => [name, token])),
  plan: planOf(sandbox.store),
  data,
  admin_token: secret,
});

export type ServingFacts = ReturnType<typeof servingFacts>;

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
const startError = (error: NodeJS.ErrnoException, where: string, receiver: RunOptions['receiver']): Error => {
  if (error instanceof Refusal)
    return new SchedError('conflict', `Can't deliver to ${receiver?.url}`, {
      reason: error.message,
      outcome: 'not-applied',
    });
  return error.syscall === 'listen' ? cannotListen(error, where) : error;
};

/** What new data contains, and when its clock starts. */
export const newData = async ({ seed, now, kind }: Pick<ServingInput, 'seed' | 'now' | 'kind'>) => ({
  world: await seed?.(now),
  now,
  kind,
});

/** Certificate and key, if they belong together. */
const tlsOf = ({ cert, key }: ServingInput) => {
  if (cert === undefined || key === undefined) return undefined;
  const tls = { cert, key };
  try {
    createSecureContext(tls);
    return tls;
  } catch (error) {
    // The code names a rule of the format, and the message nothing of the key.
    throw usageError([
      words`${the('cert')} and ${the('key')} must be a certificate and its key in PEM: ${(error as Error).message}`,
    ]);
  }
};

/** The address that other machines can reach, with a warning. */
const otherAddress = ({ bind, allowAdmin }: ServingInput, { notes }: Context): string | undefined => {
  if (!isOtherAddress(bind)) return undefined;
  notes.warn(
    `Other machines may reach the sandbox at ${bind}. Its ready-made tokens are random, but anybody who reaches it can log in${allowAdmin ? ' and open the desk' : ''}`,
  );
  return bind;
};

/** Runs a sandbox server until `work` is done. */
export const whileServing = async (
  values: ServingInput,
  context: Shell,
  work: (facts: ServingFacts, running: RunningSandbox, sandbox: Sandbox) => Promise<void>,
  registry: Nouns,
  watch?: SandboxWatch,
): Promise<void> => {
  const { port, data: dataName, plan, dialect, webhookTo, signingKeyFile } = values;
  const { runtime } = context;
  const script = createFaultScript([...(values.faults ?? []), ...values.fault.flat()]);
  const seedData = await newData(values);
  const key = signingKeyFile === undefined ? undefined : await signingKeyIn(signingKeyFile, context);
  const receiver = webhookTo === undefined ? undefined : { url: webhookTo, key };
  const tls = tlsOf(values);
  const bind = otherAddress(values, context);
  const log =
    values.mcpLog === undefined
      ? undefined
      : await (await import('../mcp/serve.ts')).openLog(context, values.mcpLog, true);
  const { runSandbox } = await import('../../sandbox/run.ts');
  const sandbox = await openSandboxData(runtime, {
    data: dataName,
    plan,
    ...seedData,
    limits: !values.noLimits,
    hosts: values.allowHost,
    dialect: dialect === undefined ? undefined : await loadDialect(dialect, runtime),
    oauth: {
      autoConsent: values.autoConsent,
      refreshReplayMilliseconds: values.refreshReplayWindow,
      profile: values.oauth,
      sleep: runtime.clock.sleep,
    },
  });
  const data = sandboxFile(runtime, dataName);
  const openMcp: RunOptions['openMcp'] = async (place) =>
    (await import('../mcp/serve.ts')).openMcp(registry, context, place, sandbox.dialect, log);
  const place = { port, bind, tls, allowAdmin: values.allowAdmin, baseUrl: values.baseUrl };
  const options = { ...place, script, data, version, receiver, watch, openMcp };
  const server = await runSandbox(sandbox, options, runtime).catch((error) => {
    throw startError(error, `${error.address ?? '127.0.0.1'}:${port}`, receiver);
  });
  try {
    await work(servingFacts(server, sandbox, data), server, sandbox);
    if (!runtime.interrupted.aborted) await server.drain();
  } finally {
    await server.close();
    await log?.close();
  }
};
