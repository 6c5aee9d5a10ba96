import { existsSync } from 'node:fs';
import { SchedError } from '../../../errors.ts';
import { NetworkFailure } from '../../../http/failure.ts';
import { isObject, type Json, parseJson } from '../../../json.ts';
import type { Runtime } from '../../../runtime.ts';
import { type AdminCall, adminHeader } from '../../../sandbox/admin.ts';
import { dataCalls } from '../../../sandbox/data-admin.ts';
import { Refusal } from '../../../sandbox/error-replies.ts';
import type { Serving } from '../../../sandbox/open.ts';
import { isLoopbackUrl } from '../../../uri.ts';
import { commandLine } from '../../messages/command-lines.ts';
import { sandboxAddress } from '../../session/connection.ts';
import { openSandboxData, sandboxFile } from '../../session/open-sandbox.ts';

/** The running sandbox whose address and admin secret are in the environment, as inside `sandbox run`. `--data` wins. */
export const servingAround = ({ env }: Runtime, data: string | undefined): Serving | undefined => {
  const { SCHED_SANDBOX_ADMIN: secret, SCHED_BASE_URL: url } = env;
  // The secret goes to this machine only.
  return data === undefined && secret && url && isLoopbackUrl(url)
    ? { url: url.replace(/\/+$/, ''), secret }
    : undefined;
};

const nothingRuns = (where: string, data?: string): SchedError =>
  new SchedError('environment', `No sandbox is running ${where}`, {
    hint: commandLine('sandbox', 'start', ...(data === undefined ? [] : ['--data', data])),
    outcome: 'not-sent',
  });

/** The running sandbox that has this data open. */
export const servingWith = async (runtime: Runtime, data: string | undefined): Promise<Serving> => {
  const none = nothingRuns('with this data', data);
  // To open data that isn't there would create it.
  if (!existsSync(sandboxFile(runtime, data))) throw none;
  const sandbox = await openSandboxData(runtime, { data });
  try {
    const { serving } = sandbox;
    if (serving === undefined) throw none;
    return serving;
  } finally {
    sandbox.close();
  }
};

/** The running sandbox: the one in the environment, else the one that has this data open. */
export const findServing = async (runtime: Runtime, data: string | undefined): Promise<Serving> =>
  servingAround(runtime, data) ?? servingWith(runtime, data);

interface AdminRequest {
  method: 'GET' | 'POST';
  path: `/__sandbox/${string}`;
  body?: Json;
  /** The error if the sandbox refuses. */
  refusal: { message: string; advice?: string };
}

export const askRunning = async (
  runtime: Runtime,
  { url, secret }: Serving,
  { method, path, body, refusal: { message: words, ...facts } }: AdminRequest,
): Promise<Json> => {
  runtime.secrets.keep(secret);
  const request = {
    method,
    url: `${url}${path}`,
    headers: { [adminHeader]: secret, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: 30_000,
  };
  const reply = await runtime.send(request).catch((error: unknown) => {
    // A sandbox that was killed left its address behind.
    throw error instanceof NetworkFailure ? nothingRuns(`at ${url}`) : error;
  });
  const content = parseJson(reply.body);
  if (reply.status === 200 && isObject(content)) return content;
  const { message } = isObject(content) ? content : ({} as Json);
  // Another server may use the port by now. It doesn't know the secret.
  if (typeof message !== 'string' || reply.status === 401) throw nothingRuns(`at ${url}`);
  throw new SchedError(reply.status === 404 ? 'not-found' : 'usage', words, {
    reason: message,
    ...facts,
    outcome: 'not-applied',
  });
};

/** Asks the running sandbox in the environment. Without one, the reply comes from the data itself, served or not. */
export const askSandbox = async (runtime: Runtime, data: string | undefined, request: AdminRequest): Promise<Json> => {
  const running = servingAround(runtime, data);
  if (running !== undefined) return askRunning(runtime, running, request);
  const { method, path, body, refusal } = request;
  const sandbox = await openSandboxData(runtime, { data });
  try {
    const { href, pathname } = new URL(path, sandbox.serving?.url ?? sandboxAddress);
    const calls: Record<string, AdminCall> = dataCalls(sandbox, sandboxFile(runtime, data));
    const reply = await calls[`${method} ${pathname}`]!({ method, url: href, headers: {}, body: JSON.stringify(body) });
    return reply as Json;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new SchedError('usage', refusal.message, { reason: error.message, outcome: 'not-applied' });
  } finally {
    sandbox.close();
  }
};
