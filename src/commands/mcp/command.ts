import { mcp } from '../../api/mcp.ts';
import { SchedError } from '../../base/errors.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Command, Invocation } from '../../cli/command.ts';
import { taking } from '../../cli/input/input.ts';
import type { Decorations, GenericCommand } from '../../cli/operation/generic-command.ts';
import type { Nouns } from '../schema/command.ts';
import { configInput, serveInput } from './input.ts';

export const examples = { metadata: ['mcp metadata', 'mcp metadata --json=scopes_supported'] };

const withoutTrailingSlashes = (url: unknown): string => String(url).replace(/\/+$/, '');

/** Whether the server has answered, but not with this document. Servers answer an unknown path in many ways. */
const isMetadataMissing = (error: unknown): boolean => {
  const { status } = (error instanceof SchedError && error.facts.http) || {};
  return status !== undefined && status < 500 && status !== 408 && status !== 429;
};

/** Fetches the metadata without a token. Nothing in it is used, but it must describe this resource. */
const planMetadata = async ({ view }: GenericCommand, { context, problems }: Invocation): Promise<Plan> => {
  problems.check();
  const { mcpUrl = '' } = await context.connection();
  const path = mcpUrl === '' ? '' : withoutTrailingSlashes(new URL(mcpUrl).pathname);
  const own = { ...mcp.metadata, path: `${mcp.metadata.path}${path}` as const };
  const send = async (): Promise<RecordAnswer> => {
    const client = await context.client();
    const resources = [mcpUrl];
    const metadata = await client.call(own, {}).catch((error: unknown) => {
      if (path === '' || !isMetadataMissing(error)) throw error;
      resources.push(new URL(mcpUrl).origin);
      return client.call(mcp.metadata, {});
    });
    // RFC 9728 §3.3: metadata about another resource must not be used.
    if (!resources.map(withoutTrailingSlashes).includes(withoutTrailingSlashes(metadata.resource))) {
      throw new SchedError('integrity', 'The metadata describes another resource', {
        reason: `requested ${mcpUrl}, but it describes ${metadata.resource}`,
        outcome: 'not-applied',
      });
    }
    return { kind: 'record', view, record: metadata };
  };
  return plan({ requests: () => ({ operation: own, inputs: [{}] }), send });
};

export const decorate = {
  metadata: (generic) => ({ run: (invocation) => planMetadata(generic, invocation) }),
} satisfies Decorations;

const serveCommand = (registry: Nouns): Command => ({
  name: 'serve',
  summary: 'Serve commands as MCP tools on stdin and stdout',
  ...taking(serveInput, async (...call) => (await import('./serve.ts')).runServe(registry, ...call)),
  effect: 'any',
  examples: [
    'mcp serve',
    "mcp serve --tools 'events.*,event-types.slots'",
    'mcp serve --allow-writes=events.cancel,invitees.create',
    'mcp serve --sandbox --allow-writes',
    'mcp serve --compact',
    'mcp serve --allow-writes --log writes.log',
  ],
  notes: [
    'An MCP client starts this command and talks to it until it closes stdin. Nothing but the protocol is written to stdout; notes go to stderr. `sched mcp config` prints the lines that a client needs.',
    "There is a tool for each command that reads records of the service, such as events_list and event_types_slots. Tools that change data exist only with --allow-writes. Cancellations, no-shows before the meeting, changes of availability and deletions of webhooks ask you through the client first; if the client can't ask, they are refused, unless you add --yes. Bookings, other creations and changes of event types don't ask. No tool deletes data of invitees.",
    'A list has 20 rows unless the client asks for more, and a cursor for the next rows. A result has at most 32 KiB. Its text comes from the service, so it is marked as data, and control characters are escaped.',
    '--compact offers search_commands, describe_command and call_command: 1,900 characters for the model to read instead of 27,000, with the same permissions, questions and limits. It is better if most conversations need no command, or if the client has many other tools. The full list is better for many calls and for small models: a command takes one call instead of two or three, and the client can tell tools that read from tools that write.',
    "--log adds a line to a file before each write and one after it: tool, a mark of the arguments made with the receipt key, who confirmed (person, flag or nobody) and the outcome. It has no names and addresses. Lines are chained like those of a receipt, and `sched compliance verify FILE` checks them. If the first line can't be written, the tool does not run. Each server needs a file of its own: a second one is refused.",
    'All calls use the profile that was in use at the start, its rate limit budget, and the record of bookings that prevents booking twice.',
  ],
});

const configCommand = (registry: Nouns): Command => ({
  name: 'config',
  summary: 'Print the configuration of an MCP client',
  ...taking(configInput, async (...call) => (await import('./serve.ts')).runConfig(registry, ...call)),
  examples: [
    'mcp config claude-desktop',
    'mcp config claude-code --allow-writes=events.cancel',
    'mcp config vscode --tools events.list,events.get',
    'mcp config cursor --sandbox --compact',
    'mcp config vscode --sandbox --http',
  ],
  notes: [
    'Prints the lines for this profile, with the full path of this program. On stderr it says where they belong. They contain no token: the client starts sched, which uses the stored login.',
    'The other flags are those that `sched mcp serve` will get.',
    '--http prints the URL of a server that speaks MCP over HTTP. sched has no part in the connection: the client logs in through your browser. Without =URL, the address is SCHED_MCP_URL or mcp_url of the profile, and http://127.0.0.1:4010 with --sandbox; /mcp is added if the address has no path. `sched sandbox start` serves the sandbox there.',
  ],
});

export const extra = (registry: Nouns) => (): Command[] => [serveCommand(registry), configCommand(registry)];
