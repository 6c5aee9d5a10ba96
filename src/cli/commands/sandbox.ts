import { rm } from 'node:fs/promises';
import { SchedError } from '../../errors.ts';
import type { View } from '../../output/view.ts';
import type { Runtime } from '../../runtime.ts';
import { isSandboxFile } from '../../sandbox/database.ts';
import { type Plan, plans } from '../../sandbox/plan.ts';
import { team } from '../../sandbox/seed-team.ts';
import { serve } from '../../sandbox/server.ts';
import { clientId, type ReadyToken, readyTokens } from '../../sandbox/tokens.ts';
import { readDuration } from '../../time/duration.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { requireConsent } from '../consent.ts';
import type { Context } from '../context.ts';
import { openData, sandboxFile } from '../embedded.ts';

const defaultPort = 4010;

const dataFlag: Flag = {
  name: 'data',
  value: 'FILE',
  description: 'keep the data in this file, or in :memory:, instead of where all sandbox commands keep it',
  heading: 'Flags',
};

const startView: View = {
  columns: [
    { header: 'BASE URL', path: 'base_url', priority: 3 },
    { header: 'TOKEN', path: 'token', priority: 2 },
    { header: 'PLAN', path: 'plan', priority: 1 },
  ],
  id: 'base_url',
};

const tokensView: View<ReturnType<typeof shown>> = {
  columns: [
    { header: 'TOKEN', path: 'token', shrink: false },
    { header: 'USER', path: 'user', priority: 3 },
    { header: 'ROLE', path: 'role', priority: 5 },
    { header: 'KIND', path: 'kind', priority: 2 },
    {
      header: 'SCOPES',
      path: 'scopes',
      as: 'list',
      priority: 1,
      value: ({ scopes }) => scopes ?? 'all',
    },
  ],
  id: 'token',
};

const shown = ({ name, token, member, scopes, kind, refreshToken }: ReadyToken) => {
  const { name: user, role } = team.find(({ key }) => key === member)!;
  return { name, token, user, role, kind, scopes, refresh_token: refreshToken ?? null };
};

const readPort = ({ typed, problems }: Invocation): number => {
  if (typed.port === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(String(typed.port)) ? Number(typed.port) : -1;
  if (port >= 0 && port <= 65_535) return port;
  problems.add(`--port '${typed.port}' is not a port from 0 to 65535`);
  return defaultPort;
};

const readPlan = ({ typed, problems }: Invocation): Plan | undefined => {
  const plan = plans.find((each) => each === typed.plan);
  if (typed.plan !== undefined && plan === undefined)
    problems.add(`--plan '${typed.plan}' is not one of ${plans.join(', ')}`);
  return plan;
};

const readReplayWindow = ({ typed, problems }: Invocation): number | undefined => {
  const text = typed['refresh-replay-window'];
  if (text === undefined) return undefined;
  const milliseconds = readDuration(String(text));
  if (milliseconds === undefined) problems.add(`--refresh-replay-window '${text}' is not a duration such as 10s`);
  return milliseconds;
};

const readData = ({ typed, problems }: Invocation): string | undefined => {
  if (typed.data === '') problems.add('--data needs a file, or :memory:');
  return typed.data === undefined ? undefined : String(typed.data);
};

const factsOf = (url: string, plan: Plan, data: string) => ({
  base_url: url,
  auth_url: url,
  mcp_url: url,
  client_id: clientId,
  token: readyTokens[0]!.token,
  tokens: Object.fromEntries(readyTokens.map(({ name, token }) => [name, token])),
  plan,
  data,
});

type Facts = ReturnType<typeof factsOf>;

/** Lines for a shell: all that is not an assignment is a comment. */
const exportLines = ({ base_url, auth_url, mcp_url, client_id, token, plan }: Facts): string =>
  [
    `# API    ${base_url}`,
    `# login  ${auth_url}`,
    `# MCP    ${mcp_url}`,
    `# plan   ${plan}`,
    ...readyTokens.map(shown).map((each) => `# ${each.token}: ${each.user}, ${each.role}, ${words(each)}`),
    `export SCHED_BASE_URL=${base_url}`,
    `export SCHED_AUTH_URL=${auth_url}`,
    `export SCHED_MCP_URL=${mcp_url}`,
    `export SCHED_CLIENT_ID=${client_id}`,
    `export SCHED_TOKEN=${token}`,
  ].join('\n');

const words = ({ scopes, kind }: ReturnType<typeof shown>): string => {
  if (scopes === null) return kind === 'oauth' ? 'full access until refreshed' : 'full access';
  return scopes.length === 1 ? `${scopes[0]} only` : 'every :read scope';
};

const printFacts = ({ settings, printer }: Context, facts: Facts): Promise<void> => {
  const { format, fields = [], jq } = settings;
  if (format === 'table' || format === 'tsv') return printer.text(exportLines(facts));
  // One line, for scripts that wait for it.
  if (format === 'json' && fields.length === 0 && jq === undefined) return printer.text(JSON.stringify(facts));
  return printer.one(startView, facts);
};

/** Serves until the process is told to stop. */
const start = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const { runtime, notes } = context;
  const port = readPort(invocation);
  const data = readData(invocation);
  const plan = readPlan(invocation);
  const refreshReplayMilliseconds = readReplayWindow(invocation);
  problems.check();
  const sandbox = await openData(runtime, {
    data,
    plan,
    limits: typed['no-limits'] !== true,
    oauth: { autoConsent: typed['auto-consent'] === true, refreshReplayMilliseconds },
  });
  const server = await serve(sandbox.service, { port }).catch((error: NodeJS.ErrnoException) => {
    sandbox.close();
    throw new SchedError('environment', `Cannot listen on 127.0.0.1:${port}`, {
      reason: error.code === 'EADDRINUSE' ? 'another program listens there' : error.message,
      hint: 'sched sandbox start --port 0',
    });
  });
  try {
    await printFacts(context, factsOf(server.url, sandbox.plan, sandboxFile(runtime, data)));
    notes.say(`the sandbox listens on ${server.url}; Ctrl-C stops it`);
    await new Promise<void>((resolve) => {
      if (runtime.interrupted.aborted) resolve();
      runtime.interrupted.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    await server.close();
    sandbox.close();
  }
};

const tokens = async ({ context, problems }: Invocation): Promise<void> => {
  problems.check();
  async function* pages() {
    yield readyTokens.map(shown);
  }
  await context.printer.list(tokensView as View, pages());
};

/** A file that somebody named is removed only if it is a sandbox's: it might be anything. */
const requireOwn = async (runtime: Runtime, file: string): Promise<void> => {
  if (await isSandboxFile(file)) return;
  // What a killed process wrote last stands in a file beside it, and only opening brings the two together.
  const opened = await openData(runtime, { data: file }).catch(() => undefined);
  if (opened !== undefined) return opened.close();
  throw new SchedError('environment', 'This file is not one of a sandbox, so it is left alone', {
    reason: file,
    hint: 'name another file, or remove it yourself',
    outcome: 'not-applied',
  });
};

/** Throws the world away and seeds a new one around today. */
const reset = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  const data = readData(invocation);
  if (data === ':memory:') problems.add('--data :memory: is gone as soon as a command ends: there is nothing to reset');
  problems.check();
  const file = sandboxFile(context.runtime, data);
  if (data !== undefined) await requireOwn(context.runtime, file);
  // The question is about this file, whatever account is in use.
  const connection = async () => ({ ...noConnection, baseUrl: file });
  await requireConsent({ ...context, connection }, 'Throw the sandbox data away and seed it anew?');
  // The files go as a whole, so that even damaged ones are mended.
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true });
  const sandbox = await openData(context.runtime, { data });
  sandbox.close();
  context.notes.say(`seeded anew: ${file}`);
};

const noConnection = {
  isSandbox: true,
  credentials: { current: () => Promise.reject(new Error('nothing is sent')) },
  close: async () => {},
};

export const commands: Command[] = [
  {
    name: 'start',
    summary: 'Serve the embedded service on this machine until stopped',
    arguments: [],
    flags: [
      {
        name: 'port',
        value: 'N',
        description: `port on 127.0.0.1, 0 for any free one (default ${defaultPort})`,
        heading: 'Flags',
      },
      dataFlag,
      {
        name: 'plan',
        value: 'PLAN',
        choices: plans,
        description: 'plan of the organization (default enterprise, or what the data says)',
        heading: 'Flags',
      },
      { name: 'no-limits', description: 'count no requests and refuse none for being too many', heading: 'Flags' },
      {
        name: 'auto-consent',
        description: 'consent to every login at once, so that a script needs no browser',
        heading: 'Flags',
      },
      {
        name: 'refresh-replay-window',
        value: 'DURATION',
        description: 'how long a spent refresh token gets the same reply again (default 0s)',
        heading: 'Flags',
      },
    ],
    examples: [
      'sandbox start',
      'sandbox start --port 0 --data :memory: --json',
      'sandbox start --plan free --auto-consent',
    ],
    run: start,
  },
  {
    name: 'tokens',
    summary: 'List the ready tokens of the sandbox, by role',
    arguments: [],
    flags: [],
    fields: ['name', 'token', 'user', 'role', 'kind', 'scopes', 'refresh_token'],
    examples: ['sandbox tokens', 'sandbox tokens --json=token,role,scopes'],
    run: tokens,
  },
  {
    name: 'reset',
    summary: 'Throw the sandbox data away and seed it anew',
    arguments: [],
    flags: [dataFlag],
    examples: ['sandbox reset', 'sandbox reset --data ./sandbox.db --yes'],
    run: reset,
  },
];
