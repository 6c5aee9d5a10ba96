import fc from 'fast-check';
import { weekdays } from '../../../src/api/weekdays.ts';
import type { Json, MaybeList } from '../../../src/base/json.ts';
import type { World, WorldType, WorldUser } from '../../../src/commands/config/work-model.ts';

/* Services as a configuration file meets them, with all that people and other programs leave there. */

export const today = '2026-11-17';

const origin = 'https://api.example.com';
const uriOf = (collection: string, id: number | string) => `${origin}/${collection}/${id}`;

/** Names that YAML, JavaScript or a terminal could take for something else. */
const oddNames =
  `no|~|null|2026-12-24|- a|# none|a: b| both |trailing |<<|__proto__|constructor|*all|\u202Eright to left|two
lines|::error::x|%|0x1f|"|it's`.split('|');

const name = fc.oneof(
  fc.constantFrom('Intro call', 'Review', 'Demo'),
  fc.constantFrom(...oddNames),
  fc.string({ minLength: 1, unit: 'grapheme' }),
);

/** Any code point but a lone surrogate. The unit `binary` of fast-check lists all of them, which takes a second. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

const description = fc.oneof(
  fc.constantFrom(
    null,
    '',
    'A short call.',
    'Two\nlines\n',
    ' indented\nlines',
    '::set-output\nx',
    'a\n\n\nb',
    'a \nb\t',
  ),
  fc.string({ unit: anyCharacter }),
);

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Hours that don't overlap; some of them touch. */
const intervals = fc
  .uniqueArray(fc.integer({ min: 0, max: 48 }), { maxLength: 6 })
  .map((times) => times.sort((one, other) => one - other))
  .chain((times) =>
    fc.boolean().map((touch) => {
      const pairs = touch
        ? times.slice(1).map((to, index) => [times[index]!, to] as const)
        : times.flatMap((from, index) =>
            index % 2 === 0 && times[index + 1] ? [[from, times[index + 1]!] as const] : [],
          );
      return pairs.map(([from, to]) => ({ from: clock(from * 30), to: clock(to * 30) }));
    }),
  );

export const zones = ['Europe/Paris', 'Europe/Kiev', 'Asia/Calcutta', 'UTC', 'America/New_York', 'Mars/Base'];

const date = fc.constantFrom('2025-12-24', '2026-11-16', today, '2026-12-24', '2026-12-25', '2027-02-28');

const rule = fc.oneof(
  fc.record({ type: fc.constant('wday'), wday: fc.constantFrom(...weekdays), intervals }),
  fc.record({ type: fc.constant('date'), date, intervals }),
);

/** A rule that sched can't read. */
const strange = fc.constantFrom<Json | string>(
  { type: 'nth', nth: 2, wday: 'monday' },
  { type: 'wday', wday: 'monday', intervals: [{ from: '9', to: '10' }] },
  'closed',
);

const rules = fc
  .tuple(
    fc.uniqueArray(rule, { maxLength: 10, selector: (each) => ('date' in each ? each.date : each.wday) }),
    fc.array(strange, { maxLength: 1 }),
  )
  .map((lists) => lists.flat());

/** Rules that no file can have. */
const unusual = fc.constantFrom<MaybeList<Json>>(null, 'always', [
  {
    type: 'wday',
    wday: 'monday',
    intervals: [
      { from: '09:00', to: '12:00' },
      { from: '11:00', to: '13:00' },
    ],
  },
]);

const webhookList = (scope: string) =>
  fc
    .uniqueArray(
      fc.constantFrom('https://crm.example.com/hook', 'https://crm.example.com/hook/', 'https://old.example.com'),
    )
    .chain((urls) =>
      fc.tuple(
        ...urls.map((url, index) =>
          fc.record({
            uri: fc.constant(uriOf('webhook_subscriptions', `${scope}-${index}`)),
            callback_url: fc.constant(url),
            events: fc.oneof(
              { weight: 9, arbitrary: fc.shuffledSubarray(['invitee.created', 'invitee.canceled'], { minLength: 1 }) },
              { weight: 1, arbitrary: fc.constant(['custom.event']) },
            ),
            state: fc.constantFrom('active', 'disabled'),
          }),
        ),
      ),
    ) as fc.Arbitrary<Json[]>;

const hosts = { bo: 'Bo@example.com', ada: 'ada@example.com' };

const typeOf = (owner: string, id: string): fc.Arbitrary<WorldType> =>
  fc.record({
    record: fc.record({
      uri: fc.constant(uriOf('event_types', id)),
      name,
      slug: fc.constantFrom(null, 'intro', 'review-2', '__proto__'),
      duration: fc.integer({ min: 1, max: 720 }),
      active: fc.boolean(),
      color: fc.constantFrom('#0A8F6B', '#0a8f6b', 'red', null),
      description_plain: description,
      kind: fc.constantFrom('solo', 'group'),
      profile: fc.constant({ owner }),
    }),
    schedules: fc
      .array(
        fc.record({
          user: fc.constantFrom(owner, owner, uriOf('users', 'bo'), uriOf('users', 'ada'), uriOf('users', 'nobody')),
          name: fc.constantFrom('Working hours', 'Late', 'a/b@c'),
          timezone: fc.constantFrom(...zones),
          rules: fc.oneof({ weight: 9, arbitrary: rules }, { weight: 1, arbitrary: unusual }),
        }),
        { maxLength: 3 },
      )
      .map((all) =>
        all.map((each, at) => ({ ...each, uri: uriOf('event_type_availability_schedules', `${id}-${at}`) })),
      ),
  });

const userOf = (key: string, id: string): fc.Arbitrary<WorldUser> => {
  const uri = uriOf('users', id);
  return fc.record({
    key: fc.constant(key),
    uri: fc.constant(uri),
    email: fc.constant(`${id}@example.com`),
    types: fc
      .integer({ min: 0, max: 4 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => typeOf(uri, `${id}-${index}`)))),
    shared: fc.constantFrom([], ['https://x/users/OTHER']),
    webhooks: webhookList(id),
  });
};

export const worlds: fc.Arbitrary<World> = fc
  .record({
    users: fc.tuple(userOf('me', 'me'), userOf('eve@example.com', 'eve')),
    organizationWebhooks: webhookList('organization'),
    groups: fc.array(
      fc.record({
        name: fc.constantFrom('Sales', 'no', ''),
        uri: fc.constant(uriOf('groups', 1)),
        webhooks: webhookList('group'),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ users, ...rest }) => ({
    ...rest,
    users,
    service: 'api.example.com',
    organization: uriOf('organizations', 1),
    emails: new Map([
      ...users.map(({ uri, email }) => [uri, email] as const),
      ...Object.entries(hosts).map(([key, email]) => [uriOf('users', key), email] as const),
    ]),
    today: () => today,
  }));
