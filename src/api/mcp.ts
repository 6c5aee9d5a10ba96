import * as z from 'zod';
import { bare, operation, resource, text } from './operation.ts';

/** RFC 9728 §2. */
export const ProtectedResource = resource('protected resource', {
  resource: text('address of the protected resource'),
  authorization_servers: z.array(z.string()).describe('addresses of the servers that issue its tokens'),
  scopes_supported: z.array(z.string()).describe('scopes it knows'),
  bearer_methods_supported: z.array(z.string()).describe('how a token can be sent'),
});

export const mcp = {
  metadata: operation({
    summary: 'Show the protected-resource metadata of the MCP server',
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    server: 'mcp',
    reply: bare(ProtectedResource),
  }),
};
