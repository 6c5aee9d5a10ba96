import type { Noun } from '../../api/collections.ts';

/** Examples of nouns that have no file of their own. The IDs exist in the sandbox. */
export const examples: Partial<Record<Noun, Record<string, string[]>>> = {
  members: {
    list: ['members list', 'members list --role admin --json=user.name,user.email'],
    get: ['members get L9UWUQHVLBD3MGX8', 'members get L9UWUQHVLBD3MGX8 --json'],
    remove: ['members remove "Kofi Mensah"', 'members remove L9UWUQHVLBD3MGX8 --yes'],
  },
  invitations: {
    list: ['invitations list', 'invitations list --status pending --json=email'],
    create: ['invitations create --email ada@example.com', 'invitations create --email eve@example.com --yes --json'],
    revoke: ['invitations revoke 3PABCQTLPV8QJY3E', 'invitations revoke KPLJLFFA5JGKXMDR --yes'],
  },
  users: {
    me: ['users me', 'users me --json=uri,timezone'],
    get: ['users get PT9ZYPA238K4HZQ6', 'users get PT9ZYPA238K4HZQ6 --json=name,email'],
  },
  locations: { list: ['locations list', 'locations list --user jonas.weber@northlight.example --json'] },
  activity: { list: ['activity list --limit 20', 'activity list --since -7d --namespace EventType --json'] },
};
