import { scopes } from '../../api/scopes.ts';
import type { Handlers } from '../handler.ts';

export const mcp: Handlers<'mcp'> = {
  /** RFC 9728 §3.3: clients compare `resource` with the requested address. One server acts as all three hosts. */
  metadata: (_, { server }) => ({
    resource: server,
    authorization_servers: [server],
    scopes_supported: Object.keys(scopes),
    bearer_methods_supported: ['header'],
  }),
};
