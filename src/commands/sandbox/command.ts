import { once } from 'node:events';
import { version } from '../../base/system.ts';
import type { Answer, FileAnswer, ProgramAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import { show } from '../../cli/answer/show.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { toggle } from '../../cli/input/kinds.ts';
import { sandboxAddress } from '../../cli/session/connection.ts';
import type { Shell } from '../../cli/session/context.ts';
import { sandboxFile } from '../../cli/session/open-sandbox.ts';
import { existsSync } from '../../node/files.ts';
import type { View } from '../../output/view.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { tokensIn } from '../../sandbox/oauth/ready-tokens.ts';
import type { Sandbox, Serving } from '../../sandbox/open.ts';
import type { RunningSandbox } from '../../sandbox/run.ts';
import { adminOpenapi, openapi } from '../../sandbox/server/openapi.ts';
import type { Nouns } from '../schema/command.ts';
import { clockCommand, exportCommand, noticesCommand, snapshotCommand } from './data.ts';
import { envCommand, exportLines, useLine } from './env.ts';
import { type DataInput, dataInput, type StartInput, startInput, tokensInput } from './input.ts';
import { oauthCommand } from './oauth.ts';
import { resetCommand } from './reset.ts';
import { runCommand } from './run-program.ts';
import { askRunning, askSandbox, findServing, servingAround } from './running.ts';
import { openScreen } from './screen.ts';
import { type ServingFacts, whileServing } from './serving.ts';
import { triggerCommand } from './trigger.ts';
import { markCommand, waitCommand } from './wait.ts';

const openapiEntries = { admin: toggle('describe the admin interface of a running sandbox instead') };

const runOpenapi = async ({ admin }: Values<typeof openapiEntries>, { context }: Call): Promise<FileAnswer> => {
  const origin = servingAround(context.runtime, undefined)?.url ?? sandboxAddress;
  return { kind: 'file', value: admin ? adminOpenapi(version, origin) : await openapi(version, origin) };
};

const openapiCommand: Command = {
  name: 'openapi',
  summary: 'Print an OpenAPI 3.1 description of the service, as JSON',
  ...taking(input(openapiEntries), runOpenapi),
  local: true,
  examples: ['sandbox openapi', 'sandbox openapi > openapi.json', 'sandbox openapi --admin'],
  notes: [
    'Generated from the definitions that both sched and the sandbox use. It says "Assumed" where the documentation of the service leaves a gap.',
  ],
};

/** How long a key works that is given to a browser: other users of the machine may see a browser's arguments. */
const browserKeySeconds = 60;

/** Opens the desk in a browser. `addressFor` makes an address with a new key, which works for so many seconds. */
const openDeskPage = async (
  runtime: Pick<HeadlessRuntime, 'openBrowser'>,
  addressFor: (seconds?: number) => string | Promise<string>,
): Promise<Answer> => {
  if (await runtime.openBrowser(await addressFor(browserKeySeconds)))
    return { kind: 'nothing', hints: ['Opened the desk of the sandbox in your browser'] };
  const warnings = ["Can't open a browser. Open this address yourself. It works once"];
  return { kind: 'text', text: await addressFor(), done: { warnings } };
};

const runOpen = async ({ data }: DataInput, { context: { runtime } }: Call): Promise<Answer> => {
  const serving = await findServing(runtime, data);
  return openDeskPage(runtime, async (seconds) => {
    const refusal = "Can't open the desk of the sandbox";
    const { url } = await askRunning(runtime, serving, {
      call: 'POST /__sandbox/desk/keys',
      body: { seconds },
      refusal,
    });
    return String(url);
  });
};

const openCommand: Command = {
  name: 'open',
  summary: 'Open the desk of the running sandbox in your browser',
  ...taking(dataInput, runOpen),
  local: true,
  examples: ['sandbox open', 'sandbox open --data ./sandbox.db'],
  notes: [
    'The desk shows requests, deliveries, rate limits and the calendar of the team as they change. Without this command, the address of the sandbox shows a short page with nothing private.',
    'The address has a key that works once. If no browser can be started, the command prints the address.',
  ],
};

const startView: View = {
  columns: [
    { header: 'BASE URL', path: 'base_url', priority: 3 },
    { header: 'TOKEN', path: 'token', priority: 2 },
    { header: 'PLAN', path: 'plan', priority: 1 },
  ],
  id: 'base_url',
};

const tokensView: View<ReturnType<typeof tokenRecord>> = {
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

const tokenRecord = ({ name, token, user, role, scopes, kind, refreshToken }: ReturnType<typeof tokensIn>[number]) => ({
  name,
  token,
  user,
  role,
  kind,
  scopes,
  refresh_token: refreshToken ?? null,
});

/** Lines that a shell can evaluate: assignments, and comments for the rest. */
const shellText = (facts: ServingFacts, serving: Serving, { tokens }: Sandbox): string =>
  [
    `# API    ${facts.base_url}`,
    `# login  ${facts.auth_url}`,
    `# MCP    ${facts.mcp_url}/mcp`,
    `# plan   ${facts.plan}`,
    ...tokens()
      .map(tokenRecord)
      .map((each) => `# ${each.token}: ${each.user}, ${each.role}, ${tokenWords(each)}`),
    ...exportLines(serving),
  ].join('\n');

const tokenWords = ({ scopes, kind }: ReturnType<typeof tokenRecord>): string => {
  if (scopes === null) return kind === 'oauth' ? 'full access until refreshed' : 'full access';
  return scopes.length === 1 ? `${scopes[0]} only` : 'all :read scopes';
};

const printFacts = (
  { settings, printer }: Shell,
  facts: ServingFacts,
  serving: Serving,
  sandbox: Sandbox,
): Promise<void> => {
  const { format, fields = [], jq } = settings;
  if (format === 'table' || format === 'tsv') return printer.text(shellText(facts, serving, sandbox));
  // On one line, for scripts that wait for it.
  if (format === 'json' && fields.length === 0 && jq === undefined) return printer.text(JSON.stringify(facts));
  return printer.one(startView, facts);
};

/** Runs the server until the process is interrupted. At a terminal, it shows what happens. */
const start = (registry: Nouns, values: StartInput, shell: Shell): Promise<void> => {
  const { runtime, settings, notes } = shell;
  const { interrupted, stdout, stderr, env } = runtime;
  const isForPerson = settings.format === 'table' && settings.fields === undefined && stdout.isTerminal && !env.CI;
  const screen = isForPerson ? openScreen(shell) : undefined;
  const work = async (facts: ServingFacts, server: RunningSandbox, sandbox: Sandbox) => {
    // No other process can find data in memory.
    const use = facts.data === ':memory:' ? exportLines(server) : [useLine(runtime, values.data)];
    const desk = stderr.isTerminal && !values.open ? server.deskAddress() : undefined;
    const close = await screen?.open(facts, { desk, use });
    if (screen === undefined) {
      await printFacts(shell, facts, server, sandbox);
      if (desk !== undefined) notes.info(`Desk (this link works once): ${desk}`);
      notes.info(`Sandbox running at ${facts.base_url}. Press Ctrl-C to stop it`);
    }
    if (values.open) await show(shell, await openDeskPage(runtime, server.deskAddress));
    if (!interrupted.aborted) await once(interrupted, 'abort');
    close?.();
  };
  return whileServing(values, shell, work, registry, screen?.watch);
};

/** Lists the tokens of a running sandbox, or of the data. Data that isn't there yet will have the people of the demo. */
const tokens = async ({ data }: DataInput, { context: { runtime } }: Call): Promise<RowsAnswer> => {
  const isThere = servingAround(runtime, data) !== undefined || existsSync(sandboxFile(runtime, data));
  const request = { call: 'GET /__sandbox/tokens', refusal: "Can't list the tokens" } as const;
  const reply = await askSandbox(runtime, isThere ? data : ':memory:', request);
  const rows = (reply.tokens as ReturnType<typeof tokensIn>).map(tokenRecord);
  return { kind: 'rows', view: tokensView as View, pages: [rows] };
};

export const commandsWith = (registry: Nouns): Command[] => [
  {
    name: 'start',
    summary: 'Run a local sandbox server until stopped',
    ...taking(startInput, async (values): Promise<ProgramAnswer> => {
      return { kind: 'program', run: (shell) => start(registry, values, shell) };
    }),
    fields: [
      'base_url',
      'listening',
      'auth_url',
      'mcp_url',
      'client_id',
      'token',
      'tokens',
      'plan',
      'data',
      'admin_token',
    ],
    examples: [
      'sandbox start',
      'sandbox start --port 0 --data :memory: --json',
      'sandbox start --plan free --auto-consent',
      'sandbox start --data :memory: --seed world.yaml --now 2026-12-01T09:00:00Z',
    ],
    notes: [
      'At a terminal it shows requests and deliveries as they come. To use it in another terminal: eval "$(sched sandbox env)". In a pipe it prints the lines of sandbox env, and its tokens as comments.',
    ],
  },
  envCommand,
  openCommand,
  runCommand(registry),
  {
    name: 'tokens',
    summary: "List the sandbox's ready-made tokens by role",
    ...taking(tokensInput, tokens),
    fields: ['name', 'token', 'user', 'role', 'kind', 'scopes', 'refresh_token'],
    examples: ['sandbox tokens', 'sandbox tokens --json=token,role,scopes'],
  },
  resetCommand,
  snapshotCommand,
  exportCommand,
  clockCommand,
  noticesCommand,
  triggerCommand,
  waitCommand,
  markCommand,
  oauthCommand,
  openapiCommand,
];
