import { describe, expect, test } from 'vitest';
import { configSchema } from '../../../src/commands/config/work-file-schema.ts';
import { readConfig } from '../../../src/commands/config/work-read-file.ts';
import { reach } from '../../../src/commands/config/work-read-service.ts';
import { sample } from '../../support/tier.ts';

const example = `# yaml-language-server: $schema=./sched.schema.json
sched: 1
users:
  me:
    event_types:
      intro-call:
        name: Intro call
        duration: 15
        active: true
        color: "#0a8f6b"
        description_plain: A short call.
        availability:
          timezone: Europe/Paris
          hours: [mon-thu 09:00-12:30, "fri 09:00-12:00,13:00-15:00"]
          dates: { "2026-12-24": "off", "2026-12-31": 09:00-12:00, "2027-01-02": usual }
        hosts: { bo@example.com: &late { hours: [mon 14:00-18:00] }, eve@example.com/Late: *late }
        create: { location: { kind: zoom_conference } }
      review: { uri: https://api.example.com/event_types/R, name: Review, renamed_from: Look }
    webhooks:
      - { url: https://crm.example.com/hook, events: [invitee.created], signing_key_env: CRM_KEY }
organization: { webhooks: [] }
groups: { Sales: { webhooks: [{ url: https://a.example.com, events: [invitee.canceled], signing_key: none }] } }
`;

/** Mistakes: what to replace in the example → by what → the place, and words that say what to write. */
const mistakes = String.raw`sched: 1 → sched: 2 → 2:8 sched must be 1
sched: 1 → # → 3:1 sched is missing: add sched: 1
      review: →       - review: → 18:1 A line among keys can't begin with "- "
groups: → group: → 22:1 "group" is not a field here. Did you mean groups?
{ webhooks: [] } → # → 21:1 organization is empty: remove it, or write what to manage
{ webhooks: [] } → {} → 21:1 organization is empty: remove it, or write what to manage
{ Sales: { webhooks → { Sales: {}, B: { webhooks → 22:11 groups.Sales is empty: remove it, or write what to manage
{ webhooks: [] } → { webhooks: } → 21:17 organization.webhooks is empty: write [] for none, or remove it
  me: →   bo: → 4:3 "bo" is not a user. Write me or an email address
users: → users: { a@b.example: { event_types: [] } }⏎x: → 3:25 a list, but event types have keys. They can't be deleted here: write active: false
name: Review,  →  → 18:7 users.me.event_types.review.name is missing
name: Review → name: "" → 18:67 review.name must not be empty
name: Review → name: 12 → 18:67 review.name must be text, not 12. Put it in quotes
name: Review → name: true → 18:67 review.name must be text, not true. Put it in quotes
name: Review → <<: *late, name: Review → 18:61 merge keys (<<) are not supported: write the fields out
name: Review → name: !text Review → 18:73 tags such as !name are not supported: remove the tag
      review: →       <<: { a: { name: A } }⏎      review: → 18:7 merge keys (<<) are not supported
      review: →       __proto__: → 18:7 __proto__ can't be a key: use another one
duration: 15 → slug: intro → 8:9 "slug" is not a field here. The service sets it, and this file can't change it: remove it
duration: 15 → created_at: 2026-01-01 → 8:9 The service sets it, and this file can't change it: remove it
duration: 15 → location: { kind: custom } → 8:9 "location" is not a field here. Write it under create
duration: 15 → durration: 15 → 8:9 "durration" is not a field here. Did you mean duration?
duration: 15 → duration: 15 min → 8:19 duration must be a whole number from 1 up, not "15 min"
duration: 15 → duration: 0 → 8:19 duration must be a whole number from 1 up
duration: 15 → duration: 1.5 → 8:19 duration must be a whole number from 1 up
duration: 15 → name: Intro → 8:9 the same key is here twice: remove one
        duration: → \tduration: → 8:1 tabs can't indent in YAML: use spaces
        duration: →    duration: → 8:1 the indentation is wrong
active: true → active: yes → 9:17 active must be true or false, not "yes"
"#0a8f6b" → #0a8f6b → 10:9 color must be a color such as "#0a8f6b", in quotes
"#0a8f6b" → green → 10:16 color must be a color such as "#0a8f6b", in quotes
timezone: Europe/Paris → rules: [] → 13:11 "rules" is not a field here. Write hours and dates
Europe/Paris → Europe/Pariss → 13:21 "Europe/Pariss" is not a time zone. Did you mean Europe/Paris
Europe/Paris → CET → 13:21 "CET" is an abbreviation, not a time zone. Did you mean Europe/Paris
mon-thu 09 → mom-thu 09 → 14:19 hours[0]: "mom-thu" is not a day. Use a weekday such as mon, or several such as mon-fri
mon-thu 09:00-12:30 → mon-thu 09:00 → 14:19 "09:00" is not a time range such as 09:00-12:30
-12:30 → -08:30 → 14:19 "09:00-08:30" ends before it starts
13:00-15 → 11:00-15 → 14:40 the time range from 11:00 overlaps the previous one
"fri → "thu → 14:11 hours has more than one line for thursday. Write its hours with commas
mon-thu → 2026-12-24 → 14:19 is about a date. Write it under dates
"2026-12-24" → monday → 15:28 "monday" is a weekday. Write it under hours
2026-12-24 → 2026-02-30 → 15:34 "2026-02-30" is not a day. Use a date such as 2026-12-24, or a range such as 2026-12-24..2026-12-31
"off" → closed → 15:34 dates.2026-12-24 must be hours such as 09:00-12:00, off or usual, not "closed"
"2026-12-31" → 2026-12-24..2026-12-26 → 15:11 dates has more than one line for 2026-12-24. Remove one
dates: → dates: {}⏎          # → 15:11 dates is empty: remove it, or write what to manage
bo@example.com: → Bo: → 16:18 "Bo" is not a host. Write an email address, or EMAIL/Schedule name
*late → *lat → 16:92 no anchor above is called "lat". Did you mean *late?
zoom_conference → zoom → 17:37 kind must be one of physical, custom
{ location: { kind: zoom_conference } } → {} → 17:9 create is empty: remove it, or write what to manage
https://crm → http://crm → 20:16 url must be an https URL
{ url: https://crm → { callback_url: https://crm → 20:11 "callback_url" is not a field here. Write it as url
invitee.created → invitee.create → 20:55 Did you mean invitee.created?
[invitee.created] → [] → 20:46 events must not be empty
_env: CRM_KEY → _env: CRM_KEY, signing_key: none → 20:9 webhooks[0] has signing_key and signing_key_env: keep one
_env: CRM_KEY } → : none }⏎      - { url: https://crm.example.com/hook, events: [invitee.canceled] } → 21:16 url: already on line 20. Remove one
{ webhooks: [] } → { webhooks: [ } → 21:29 bracket
groups: → ---⏎groups: → 22:1 a second document begins here`
  .split('\n')
  .map((row) => row.replaceAll('⏎', '\n').replace('\\t', '\t').split(' → '));

const problemsIn = (text: string) => {
  const read = readConfig(text, 'team.yaml');
  return read.ok ? [] : read.problems;
};

describe('a configuration file', () => {
  test('is read with the lines of its entries', () => {
    const read = readConfig(example, 'team.yaml');
    if (!read.ok) expect.fail(JSON.stringify(read.problems));
    const { config, lineOf } = read.file;
    expect(config.users?.me?.event_types?.['intro-call']?.hosts?.['eve@example.com/Late']).toEqual({
      hours: ['mon 14:00-18:00'],
    });
    expect(lineOf(['users', 'me', 'event_types', 'intro-call'])).toBe(6);
    expect(lineOf(['users', 'me', 'webhooks', 0])).toBe(20);
    expect(lineOf(['groups', 'Sales', 'webhooks'])).toBe(22);
  });

  test('is read as JSON too', () => {
    const text = JSON.stringify({ sched: 1, users: { me: { webhooks: [] } } }, null, '\t');
    expect(readConfig(text, 'team.json')).toMatchObject({
      ok: true,
      file: { config: { users: { me: { webhooks: [] } } } },
    });
  });

  test.each(sample(mistakes, 12))('with %j → %j says: %s', (find, put, expected) => {
    expect(example).toContain(find);
    const [, place, words] = /^(\S+) (.*)$/.exec(expected!)!;
    const { message } =
      problemsIn(example.replace(find!, () => put!)).find((each) => each.place === `team.yaml:${place}`) ?? {};
    expect(message).toContain(words);
  });

  test('that is empty, or of another version, gets no useless suggestion', () => {
    expect(problemsIn('')[0]?.message).toBe('the file must be a map, not empty');
    expect(problemsIn('sched: 2')[0]?.message).toBe('sched must be 1');
  });

  test('never shows a key that was written into it', () => {
    for (const value of ['s3cret', '\n          s3cret', '[s3cret]', '"s3cret", durration: 1'])
      for (const problem of problemsIn(example.replace('signing_key_env: CRM_KEY', () => `signing_key: ${value}`)))
        expect(JSON.stringify(problem)).not.toContain('s3cret');
    for (const wrong of ['secret: s3cret', 'signingKey: s3cret, events: 1', 'signing_key_env: s3cret+key'])
      expect(JSON.stringify(problemsIn(example.replace('signing_key_env: CRM_KEY', wrong)))).toMatch(
        /^\[\{"place"(?!.*s3cret)/,
      );
    const [problem] = problemsIn(example.replace('signing_key_env: CRM_KEY', 'signing_key: s3cret'));
    expect(problem?.message).toMatch(
      /signing_key must be none: to sign deliveries, write signing_key_env or signing_key_file$/,
    );
  });

  test('says what to read of the service', () => {
    const read = readConfig(example, 'team.yaml');
    expect(read.ok && reach(read.file.config)).toEqual({
      users: [{ key: 'me', types: true, hours: ['Intro call'], webhooks: true }],
      organization: true,
      groups: ['Sales'],
    });
  });

  test('has a JSON Schema of draft 7, in which empty maps are wrong', () => {
    const schema = configSchema();
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(schema.required).toEqual(['sched']);
    expect(schema.properties?.users).toMatchObject({ minProperties: 1, additionalProperties: { minProperties: 1 } });
  });
});
