import * as fc from 'fast-check';
import { availability } from '../../../src/api/availability.ts';
import { eventTypes } from '../../../src/api/event-types.ts';
import { webhooks } from '../../../src/api/webhooks.ts';
import { weekdays } from '../../../src/api/weekdays.ts';
import type { Json } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import type {
  ConfigFile,
  WantedHours,
  WantedType,
  WantedWebhook,
} from '../../../src/commands/config/work-file-schema.ts';
import type { Plan } from '../../../src/commands/config/work-model.ts';
import { isDate } from '../../../src/time/availability-rules.ts';
import type { Configs } from './configs.ts';

/*
 * Files for property tests: the first is applied to a new sandbox, the second changes what the first has made.
 */

const names = ['no', '~', '2026-12-24', '- a', 'a: b', '# c', '"q"', 'Café', 'עברית', 'x\u00a0y', '[]', 'true'];
const hoursOfDay = ['09:00-12:30', '09:00-12:00,13:00-15:00', '08:00-09:00,09:00-10:00', '10:00-24:00'];

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const week: fc.Arbitrary<string[]> = fc
  .array(maybe(fc.constantFrom(...hoursOfDay)), { minLength: 7, maxLength: 7 })
  .map((days) => weekdays.flatMap((day, index) => (days[index] === undefined ? [] : [`${day} ${days[index]}`])));

const dates = fc.dictionary(
  fc.constantFrom('2026-12-24', '2026-12-31', '2027-01-02', '2026-01-01'),
  fc.constantFrom('off', '09:00-12:00', 'usual'),
  { minKeys: 1 },
);

const hours: fc.Arbitrary<WantedHours> = fc
  .record({
    timezone: maybe(fc.constantFrom('Europe/Paris', 'America/New_York', 'Europe/Kiev', 'Europe/Kyiv')),
    hours: maybe(week),
    dates: maybe(dates),
  })
  .filter((wanted) => Object.values(wanted).some((value) => value !== undefined));

const settings = fc.record({
  duration: maybe(fc.constantFrom(15, 20, 45)),
  color: maybe(fc.constantFrom('#0a8f6b', '#0A8F6B', '#ff0000')),
  description_plain: maybe(fc.constantFrom('', 'Two lines\nof text', 'null')),
  availability: maybe(hours),
});

const newType: fc.Arbitrary<WantedType> = fc
  .tuple(fc.constantFrom(...names), fc.boolean(), settings)
  .map(([name, active, more]) => ({ name, active, ...more }));

const types = fc.uniqueArray(newType, { minLength: 1, maxLength: 4, selector: ({ name }) => name });

const hooks = fc.uniqueArray(
  fc.record({
    url: fc.constantFrom('https://a.example.com/', 'https://a.example.com', 'https://b.example.com/h'),
    events: fc.uniqueArray(fc.constantFrom('invitee.created', 'invitee.canceled'), { minLength: 1 }),
    signing_key_env: fc.constant('KEY'),
  }),
  { selector: ({ url }) => url },
);

const fileOf = (all: readonly WantedType[], webhookList: WantedWebhook[] | undefined): ConfigFile => {
  const entries = all.map((type, index) => [`type-${index}`, type]);
  const event_types = all.length === 0 ? undefined : Object.fromEntries(entries);
  // Without the keys that are undefined.
  return JSON.parse(JSON.stringify({ sched: 1, users: { me: { event_types, webhooks: webhookList } } }));
};

export interface Case {
  first: ConfigFile;
  second: ConfigFile;
}

/** The second file leaves out some types, changes others, renames some and has new ones. */
export const cases: fc.Arbitrary<Case> = fc
  .tuple(
    types,
    maybe(hooks),
    fc.array(fc.tuple(fc.constantFrom('keep', 'rename', 'leave out'), maybe(fc.boolean()), settings), {
      minLength: 4,
      maxLength: 4,
    }),
    types,
    hooks,
  )
  .map(([first, firstHooks, changes, more, secondHooks]) => {
    const changed = first.flatMap((type, index): WantedType[] => {
      const [how, active, values] = changes[index]!;
      if (how === 'leave out') return [];
      const name = how === 'rename' ? { name: `${type.name} 2`, renamed_from: type.name } : { name: type.name };
      return [{ ...name, active, ...values }];
    });
    const added = more.map((type) => ({ ...type, name: `New ${type.name}` }));
    return { first: fileOf(first, firstHooks), second: fileOf([...changed, ...added], secondHooks) };
  });

/** A date that no file names, on every schedule of these types; and hours that a person has left in disorder. */
export const addOwnDates = async ({ client, everything }: Configs): Promise<void> => {
  const { types: all } = await everything();
  for (const { uri, rules } of all.flatMap(({ schedules }) => schedules))
    await client.write(availability.update, {
      path: { schedule: idIn(uri) },
      body: { rules: [{ type: 'date', date: '2027-03-03', intervals: [] }, ...(rules as Json[])] },
    });
};

/** Somebody else changes what a plan is about. */
export const changeByOthers = async ({ client, organization, me }: Configs, { changes }: Plan, which: number) => {
  const change = changes[which % changes.length]!;
  if (change.kind === 'schedule' && change.uri !== undefined) {
    const intervals = [{ from: '01:00', to: '02:00' }];
    const dates = Object.keys(change.fields).filter(isDate);
    const rules = [
      { type: 'wday', wday: 'sunday', intervals },
      ...dates.map((date) => ({ type: 'date', date, intervals })),
    ];
    const body = { rules, timezone: 'Asia/Tokyo' };
    return client.write(availability.update, { path: { schedule: idIn(change.uri) }, body });
  }
  if (change.kind === 'webhook') {
    if (change.uri !== undefined) return client.write(webhooks.delete, { path: { webhook: idIn(change.uri) } });
    const body = { url: change.label, events: ['invitee.created', 'invitee.canceled'], organization };
    return client.write(webhooks.create, { body: { ...body, scope: 'user', user: me.uri } });
  }
  const created = change.kind === 'event type' ? change.uri : undefined;
  if (created === undefined)
    return client.write(eventTypes.create, { body: { owner: me.uri, name: change.label, duration: 90 } });
  const other = { name: 'Something else', duration: 90, color: '#123456', description_plain: 'Other' };
  return client.write(eventTypes.update, { path: { event_type: idIn(created) }, body: other });
};
