import { knownScopes } from '../../../api/scopes.ts';
import { clientAuthWords } from '../../../auth/auth-server.ts';
import type { Flag } from '../../command.ts';

export const loginFlags: Flag[] = [
  { name: 'base-url', value: 'URL', description: 'URL of the API' },
  { name: 'auth-url', value: 'URL', description: 'URL of the authorization server' },
  { name: 'mcp-url', value: 'URL', description: 'URL of the MCP server', heading: 'More flags' },
  { name: 'client-id', value: 'ID', description: 'OAuth client ID of sched at the authorization server' },
  {
    name: 'client-secret-file',
    value: 'FILE',
    description: 'file with the secret of the client, or - for stdin, if the client has one',
    heading: 'More flags',
  },
  {
    name: 'client-auth',
    value: 'METHOD',
    choices: Object.keys(clientAuthWords),
    description: 'how to send the secret: in the form or in a header (default: try both)',
    heading: 'More flags',
  },
  {
    name: 'issuer',
    value: 'URL',
    description: 'issuer of the authorization server, if it is not the auth URL',
    heading: 'More flags',
  },
  {
    name: 'scopes',
    value: 'LIST',
    suggestions: knownScopes,
    description: 'scopes to request, as a,b (default: all except sensitive scopes); any name works',
  },
  {
    name: 'add-scopes',
    value: 'LIST',
    suggestions: knownScopes,
    description: 'request these in addition to the current scopes',
  },
  { name: 'read-only', description: 'request only read scopes' },
  { name: 'with-token', description: 'read a personal access token from stdin instead' },
  { name: 'no-browser', description: 'print the URL instead of opening a browser' },
  { name: 'paste', description: "paste the final URL, if the browser can't reach this machine" },
  { name: 'device', description: 'log in with a code on another machine' },
  {
    name: 'port',
    value: 'N',
    description: 'port to listen on, if the service requires a fixed one',
    heading: 'More flags',
  },
  { name: 'credential-store', value: 'STORE', choices: ['keychain', 'file'], description: 'where to store the token' },
];
