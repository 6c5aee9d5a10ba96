import type { SentWebhook } from '../../api/webhooks.ts';
import { idIn } from '../../base/uri.ts';
import type { ConfigFile } from './work-file-schema.ts';
import type { Reach, World } from './work-model.ts';

/** What the service has and a file doesn't manage. */
export interface Unmanaged {
  kind: 'event type' | 'schedule' | 'webhook';
  name: string;
  /** `me` or an email address, the name of a group, or `organization`. */
  owner: string;
  uri: unknown;
}

/** All of the users that a file names, or of the token's own user, and of the organization. */
export const wholeReach = ({ users = {}, groups = {} }: ConfigFile): Reach => {
  const keys = Object.keys(users).length === 0 ? ['me'] : Object.keys(users);
  return {
    users: keys.map((key) => ({ key, types: true, hours: 'all', webhooks: true })),
    organization: true,
    groups: Object.keys(groups),
  };
};

const webhooksOf = (owner: string, list: readonly SentWebhook[] = []): Unmanaged[] =>
  list.map(({ callback_url: url, uri }) => ({ kind: 'webhook', name: String(url), owner, uri }));

/**
 * Lists what `config apply` would leave alone. A list of webhooks in the file is the whole list, so it has no others, and
 * the schedules of an event type that is not in the file go with it.
 */
export const unmanagedIn = ({ users = {}, organization, groups = {} }: ConfigFile, world: World): Unmanaged[] => [
  ...world.users.flatMap(({ key, types, webhooks }) => {
    const { event_types: wanted = {}, webhooks: wantedWebhooks } = users[key] ?? {};
    return [
      ...types.flatMap(({ record, schedules = [] }): Unmanaged[] => {
        const entry = Object.values(wanted).find(({ uri, name, renamed_from }) =>
          uri === undefined ? [name, renamed_from].includes(String(record.name)) : idIn(uri) === idIn(record.uri),
        );
        const name = String(record.name);
        if (entry === undefined) return [{ kind: 'event type', name, owner: key, uri: record.uri }];
        if (entry.availability !== undefined || entry.hosts !== undefined) return [];
        return schedules.map(({ uri, name: hours }) => ({
          kind: 'schedule',
          name: `${name}: ${hours ?? idIn(uri)}`,
          owner: key,
          uri,
        }));
      }),
      ...(wantedWebhooks === undefined ? webhooksOf(key, webhooks) : []),
    ];
  }),
  ...(organization?.webhooks === undefined ? webhooksOf('organization', world.organizationWebhooks) : []),
  ...world.groups.flatMap(({ name, webhooks }) =>
    groups[name]?.webhooks === undefined ? webhooksOf(name, webhooks) : [],
  ),
];
