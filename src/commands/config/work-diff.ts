import { isDeepStrictEqual } from 'node:util';
import { normalField } from '../../api/event-types.ts';
import { dotted, problemOf } from '../../api/wording.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { FileProblem } from '../../yaml-file.ts';
import { scheduleChanges, type TypeMatch, wantedSchedules } from './work-diff-hours.ts';
import { type WebhookList, webhookChanges, webhookNotes } from './work-diff-webhooks.ts';
import type {
  Change,
  ConfigPath,
  Diffed,
  FieldChange,
  ReadConfig,
  TypeChange,
  World,
  WorldUser,
} from './work-model.ts';
import { findRepeats, managedFields } from './work-normalize.ts';
import type { Refuse } from './work-read-file.ts';

const noneCalled = ({ email }: WorldUser, name: string) => `no event type of ${email} is called "${name}"`;

const groupedBy = <Item>(items: readonly Item[], idOf: (item: Item) => unknown): Map<unknown, Item[]> => {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const group = groups.get(idOf(item));
    if (group) group.push(item);
    else groups.set(idOf(item), [item]);
  }
  return groups;
};

/** Event types by what they are found with. A name doesn't find those whose URI is in the file. */
const indexTypes = (types: WorldUser['types'], claimed: ReadonlySet<string>) => {
  const byId = groupedBy(types, ({ record }) => idIn(record.uri));
  const byName = groupedBy(
    types.filter(({ record }) => !claimed.has(idIn(record.uri))),
    ({ record }) => record.name,
  );
  return {
    withUri: (uri: string) => byId.get(idIn(uri)) ?? [],
    named: (name: string) => byName.get(name) ?? [],
  };
};

/** Finds the event type of an entry: by its URI, else by its name, else by the name it had. */
const matchType = (
  { path, user, entry }: TypeMatch,
  { withUri, named: typesNamed }: ReturnType<typeof indexTypes>,
  refuse: Refuse,
): TypeMatch[] => {
  const { uri, name, renamed_from = name } = entry;
  const [field, matches] =
    uri !== undefined
      ? ['uri', withUri(uri)]
      : typesNamed(name).length > 0
        ? ['name', typesNamed(name)]
        : ['renamed_from', typesNamed(renamed_from)];
  const place = [...path, field];
  const uris = matches.map(({ record }) => `uri: ${record.uri}`).join(' or ');
  if (matches.length > 1)
    refuse(place, `${matches.length} event types are called "${matches[0]!.record.name}". Add ${uris}`);
  else if (matches.length === 1 || (uri === undefined && renamed_from === name))
    return [{ path, user, entry, current: matches[0] }];
  else if (uri === undefined)
    refuse(place, `${noneCalled(user, renamed_from)}. Correct it, or remove it to create "${name}"`);
  else refuse(place, `no event type of ${user.email} has this URI. Correct it, or remove it to find one by name`);
  return [];
};

/** What keeps an event type from being created. */
const checkCreation = ({ path, user, entry: { name, active, kind = 'solo', hosts } }: TypeMatch, refuse: Refuse) => {
  const noSuchType = noneCalled(user, name);
  if (active === undefined) refuse(path, `${noSuchType}, so it is created. Add active: true or active: false`);
  const field = hosts === undefined ? 'kind' : 'hosts';
  const limit = 'only event types with one host and one invitee can be created';
  if (kind !== 'solo' || hosts) refuse([...path, field], `${noSuchType}, and ${limit}. Create it on the website`);
};

const typeChange = (match: TypeMatch, line: number, refuse: Refuse): TypeChange[] => {
  const { path, user, entry, current } = match;
  const record = current?.record;
  if (record === undefined) checkCreation(match, refuse);
  else if (entry.kind !== undefined && entry.kind !== record.kind)
    refuse([...path, 'kind'], `is ${record.kind} at the service and can't change. Correct it, or remove it`);
  const changes = managedFields.flatMap((field): [string, FieldChange][] => {
    if (entry[field] === undefined) return [];
    if (record && record[field] === undefined)
      refuse([...path, field], "can't be compared, because the service doesn't show it. Remove it");
    const before = record ? normalField(field, record[field]) : null;
    const after = normalField(field, entry[field]);
    return isDeepStrictEqual(before, after) ? [] : [[field, { before, after }]];
  });
  if (changes.length === 0) return [];
  const location = record ? undefined : entry.create?.location;
  const fields = Object.fromEntries([
    ...changes,
    ...(location ? [['location', { before: null, after: location }]] : []),
  ]);
  const common = { kind: 'event type', path, line, label: entry.name, owner: user.uri, fields } as const;
  if (record === undefined) return [{ ...common, action: 'create' }];
  return [{ ...common, action: 'update', uri: String(record.uri) }];
};

/** Users of the file. Two keys can be the same user: `me` and an email address. */
const usersOf = ({ config, lineOf }: ReadConfig, world: World, refuse: Refuse) => {
  const users = Object.entries(config.users ?? {}).flatMap(([key, entry]) => {
    const path = ['users', key];
    const user = world.users.find((each) => each.key === key);
    if (user === undefined) refuse(path, 'no user of the organization has this email address. Correct it');
    return user ? [{ path, user, entry }] : [];
  });
  for (const [{ path }, first] of findRepeats(users, ({ user }) => user.uri))
    refuse(path, `is the same user as on line ${lineOf(first.path)}. Write both under one key`);
  return users;
};

type FileUsers = ReturnType<typeof usersOf>;

const matchTypes = (users: FileUsers, { lineOf }: ReadConfig, refuse: Refuse): TypeMatch[] => {
  const matches = users.flatMap(({ path, user, entry: { event_types = {} } }) => {
    const claimed = Object.values(event_types).flatMap(({ uri }) => (uri === undefined ? [] : [idIn(uri)]));
    const types = indexTypes(user.types, new Set(claimed));
    return Object.entries(event_types).flatMap(([key, entry]) =>
      matchType({ path: [...path, 'event_types', key], user, entry }, types, refuse),
    );
  });
  for (const [{ path }, first] of findRepeats(
    matches,
    ({ current, user, entry }) => current ?? `${user.uri} ${entry.name}`,
  ))
    refuse(path, `is the same event type as on line ${lineOf(first.path)}. Remove one, or give each its uri`);
  return matches;
};

const webhookLists = (users: FileUsers, { config }: ReadConfig, world: World, refuse: Refuse): WebhookList[] => {
  const list = (
    path: ConfigPath,
    about: Omit<WebhookList, 'path' | 'entries'>,
    entries: WebhookList['entries'] | undefined,
  ) => (entries ? [{ path: [...path, 'webhooks'], ...about, entries }] : []);
  const ofGroups = Object.entries(config.groups ?? {}).flatMap(([name, { webhooks }]) => {
    const [group, ...others] = world.groups.filter((each) => each.name === name);
    const path = ['groups', name];
    if (group === undefined) refuse(path, `no group is called "${name}". Correct it`);
    if (others.length > 0) refuse(path, `several groups are called "${name}". Give them different names first`);
    return group ? list(path, { owner: group.uri, scope: 'group', current: group.webhooks }, webhooks) : [];
  });
  const ofAll = { owner: world.organization, scope: 'organization', current: world.organizationWebhooks } as const;
  return [
    ...users.flatMap(({ path, user, entry }) =>
      list(path, { owner: user.uri, scope: 'user', current: user.webhooks }, entry.webhooks),
    ),
    ...list(['organization'], ofAll, config.organization?.webhooks),
    ...ofGroups,
  ];
};

/** Types that a user shares are managed if their owner is in the file too. */
export const sharedNotes = (users: readonly WorldUser[]): string[] =>
  users.flatMap(({ key, shared }) => {
    const { length } = shared.filter((owner) => !users.some(({ uri }) => idIn(uri) === idIn(owner)));
    const are = length === 1 ? 'is' : 'are';
    return length === 0 ? [] : [`${counted(length, 'event type')} that others share with ${key} ${are} not managed`];
  });

/** Compares a file with the service. This is the only comparison: what it doesn't find is not a difference. */
export const diffConfig = (file: ReadConfig, world: World): Diffed => {
  const problems: FileProblem[] = [];
  const refuse: Refuse = (path, message) => problems.push(file.problem(path, problemOf(dotted(path), message)));
  const users = usersOf(file, world, refuse);
  const matches = matchTypes(users, file, refuse);
  const lists = webhookLists(users, file, world, refuse);
  const schedules = matches.flatMap((each) => wantedSchedules(each, world, refuse));
  const changes: Change[] = [
    ...matches.flatMap((each) => typeChange(each, file.lineOf(each.path), refuse)),
    ...scheduleChanges(schedules, world, file, refuse),
    ...lists.flatMap((list) => webhookChanges(list, file, refuse)),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const { service, organization } = world;
  const managing = users.filter(({ entry }) => entry.event_types !== undefined).map(({ user }) => user);
  const matched = new Set(matches.map(({ current }) => current));
  const others = managing.flatMap(({ types }) => types.filter((type) => !matched.has(type)));
  return {
    ok: true,
    plan: {
      file: file.name,
      service,
      organization,
      changes: changes.sort((one, other) => one.line - other.line),
      notInFile: others.map(({ record }) => String(record.name)),
      notes: [...lists.flatMap(({ current = [] }) => webhookNotes(current)), ...sharedNotes(managing)],
    },
  };
};
