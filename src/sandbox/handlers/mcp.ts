import { scopes } from '../../api/scopes.ts';
import type { Handlers } from '../handler.ts';

/** RFC 9728 §3.3: clients compare `resource` with the requested address. One server acts as all three hosts. */
export const resourceMetadata = (server: string, path = '') => ({
  resource: `${server}${path}`,
  authorization_servers: [server],
  scopes_supported: Object.keys(scopes),
  bearer_methods_supported: ['header'],
});

export const mcp: Handlers<'mcp'> = { metadata: (_, { server }) => resourceMetadata(server) };
