import * as z from 'zod/mini';
import { list, text } from './field.ts';
import { bare, type Operation, resource } from './operation.ts';

/** RFC 9728 §2. */
const ProtectedResource = resource('protected resource', {
  resource: text('URL of the protected resource'),
  authorization_servers: list(z.string(), 'URLs of the servers that issue its tokens'),
  scopes_supported: list(z.string(), 'supported scopes'),
  bearer_methods_supported: list(z.string(), 'supported ways to send a token'),
});

export const mcp = {
  // Assumed (mcp.no-token): the metadata of the MCP server is public, so it is read without the header `Authorization`.
  metadata: {
    name: 'mcp.metadata',
    summary: 'Show OAuth metadata of the MCP server',
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    server: 'mcp',
    reply: bare(ProtectedResource),
  },
} as const satisfies Record<string, Operation>;
