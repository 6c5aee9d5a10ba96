import type { ConfigFile, Reach } from './model.ts';

/** What to read of the service to compare a file with it. */
export const reach = ({ users = {}, organization, groups = {} }: ConfigFile): Reach => ({
  users: Object.entries(users).map(([key, { event_types, webhooks }]) => ({
    key,
    types: event_types !== undefined,
    hours: Object.values(event_types ?? {})
      .filter(({ availability, hosts }) => availability !== undefined || hosts !== undefined)
      .flatMap(({ uri, name, renamed_from }) => [uri, name, renamed_from])
      .filter((name) => name !== undefined),
    webhooks: webhooks !== undefined,
  })),
  organization: organization?.webhooks !== undefined,
  groups: Object.keys(groups),
});
