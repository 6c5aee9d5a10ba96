import { shellWord } from '../../base/shell-quote.ts';

/** How a client is told to start a server. */
export interface ClientFormat {
  lines(command: string, args: readonly string[]): string;
  /** The lines for a server at a URL. Undefined if the client's configuration can't name one. */
  linesFor?: (url: string) => string;
  where: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** The form that most clients read. */
const mcpServers = (command: string, args: readonly string[]): string =>
  json({ mcpServers: { sched: { command, args } } });

const mcpServersFor = (url: string): string => json({ mcpServers: { sched: { type: 'http', url } } });

/** The known clients, and a form for any other. */
export const clients: Record<string, ClientFormat> = {
  json: { lines: mcpServers, linesFor: mcpServersFor, where: 'Add this to the configuration of the client' },
  'claude-desktop': {
    lines: mcpServers,
    where:
      'Add this to claude_desktop_config.json (in Claude Desktop: Settings, Developer, Edit Config), and restart Claude Desktop',
  },
  'claude-code': {
    lines: (command, args) => ['claude', 'mcp', 'add', 'sched', '--', command, ...args].map(shellWord).join(' '),
    linesFor: (url) => ['claude', 'mcp', 'add', '--transport', 'http', 'sched', url].map(shellWord).join(' '),
    where: 'Run this command',
  },
  cursor: {
    lines: mcpServers,
    linesFor: mcpServersFor,
    where: 'Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of a project',
  },
  vscode: {
    lines: (command, args) => json({ servers: { sched: { type: 'stdio', command, args } } }),
    linesFor: (url) => json({ servers: { sched: { type: 'http', url } } }),
    where: 'Add this to .vscode/mcp.json of a project (for all projects: the command "MCP: Open User Configuration")',
  },
};
