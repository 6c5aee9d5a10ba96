import { isDeepStrictEqual } from 'node:util';
import { dotted, problemOf } from '../api/wording.ts';
import type { Json } from '../json.ts';
import { counted } from '../numbers.ts';
import { idIn } from '../uri.ts';
import type { FileProblem } from '../yaml-file.ts';
import { scheduleChanges, type WantedSchedule } from './diff-hours.ts';
import { type WebhookList, webhookChanges, webhookNotes } from './diff-webhooks.ts';
import type {
  Change,
  ConfigPath,
  Diffed,
  FieldChange,
  ReadConfig,
  TypeChange,
  WantedType,
  World,
  WorldType,
  WorldUser,
} from './model.ts';
import { managedFields, normalField, wantedDays } from './normalize.ts';
import { schedulesCalled, schedulesOf } from './schedules.ts';

/** Says what is wrong with an entry, before its path if the message is about that. */
type Refuse = (path: ConfigPath, message: string) => void;

/** An entry of the file, and the event type that it means. */
interface Matched {
  path: ConfigPath;
  user: WorldUser;
  entry: WantedType;
  /** Missing if it is to be created. */
  found?: WorldType | undefined;
}

const named = (types: readonly WorldType[], name: string | undefined) =>
  types.filter(({ record }) => name !== undefined && record.name === name);

/** Finds the event type of an entry: by its URI, else by its name, else by the name it had. */
const match = (user: WorldUser, path: ConfigPath, entry: WantedType, taken: readonly string[], refuse: Refuse) => {
  const { uri, name, renamed_from } = entry;
  const one = (types: WorldType[], field: string): Matched[] => {
    if (types.length === 1) return [{ path, user, entry, found: types[0] }];
    const uris = types.map(({ record }) => `uri: ${record.uri}`).join(' or ');
    refuse([...path, field], `${types.length} event types are called "${types[0]!.record.name}". Add ${uris}`);
    return [];
  };
  if (uri !== undefined) {
    const found = user.types.filter(({ record }) => idIn(record.uri) === idIn(uri));
    if (found.length > 0) return one(found, 'uri');
    refuse(
      [...path, 'uri'],
      `no event type of ${user.email} has this URI. Correct it, or remove it to find one by name`,
    );
    return [];
  }
  const free = user.types.filter(({ record }) => !taken.includes(idIn(record.uri)));
  const [called, before] = [named(free, name), named(free, renamed_from)];
  if (called.length > 0) return one(called, 'name');
  return before.length > 0 ? one(before, 'renamed_from') : [{ path, user, entry }];
};

/** Entries that mean the same event type. */
const refuseTwins = (matched: readonly Matched[], { lineOf }: ReadConfig, refuse: Refuse) => {
  const first = new Map<unknown, Matched>();
  for (const each of matched) {
    const id = each.found?.record.uri ?? `${each.user.uri} ${each.entry.name}`;
    const other = first.get(id);
    const line = other && lineOf(other.path);
    if (other) refuse(each.path, `is the same event type as on line ${line}. Remove one, or give each its uri`);
    else first.set(id, each);
  }
};

/** What keeps an event type from being created. */
const checkCreation = ({ path, entry }: Matched, refuse: Refuse) => {
  const { name, active, kind = 'solo', hosts } = entry;
  if (active === undefined)
    refuse(path, `no event type is called "${name}", so it is created. Add active: true or active: false`);
  if (kind !== 'solo' || hosts !== undefined)
    refuse(
      [...path, hosts === undefined ? 'kind' : 'hosts'],
      `no event type is called "${name}", and only event types with one host and one invitee can be created. Create it on the website`,
    );
};

const typeChange = (matched: Matched, line: number, refuse: Refuse): TypeChange[] => {
  const { path, user, entry, found } = matched;
  const record: Json | undefined = found?.record;
  if (record === undefined) checkCreation(matched, refuse);
  if (record !== undefined && entry.kind !== undefined && entry.kind !== record.kind)
    refuse([...path, 'kind'], `is ${record.kind} at the service and can't change. Correct it, or remove it`);
  const changed = managedFields.flatMap((field): [string, FieldChange][] => {
    if (entry[field] === undefined) return [];
    if (record !== undefined && record[field] === undefined)
      refuse([...path, field], "can't be compared, because the service doesn't show it. Remove it");
    const before = record === undefined ? null : normalField(field, record[field]);
    const after = normalField(field, entry[field]);
    return isDeepStrictEqual(before, after) ? [] : [[field, { before, after }]];
  });
  if (changed.length === 0) return [];
  const common = { kind: 'event type', path, line, label: entry.name, owner: user.uri } as const;
  const fields = Object.fromEntries(changed);
  if (record === undefined) return [{ ...common, action: 'create', location: entry.create?.location, fields }];
  return [{ ...common, action: 'update', uri: String(record.uri), fields }];
};

/** The schedules of the type that its entry has hours for. */
const wantedSchedules = ({ path, user, entry, found }: Matched, world: World, refuse: Refuse): WantedSchedule[] => {
  const { availability, hosts = {} } = entry;
  const schedules = found?.schedules ?? [];
  const common = { owner: user.uri, eventType: found && String(found.record.uri) };
  const own = { ...common, path: [...path, 'availability'], label: entry.name, user: user.uri };
  const days = availability && wantedDays(availability);
  if (found === undefined) return days ? [{ ...own, days }] : [];
  const choose = (place: ConfigPath, candidates: Json[], label: string, hours: WantedSchedule['days']) => {
    const [schedule, ...others] = candidates;
    if (schedule !== undefined && others.length === 0)
      return [{ ...common, path: place, label, user: String(schedule.user), schedule, days: hours }];
    const known = schedulesOf(schedule === undefined ? schedules : candidates, world.emails);
    const keys = [...new Set(known.map(({ longKey }) => longKey))].join(', ');
    if (schedule === undefined) refuse(place, `the event type has no such schedule${keys && `. Schedules: ${keys}`}`);
    else refuse(place, `stands for ${candidates.length} schedules. Write one of these under hosts: ${keys}`);
    return [];
  };
  const ofOwner = schedules.filter((schedule) => idIn(schedule.user) === idIn(user.uri));
  return [
    ...(days ? choose(own.path, ofOwner, entry.name, days) : []),
    ...Object.entries(hosts).flatMap(([key, hours]) =>
      choose(
        [...path, 'hosts', key],
        schedulesCalled(key, schedules, world.emails),
        `${entry.name} · ${key}`,
        wantedDays(hours),
      ),
    ),
  ];
};

/** Users of the file. Two keys can be the same user: `me` and an email address. */
const usersOf = ({ config, lineOf }: ReadConfig, world: World, refuse: Refuse) => {
  const first = new Map<string, ConfigPath>();
  return Object.entries(config.users ?? {}).flatMap(([key, wanted]) => {
    const path = ['users', key];
    const user = world.users.find((each) => each.key === key);
    const other = user && first.get(user.uri);
    if (user === undefined) refuse(path, 'no user of the organization has this email address. Correct it');
    else if (other) refuse(path, `is the same user as on line ${lineOf(other)}. Write both under one key`);
    if (user === undefined || other) return [];
    first.set(user.uri, path);
    return [{ path, user, wanted }];
  });
};

const groupLists = ({ config }: ReadConfig, world: World, refuse: Refuse): WebhookList[] =>
  Object.entries(config.groups ?? {}).flatMap(([name, { webhooks: wanted }]) => {
    const path = ['groups', name];
    const [group, ...others] = world.groups.filter((each) => each.name === name);
    if (group === undefined) refuse(path, `no group is called "${name}". Correct it`);
    if (others.length > 0)
      refuse(path, `${others.length + 1} groups are called "${name}". Give them different names first`);
    if (group === undefined || wanted === undefined) return [];
    return [{ path: [...path, 'webhooks'], owner: group.uri, scope: 'group', wanted, current: group.webhooks }];
  });

export const sharedNote = ({ key, shared }: WorldUser): string[] =>
  shared === 0
    ? []
    : [`${counted(shared, 'event type')} that others share with ${key} ${shared === 1 ? 'is' : 'are'} not managed`];

/** Compares a file with the service. This is the only comparison: what it doesn't find is not a difference. */
export const diffConfig = (read: ReadConfig, world: World): Diffed => {
  const problems: FileProblem[] = [];
  const refuse: Refuse = (path, message) => problems.push(read.problem(path, problemOf(dotted(path), message)));
  const users = usersOf(read, world, refuse);
  const matched = users.flatMap(({ path, user, wanted: { event_types = {} } }) => {
    const entries = Object.entries(event_types);
    const taken = entries.flatMap(([, { uri }]) => (uri === undefined ? [] : [idIn(uri)]));
    return entries.flatMap(([key, entry]): Matched[] =>
      match(user, [...path, 'event_types', key], entry, taken, refuse),
    );
  });
  refuseTwins(matched, read, refuse);
  const { organization } = read.config;
  const lists: WebhookList[] = [
    ...users.flatMap(({ path, user, wanted: { webhooks: wanted } }): WebhookList[] => {
      const common = { path: [...path, 'webhooks'], owner: user.uri, scope: 'user' } as const;
      return wanted ? [{ ...common, wanted, current: user.webhooks ?? [] }] : [];
    }),
    ...(organization?.webhooks
      ? [
          {
            path: ['organization', 'webhooks'],
            owner: world.organization,
            scope: 'organization' as const,
            wanted: organization.webhooks,
            current: world.organizationWebhooks ?? [],
          },
        ]
      : []),
    ...groupLists(read, world, refuse),
  ];
  const wanted = matched.flatMap((each) => wantedSchedules(each, world, refuse));
  const changes: Change[] = [
    ...matched.flatMap((each) => typeChange(each, read.lineOf(each.path), refuse)),
    ...scheduleChanges(wanted, world, read, refuse),
    ...lists.flatMap((list) => webhookChanges(list, read, refuse)),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const managing = users.filter((each) => each.wanted.event_types !== undefined);
  const others = managing.flatMap(({ user }) =>
    user.types.filter(({ record }) => matched.every(({ found }) => found?.record.uri !== record.uri)),
  );
  return {
    ok: true,
    plan: {
      file: read.name,
      service: world.service,
      organization: world.organization,
      changes: changes.sort((one, other) => one.line - other.line),
      notInFile: others.map(({ record }) => String(record.name)),
      notes: [
        ...lists.flatMap(({ current }) => webhookNotes(current)),
        ...managing.flatMap(({ user }) => sharedNote(user)),
      ],
    },
  };
};
