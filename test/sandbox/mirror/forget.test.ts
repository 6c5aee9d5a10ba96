import { copyFileSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Json, jsonText } from '../../../src/base/json.ts';
import { forget, forgetter, markOf, stillHas, wipe } from '../../../src/sandbox/mirror/forget.ts';
import { type MirrorFacts, openMirror, setFacts } from '../../../src/sandbox/mirror/open.ts';
import { putEvents, putInvitees, writers } from '../../../src/sandbox/mirror/write.ts';
import { isUnclean } from '../../../src/sandbox/rules/forgotten-texts.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { withSteps } from '../../support/store-steps.ts';
import { temporaryFile } from '../../support/temporary.ts';
import { times } from '../../support/tier.ts';

const root = 'https://api.example.com/v2';
const facts: MirrorFacts = {
  baseUrl: root,
  root,
  user: `${root}/users/ME`,
  organization: `${root}/organizations/ORG`,
  role: 'admin',
  since: 0,
  until: 1,
  pass: 1,
};
const key = 'ab'.repeat(32);
const marksOf = (...addresses: string[]) => ({
  keys: [key],
  macs: new Set(addresses.map((address) => markOf(key, 'ORG', address))),
});
const nobody = marksOf();
const ada = 'ada.byron@engine.example';

const invitee = (id: string, fields: Json): Json => ({
  uri: `${root}/scheduled_events/E1/invitees/${id}`,
  email: `${id}@engine.example`,
  name: id,
  status: 'active',
  event: `${root}/scheduled_events/E1`,
  created_at: '2026-01-01T10:00:00Z',
  ...fields,
});

const event: Json = {
  uri: `${root}/scheduled_events/E1`,
  name: 'Intro with ADA BYRON',
  start_time: '2026-01-01T10:00:00Z',
  end_time: '2026-01-01T11:00:00Z',
  event_memberships: [{ user: `${root}/users/ME`, user_email: 'me@engine.example' }],
  unknown_guests: [
    { address: 'Ada.Byron@Engine.Example', link: 'https://x.example/?to=ada.byron%40engine.example&a=1' },
  ],
  number: 12345678901234567890n,
};
const people = [
  invitee('A', {
    email: ada,
    name: 'Ada Byron',
    first_name: 'Ada',
    last_name: 'Byron',
    no_show: { uri: `${root}/invitee_no_shows/N`, created_at: '2026-01-02T10:00:00Z', who: 'Ada Byron' },
    questions_and_answers: [{ question: 'Phone?', answer: '+1 555 0100' }],
    invented_field: 'Ada Byron, London',
  }),
  invitee('B', { questions_and_answers: [{ question: 'Who else?', answer: `<${ada}>, and Ada Byron's friend` }] }),
];

const fill = (store: Store): void =>
  store.transaction(() => {
    const writing = { ...forgetter(store, facts, nobody), store, facts };
    setFacts(store, facts);
    writers['users.me']!(writing, [{ uri: `${root}/users/ME`, name: 'Me', email: 'me@engine.example' }], 'ME');
    putEvents(writing, [event], 1);
    putInvitees(writing, 'E1', people, { digest: 'x', at: 1, isShort: false });
    const answers = [
      { question: 'Name?', answer: 'A. B.' },
      { question: 'Address?', answer: ada },
    ];
    const submission = { uri: `${root}/routing_form_submissions/S`, questions_and_answers: answers };
    writers['routing-forms.submissions']!(writing, [submission], 'F');
    const member = { uri: `${root}/organization_memberships/M`, user: `${root}/users/ME`, note: `knows ${ada}` };
    writers['members.list']!(writing, [member], '');
    writers['locations.list']!(writing, [{ kind: 'custom', location: `ask ${ada}` }], 'ME');
    const schedule = { uri: `${root}/schedules/H`, user: `${root}/users/ME`, name: `for ${ada}` };
    writers['availability.list']!(writing, [schedule], 'T');
  });

const traces = [ada, 'ada byron', '555 0100', 'london', 'a. b.', 'ada.byron%40engine'];

test('a person leaves no trace in any field, and everybody else stays', async () => {
  const file = temporaryFile();
  const store = await openMirror(file);
  fill(store);
  forget(store, facts, marksOf(ada));
  expect(isUnclean(store)).toBe(true);
  expect(wipe(store, file)).toBe(true);
  expect(isUnclean(store)).toBe(false);
  expect(stillHas(file, traces)).toBe(false);
  const docs = store.all<{ doc: string }>('SELECT doc FROM invitees ORDER BY id').map(({ doc }) => JSON.parse(doc));
  expect(docs[0]).toEqual({
    uri: `${root}/scheduled_events/E1/invitees/A`,
    email: 'deleted-a@deleted.invalid',
    name: 'Deleted invitee',
    status: 'active',
    event: `${root}/scheduled_events/E1`,
    created_at: '2026-01-01T10:00:00Z',
    first_name: 'Deleted',
    last_name: 'invitee',
    no_show: { uri: `${root}/invitee_no_shows/N`, created_at: '2026-01-02T10:00:00Z' },
    questions_and_answers: [],
  });
  expect(docs[1].questions_and_answers).toEqual([{ question: 'Who else?', answer: "<deleted>, and deleted's friend" }]);
  const text = store.text('events', 'E1')!;
  expect(text).toContain('12345678901234567890');
  expect(text).toContain('me@engine.example');
  const sent = store.all<{ doc: string }>(
    "SELECT doc FROM sent WHERE kind IN ('memberships', 'locations') ORDER BY kind",
  );
  expect(sent.map(({ doc }) => doc)).toEqual([
    expect.stringContaining('"ask deleted"'),
    expect.stringContaining('"knows deleted"'),
  ]);
  store.close();
});

test.each(['Eve', 'Uri', 'Asia', 'Name', 'Zoom'])(
  'the name %s is removed where it is a word, and nowhere else',
  (name) => {
    const { cleanList } = forgetter({ all: () => [] } as unknown as Store, facts, marksOf(ada));
    const other = invitee('B', {
      name: 'Steven Nameth',
      timezone: 'Asia/Tokyo',
      note: `with ${name.toUpperCase()}'s friend`,
    });
    const place = { type: 'zoom', join_url: 'https://meet.example/a' };
    const whole = { ...event, name: `Event of ${name}`, unknown_guests: [], location: place };
    const cleaned = cleanList([invitee('A', { email: ada, name }), other], whole);
    expect(cleaned.invitees[1]).toEqual({ ...other, note: "with deleted's friend" });
    expect(cleaned.event).toEqual({ ...whole, name: 'Event of deleted' });
  },
);

test.each([
  "o'brien@x.example",
  'a/b=c@x.example',
  'ada+tag@x.example',
  'a&b@x.example',
  'müller@x.example',
  '_a_@m.example',
])('the address %s is removed from every text that has it', (address) => {
  const { clean } = forgetter({ all: () => [] } as unknown as Store, facts, marksOf(address));
  const link = `https://x.example/book?to=${encodeURIComponent(address)}&x=1`;
  const texts = [address, `Ask ${address}, please`, `'${address}'`, `https://x.example/?to=${address}&x=1`, link];
  const record = clean({ texts, json: JSON.stringify({ email: address }), [address]: 1, other: 'ada@x.example' });
  expect(record.deleted).toBe(1);
  expect(record.other).toBe('ada@x.example');
  const left = jsonText(record);
  expect([left.includes(address), left.includes(encodeURIComponent(address))]).toEqual([false, false]);
  expect(left).toContain('https://x.example/book?to=deleted&x=1');
});

test('an address that is the end of another one is found where it is alone, also between two parts of a file', () => {
  const file = temporaryFile();
  const others = ['julia.li@x.example'];
  const isLeft = (size: number, text: string) => {
    writeFileSync(file, `${'.'.repeat(size)}${text}${'.'.repeat(9)}`);
    return stillHas(file, ['li@x.example'], others);
  };
  for (const size of [0, ...[50, 36, 20, 13, 1].map((bytes) => 4 * 1024 * 1024 - bytes)]) {
    expect([size, isLeft(size, 'Julia.Li@x.example')]).toEqual([size, false]);
    expect([size, isLeft(size, 'Li@X.example')]).toEqual([size, true]);
  }
});

test('the mark of another organization, and that of a member, forget nobody', async () => {
  const store = await openMirror(temporaryFile());
  fill(store);
  forget(store, facts, { keys: [key], macs: new Set([markOf(key, 'OTHER', ada)]) });
  expect(store.text('invitees', 'A')).toContain(ada);
  forget(store, facts, marksOf('me@engine.example'));
  expect(store.text('events', 'E1')).toContain('me@engine.example');
  store.close();
});

test('a record that is written later is cleaned on its way in', async () => {
  const file = temporaryFile();
  const store = await openMirror(file);
  forget(store, facts, marksOf(ada));
  const known = { ...forgetter(store, facts, marksOf(ada)), store, facts };
  store.transaction(() => {
    putEvents(known, [event], 1);
    putInvitees(known, 'E1', people, { digest: 'x', at: 1, isShort: false });
  });
  // The name was in the event until its invitees were read.
  expect(isUnclean(store)).toBe(true);
  expect(wipe(store, file)).toBe(true);
  expect(
    stillHas(
      file,
      traces.filter((trace) => trace !== 'a. b.'),
    ),
  ).toBe(false);
  store.close();
});

/** A copy of a mirror as a power cut may leave it: the file, and so much of its log. */
const copyOf = (file: string, logBytes?: number): string => {
  const copy = temporaryFile();
  copyFileSync(file, copy);
  if (!existsSync(`${file}-wal`)) return copy;
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  if (logBytes !== undefined) truncateSync(`${copy}-wal`, Math.min(logBytes, statSync(`${copy}-wal`).size));
  return copy;
};

test('after a power cut at any step, the file is whole, and the next command finishes', async () => {
  const file = temporaryFile();
  const store = await openMirror(file);
  fill(store);
  const copies: string[] = [];
  const frame = 4096 + 24;
  const cut = () => {
    const size = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0;
    const frames = Math.floor(size / frame);
    copies.push(copyOf(file));
    for (let each = 0; each < times(3, 12); each += 1)
      copies.push(copyOf(file, 32 + Math.floor((frames * each) / times(3, 12)) * frame + each * 7));
  };
  const watched = withSteps(store, (step) => {
    if (step.startsWith('after') && !step.includes('INSERT INTO mirror_forgotten')) cut();
  });
  forget(watched, facts, marksOf(ada));
  cut();
  wipe(watched, file);
  cut();
  store.close();
  expect(copies.length).toBeGreaterThan(20);
  for (const copy of copies) {
    const opened = await openMirror(copy).catch(() => undefined);
    // Nothing of the log was on disk: the file is as it was before its first content.
    if (opened === undefined) continue;
    expect(opened.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    forget(opened, facts, marksOf(ada));
    if (isUnclean(opened)) expect(wipe(opened, copy)).toBe(true);
    opened.close();
    expect(stillHas(copy, traces)).toBe(false);
  }
});

test('a long text without an address is searched at once', () => {
  const { clean } = forgetter({ all: () => [] } as unknown as Store, facts, marksOf(ada));
  const before = process.cpuUsage();
  const record = { note: 'a'.repeat(200_000) };
  expect(clean(record)).toEqual(record);
  // Each letter as the begin of an address that never ends would take a minute.
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
