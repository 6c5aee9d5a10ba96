import { SchedError } from '../../base/errors.ts';
import { isObject, type Json, parseJson, recordsIn } from '../../base/json.ts';
import { isLoopbackUrl } from '../../base/uri.ts';
import { localCommand } from '../../cli/messages/suggested-line.ts';
import { sandboxAddress } from '../../cli/session/connection.ts';
import { openSandboxData, sandboxFile } from '../../cli/session/open-sandbox.ts';
import { NetworkFailure } from '../../http/failure.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import { existsSync } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { adminHeader, answerAdmin } from '../../sandbox/admin/admin.ts';
import type { Serving } from '../../sandbox/open.ts';

/** The running sandbox whose address and admin secret are in the environment, as inside `sandbox run`. `--data` wins. */
export const servingAround = ({ env }: HeadlessRuntime, data: string | undefined): Serving | undefined => {
  const { SCHED_SANDBOX_ADMIN: secret, SCHED_BASE_URL: url } = env;
  // The secret goes to this machine only.
  return data === undefined && secret && url && isLoopbackUrl(url)
    ? { url: url.replace(/\/+$/, ''), secret }
    : undefined;
};

const nothingRuns = (where: string, data?: string): SchedError =>
  new SchedError('environment', `No sandbox is running ${where}`, {
    hint: localCommand('sandbox', 'start', ...(data === undefined ? [] : ['--data', data])),
    outcome: 'not-sent',
  });

/** The running sandbox that has this data open. */
export const servingWith = async (runtime: HeadlessRuntime, data: string | undefined): Promise<Serving> => {
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
export const findServing = async (runtime: HeadlessRuntime, data: string | undefined): Promise<Serving> =>
  servingAround(runtime, data) ?? servingWith(runtime, data);

export interface AdminRequest {
  call: `${'GET' | 'POST' | 'DELETE'} /__sandbox/${string}`;
  body?: object;
  /** The error if the sandbox refuses. */
  refusal: string;
  /** What to do if something doesn't exist. */
  advice?: string;
}

/** The reason of a refusal: what is wrong with the parameters, else the message. */
const adminRefusalReason = ({ message, details }: { message?: unknown; details?: unknown }): string | undefined => {
  if (typeof message !== 'string') return undefined;
  const parts = recordsIn(details).map((detail) =>
    [detail.parameter, detail.message].filter((part) => typeof part === 'string').join(' '),
  );
  return parts.length > 0 ? parts.join('; ') : message;
};

const messageOf = ({ call, body }: AdminRequest, { url, secret }: Serving): HttpRequest => {
  const [method, path] = call.split(' ') as [string, string];
  return {
    method,
    url: `${url}${path}`,
    headers: { [adminHeader]: secret, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
    timeoutMs: 30_000,
  };
};

const readReply = ({ status, body }: HttpReply, { refusal, advice }: AdminRequest): Json | undefined => {
  const content = parseJson(body);
  if (status < 300 && isObject(content)) return content;
  const reason = isObject(content) ? adminRefusalReason(content) : undefined;
  if (reason === undefined || status === 401) return undefined;
  const facts = { reason, outcome: 'not-applied' } as const;
  if (status === 404) throw new SchedError('not-found', refusal, { advice, ...facts });
  throw new SchedError(status >= 500 ? 'environment' : 'usage', refusal, facts);
};

export const askRunning = async (runtime: HeadlessRuntime, serving: Serving, request: AdminRequest): Promise<Json> => {
  runtime.secrets.keep(serving.secret);
  const reply = await runtime.send(messageOf(request, serving)).catch((error: unknown) => {
    // A sandbox that was killed left its address behind.
    throw error instanceof NetworkFailure ? nothingRuns(`at ${serving.url}`) : error;
  });
  const content = readReply(reply, request);
  // Another server may use the port by now. It doesn't know the secret.
  if (content === undefined) throw nothingRuns(`at ${serving.url}`);
  return content;
};

/** Asks the running sandbox in the environment. Without one, the reply comes from the data itself, served or not. */
export const askSandbox = async (
  runtime: HeadlessRuntime,
  data: string | undefined,
  request: AdminRequest,
): Promise<Json> => {
  const serving = servingAround(runtime, data);
  if (serving !== undefined) return askRunning(runtime, serving, request);
  const sandbox = await openSandboxData(runtime, { data });
  try {
    const { dataCalls } = await import('../../sandbox/admin/data-admin.ts');
    const message = messageOf(request, { url: sandbox.serving?.url ?? sandboxAddress, secret: '' });
    const reply = await answerAdmin(dataCalls, { sandbox, data: sandboxFile(runtime, data) }, message);
    return readReply(reply!, request)!;
  } finally {
    sandbox.close();
  }
};
