import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import { sandboxAddress } from '../../cli/session/connection.ts';
import { urlProblem } from '../../http/proxy.ts';

/**
 * The URL for a client that talks to the service's own MCP server: as given, of the sandbox, of the environment or of the
 * profile. Throws if no usable URL is known.
 */
export const httpUrl = (given: string, { context, problems }: Call): string => {
  const { runtime, settings } = context;
  const configuredAddress = settings.sandbox
    ? sandboxAddress
    : runtime.env.SCHED_MCP_URL || settings.account?.profile.mcp_url;
  const address = given || (configuredAddress ?? '');
  const problem = address === '' ? 'no address is known' : urlProblem(address);
  if (problem !== undefined)
    problems.report({
      words: words`No URL of an MCP server: ${problem}. Use ${the('http')}=URL, such as ${the('http')}=${sandboxAddress}/mcp`,
    });
  problems.check();
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
};
