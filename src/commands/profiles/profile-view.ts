import type { Profile } from '../../cli/session/profile-schema.ts';
import type { Page, View } from '../../output/view.ts';

/** The user of a profile: the configured one, or else the one who logged in, by name if it is known. */
const profileUser = (profile: object): unknown => {
  const { user, login } = profile as Partial<Profile>;
  return user ?? login?.name ?? login?.user;
};

const page: Page = {
  title: 'name',
  lines: [
    { label: 'Current', value: 'current', as: 'boolean' },
    { label: 'Base URL', value: 'base_url' },
    { label: 'Auth URL', value: 'auth_url' },
    { label: 'MCP URL', value: 'mcp_url' },
    { label: 'Issuer', value: 'issuer' },
    { label: 'Client ID', value: 'client_id' },
    { label: 'User', value: profileUser, as: 'id' },
    { label: 'Organization', value: 'organization', as: 'id' },
    { label: 'Login stored in', value: 'login.store' },
    { label: 'Time zone', value: 'timezone' },
    { label: 'Output', value: 'output' },
    { label: 'Shared state', value: 'shared_state' },
    { label: 'Dialect', value: 'dialect' },
    { label: 'Protected', value: 'protected', as: 'boolean' },
  ],
};

export const profileView: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 5 },
    { header: 'CURRENT', path: 'current', as: 'boolean', priority: 3 },
    { header: 'BASE URL', path: 'base_url', priority: 4 },
    { header: 'LOGIN', path: 'login.store', priority: 2 },
    { header: 'TIME ZONE', path: 'timezone', priority: 1 },
    { header: 'USER', path: 'user', as: 'id', value: profileUser, priority: 3 },
  ],
  page,
  id: 'name',
};
