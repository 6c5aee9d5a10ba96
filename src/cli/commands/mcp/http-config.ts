import { urlProblem } from '../../../http/proxy.ts';
import type { Invocation } from '../../command.ts';
import { sandboxAddress } from '../../session/connection.ts';

/**
 * The URL for a client that talks to the service's own MCP server: as typed, of the sandbox, of the environment or of the
 * profile. Adds a problem if no usable URL is known, and for each flag of `serving`, because sched doesn't serve then.
 */
export const httpUrl = ({ context, typed, problems }: Invocation, serving: readonly string[]): string => {
  const { runtime, settings } = context;
  for (const name of serving.filter((each) => typed[each] !== undefined))
    problems.add(`--${name} is for mcp serve. With --http, the service's own server decides`, (own) =>
      own.setFlag(name, false),
    );
  const known = settings.sandbox ? sandboxAddress : runtime.env.SCHED_MCP_URL || settings.account?.profile.mcp_url;
  const address = String(typed.http || (known ?? ''));
  const problem = address === '' ? 'no address is known' : urlProblem(address);
  if (problem !== undefined) {
    problems.add(`No URL of an MCP server: ${problem}. Use --http=URL, such as --http=${sandboxAddress}/mcp`);
    return '';
  }
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
};
