import { urlProblem } from '../../../http/proxy.ts';
import type { Invocation } from '../../command.ts';
import { sandboxAddress } from '../../session/connection.ts';

/** The MCP server of the service: as typed, of the sandbox, or of the environment or profile. */
const addressOf = ({ context, typed }: Invocation): string | undefined => {
  const { runtime, settings } = context;
  if (typed.http) return String(typed.http);
  if (settings.sandbox) return sandboxAddress;
  return runtime.env.SCHED_MCP_URL || settings.account?.profile.mcp_url;
};

/**
 * The URL for a client that talks to the service's own MCP server. `serving` names the flags of `sched mcp serve`, which
 * doesn't run then. Adds a problem for each of them, and if no usable URL is known.
 */
export const httpUrl = (invocation: Invocation, serving: readonly string[]): string => {
  const { typed, problems } = invocation;
  for (const name of serving.filter((each) => typed[each] !== undefined))
    problems.add(`--${name} is for sched mcp serve. With --http, the service's own server decides`, (own) =>
      own.setFlag(name, false),
    );
  const address = addressOf(invocation);
  const problem = address === undefined ? 'no address is known' : urlProblem(address);
  if (problem !== undefined) {
    problems.add(`No URL of an MCP server: ${problem}. Use --http=URL, such as --http=${sandboxAddress}/mcp`);
    return '';
  }
  const url = new URL(address!);
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
};
