import { isEmailAddress } from '../api/email-address.ts';
import type { Json } from '../json.ts';
import { safe } from '../output/sanitize.ts';
import { yamlDocument } from '../output/yaml.ts';
import { isDate, rulesText, rulesTexts } from '../time/availability-rules.ts';
import { readZone } from '../time/zone.ts';
import { idIn } from '../uri.ts';
import { sharedNote } from './diff.ts';
import { sameUrls } from './diff-webhooks.ts';
import { typeFields, WebhookEntry } from './file-schema.ts';
import type { ConfigFile, WantedHours, WantedType, WantedWebhook, World, WorldType, WorldUser } from './model.ts';
import { managedFields, normalEvents, normalField, readSchedule, weekOf } from './normalize.ts';
import { schedulesOf } from './schedules.ts';

interface Options {
  /** Hours of dates too. */
  dates: boolean;
  /** The URI of each event type, not only of those with one name. */
  uris: boolean;
}

type Note = (text: string) => void;

/** The map, or undefined if it has no entries: an empty map is not allowed in a file. */
const filled = <Value extends object>(value: Value): Value | undefined =>
  Object.values(value).some((each) => each !== undefined) ? value : undefined;

const fromEntries = <Value>(entries: readonly (readonly [string, Value])[]) => filled(Object.fromEntries(entries));

/** Hours as the file has them, with a note instead of hours that it can't have. */
const hoursEntry = (schedule: Json, world: World, { dates }: Options, note: Note): WantedHours | undefined => {
  const read = readSchedule(schedule);
  if (!read.ok) {
    note(`${read.problem} (${rulesText(schedule)})`);
    return undefined;
  }
  const zone = readZone(String(schedule.timezone));
  const today = world.today(zone.ok ? zone.zone : 'UTC');
  const later = [...read.value].filter(([day]) => isDate(day) && day >= today);
  return {
    timezone: zone.ok ? zone.zone : undefined,
    hours: rulesTexts({ rules: weekOf(read.value) }),
    dates: dates ? fromEntries(later) : undefined,
  };
};

/** The hours of an event type: those of its owner, and those of each other host. */
const hoursEntries = (type: WorldType, user: WorldUser, world: World, options: Options, note: Note) => {
  const schedules = type.schedules ?? [];
  const known = schedulesOf(schedules, world.emails).filter(({ email }) => isEmailAddress(email));
  if (known.length < schedules.length) note('the email address of a host is unknown');
  const entries = known.flatMap(({ schedule, email, longKey }) => {
    const isOnly = known.filter((each) => each.email === email).length === 1;
    const key = isOnly ? (idIn(schedule.user) === idIn(user.uri) ? '' : email) : longKey;
    if (!isOnly && known.some((each) => each.longKey === longKey && each.schedule !== schedule)) {
      note(`${email} has several schedules called "${schedule.name}"`);
      return [];
    }
    const entry = hoursEntry(schedule, world, options, (text) => note(`hours of ${email}: ${text}`));
    return entry ? [[key, entry] as const] : [];
  });
  return {
    availability: entries.find(([key]) => key === '')?.[1],
    hosts: fromEntries(entries.filter(([key]) => key !== '')),
  };
};

const typeEntry = (type: WorldType, user: WorldUser, world: World, options: Options, note: Note): WantedType => {
  const { record } = type;
  const hasTwin = user.types.filter((other) => other.record.name === record.name).length > 1;
  // A value that the format doesn't allow is left out: it is not managed.
  const fields = managedFields.flatMap((field) => {
    const value = normalField(field, record[field]);
    return record[field] !== undefined && typeFields[field].safeParse(value).success ? [[field, value]] : [];
  });
  const kind = record.kind === 'solo' || !record.kind ? undefined : String(record.kind);
  return {
    uri: options.uris || hasTwin ? String(record.uri) : undefined,
    ...(Object.fromEntries(fields) as { name: string }),
    kind,
    ...hoursEntries(type, user, world, options, note),
  };
};

/** Keys are for messages only. They come from the slugs, which people know from their links. */
const typeEntries = (user: WorldUser, world: World, options: Options, note: Note) => {
  const taken = new Set<string>();
  return fromEntries(
    user.types.flatMap((type) => {
      const { slug, name, uri } = type.record;
      if (!typeFields.name.safeParse(name).success) {
        note(`${uri} has no name`);
        return [];
      }
      const plain = String(slug ?? name).toLowerCase();
      const stem = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'event-type';
      let key = stem;
      for (let number = 2; taken.has(key); number++) key = `${stem}-${number}`;
      taken.add(key);
      return [[key, typeEntry(type, user, world, options, (text) => note(`${name}: ${text}`))] as const];
    }),
  );
};

const webhookEntries = (webhooks: readonly Json[] = [], whose: string, note: Note): WantedWebhook[] | undefined => {
  const entries = webhooks.map(({ callback_url, events }) => ({
    url: String(callback_url),
    events: normalEvents(events),
  }));
  const wrong =
    entries.find((entry) => !WebhookEntry.safeParse(entry).success)?.url ?? sameUrls(webhooks)[0]?.[0].callback_url;
  if (wrong !== undefined) note(`webhooks of ${whose}: sched can't manage ${wrong}`);
  return wrong === undefined && entries.length > 0 ? entries : undefined;
};

/** Writes what the service has as a file. What a file can't have is left out, with a note that is a comment there too. */
export const writeConfig = (world: World, options: Options): { text: string; notes: string[] } => {
  const notes: string[] = world.users.flatMap(sharedNote);
  const note: Note = (text) => notes.push(`left out: ${text}`);
  const names = world.groups.map(({ name }) => name);
  const config: ConfigFile = {
    sched: 1,
    users: fromEntries(
      world.users.flatMap((user) => {
        const event_types = typeEntries(user, world, options, note);
        const entry = filled({ event_types, webhooks: webhookEntries(user.webhooks, user.key, note) });
        return entry ? [[user.key, entry] as const] : [];
      }),
    ),
    organization: filled({ webhooks: webhookEntries(world.organizationWebhooks, 'the organization', note) }),
    groups: fromEntries(
      world.groups.flatMap(({ name, webhooks }) => {
        const entry = filled({ webhooks: webhookEntries(webhooks, name, note) });
        const isClear = name !== '' && names.indexOf(name) === names.lastIndexOf(name);
        if (entry && !isClear) note(`webhooks of several groups called "${name}"`);
        return entry && isClear ? [[name, entry] as const] : [];
      }),
    ),
  };
  const head = ['yaml-language-server: $schema=./sched.schema.json', ...notes];
  return { text: [...head.map((line) => `# ${safe(line)}\n`), yamlDocument(config, true)].join(''), notes };
};
