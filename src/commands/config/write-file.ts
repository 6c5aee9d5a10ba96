import type { SentSchedule } from '../../api/availability.ts';
import { isEmailAddress } from '../../api/email-address.ts';
import { normalField } from '../../api/event-types.ts';
import type { SentWebhook } from '../../api/webhooks.ts';
import { safe } from '../../output/sanitize.ts';
import { yamlDocument } from '../../output/yaml.ts';
import { isDate, rulesText, rulesTexts } from '../../time/availability-rules.ts';
import { readZone } from '../../time/zone.ts';
import { sharedNotes } from './work-diff.ts';
import { sameUrls } from './work-diff-webhooks.ts';
import {
  type ConfigFile,
  typeFields,
  type WantedHours,
  type WantedType,
  type WantedWebhook,
  WebhookEntry,
} from './work-file-schema.ts';
import type { World, WorldType, WorldUser } from './work-model.ts';
import { findRepeats, managedFields, normalEvents, readSchedule, weekOf } from './work-normalize.ts';
import { schedulesOf } from './work-schedules.ts';

interface Options {
  /** Hours of dates too. */
  dates: boolean;
  /** The URI of each event type, not only of those with one name. */
  uris: boolean;
}

type Note = (text: string) => void;

/** The map without missing entries, or undefined if it has none: an empty map is not allowed in a file. */
const fromEntries = <Value>(entries: readonly (readonly [string, Value | undefined])[]) => {
  const present = entries.filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
};

const presentFields = <Value extends object>(value: Value) => fromEntries(Object.entries(value)) as Value | undefined;

/** Hours as the file has them, with a note instead of hours that it can't have. */
const hoursForFile = (
  schedule: SentSchedule,
  world: World,
  { dates }: Options,
  note: Note,
): WantedHours | undefined => {
  const reading = readSchedule(schedule);
  if (!reading.ok) {
    note(`${reading.problem} (${rulesText(schedule)})`);
    return undefined;
  }
  const zone = readZone(String(schedule.timezone));
  const today = world.today(zone.ok ? zone.zone : 'UTC');
  const later = [...reading.value].filter(([day]) => isDate(day) && day >= today);
  return {
    timezone: zone.ok ? zone.zone : undefined,
    hours: rulesTexts({ rules: weekOf(reading.value) }),
    dates: dates ? fromEntries(later) : undefined,
  };
};

/** The hours of an event type by host. */
const hoursEntries = (type: WorldType, world: World, options: Options, note: Note) => {
  const schedules = type.schedules ?? [];
  const hostSchedules = schedulesOf(schedules, world.emails).filter(({ email }) => isEmailAddress(email));
  if (hostSchedules.length < schedules.length) note('the email address of a host is unknown');
  const twins = findRepeats(hostSchedules, ({ longKey }) => longKey);
  for (const [{ longKey }] of twins) note(`several schedules are called ${longKey}`);
  return hostSchedules
    .filter((each) => !twins.flat().includes(each))
    .map(({ schedule, email, longKey }) => {
      const isOnly = hostSchedules.filter((each) => each.email === email).length === 1;
      const hours = hoursForFile(schedule, world, options, (text) => note(`hours of ${email}: ${text}`));
      return [isOnly ? email : longKey, hours] as const;
    });
};

const typeEntry = (type: WorldType, user: WorldUser, world: World, options: Options, note: Note): WantedType => {
  const { record } = type;
  const hasTwin = user.types.some((other) => other !== type && other.record.name === record.name);
  // A value that the format doesn't allow is left out: it is not managed.
  const fields = managedFields
    .filter((field) => record[field] !== undefined)
    .map((field) => [field, normalField(field, record[field])] as const)
    .filter(([field, value]) => typeFields[field].safeParse(value).success);
  const hours = hoursEntries(type, world, options, note);
  return {
    uri: options.uris || hasTwin ? String(record.uri) : undefined,
    ...(Object.fromEntries(fields) as { name: string }),
    kind: record.kind === 'solo' || !record.kind ? undefined : String(record.kind),
    availability: hours.find(([key]) => key === user.email)?.[1],
    hosts: fromEntries(hours.filter(([key]) => key !== user.email)),
  };
};

/** Keys are for messages only. They come from the slugs, which people know from their links. */
const typeEntries = (user: WorldUser, world: World, options: Options, note: Note) => {
  const entries = new Map<string, WantedType>();
  for (const type of user.types) {
    const { slug, name, uri } = type.record;
    const plain = String(slug ?? name).toLowerCase();
    const stem = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'event-type';
    let key = stem;
    for (let number = 2; entries.has(key); number++) key = `${stem}-${number}`;
    if (!typeFields.name.safeParse(name).success) note(`${uri} has no name`);
    else
      entries.set(
        key,
        typeEntry(type, user, world, options, (text) => note(`${name}: ${text}`)),
      );
  }
  return fromEntries([...entries]);
};

const webhookEntries = (
  webhooks: readonly SentWebhook[] = [],
  whose: string,
  note: Note,
): WantedWebhook[] | undefined => {
  const entries = webhooks.map((each) => ({ url: String(each.callback_url), events: normalEvents(each.events) }));
  const unknown = entries.find((entry) => !WebhookEntry.safeParse(entry).success);
  const wrong = unknown?.url ?? sameUrls(webhooks)[0]?.[0].callback_url;
  if (wrong !== undefined) note(`webhooks of ${whose}: sched can't manage ${wrong}`);
  return wrong === undefined && entries.length > 0 ? (entries as WantedWebhook[]) : undefined;
};

/** Writes what the service has as a file. What a file can't have is left out, with a note that is a comment there too. */
export const writeConfig = (world: World, options: Options): { text: string; notes: string[] } => {
  const notes: string[] = sharedNotes(world.users);
  const note: Note = (text) => notes.push(`left out: ${text}`);
  const listOf = (webhooks: SentWebhook[] | undefined, whose: string) => ({
    webhooks: webhookEntries(webhooks, whose, note),
  });
  const twins = findRepeats(world.groups, ({ name }) => name).flat();
  const ambiguousGroups = world.groups.filter(
    (group) => twins.includes(group) || ['', '__proto__'].includes(group.name),
  );
  for (const { name } of ambiguousGroups) note(`webhooks of the group "${name}": a file can't name it`);
  const config: ConfigFile = {
    sched: 1,
    users: fromEntries(
      world.users.map((user) => {
        const event_types = typeEntries(user, world, options, note);
        return [user.key, presentFields({ event_types, ...listOf(user.webhooks, user.key) })] as const;
      }),
    ),
    organization: presentFields(listOf(world.organizationWebhooks, 'the organization')),
    groups: fromEntries(
      world.groups
        .filter((group) => !ambiguousGroups.includes(group))
        .map(({ name, webhooks }) => [name, presentFields(listOf(webhooks, name))] as const),
    ),
  };
  const head = [
    'yaml-language-server: $schema=./sched.schema.json',
    'With the output of config schema in that file, your editor checks this one.',
    ...notes,
  ];
  return { text: [...head.map((line) => `# ${safe(line)}\n`), yamlDocument(config, true)].join(''), notes };
};
