import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { idIn } from '../../../src/base/uri.ts';
import { createLog } from '../../../src/sandbox/admin/log-admin.ts';
import { createFaultScript } from '../../../src/sandbox/faults/faults.ts';
import { withFaults } from '../../../src/sandbox/faults/with-faults.ts';
import { deletionsDone } from '../../../src/sandbox/rules/deletion.ts';
import type { SqlValue } from '../../../src/sandbox/store/database.ts';
import { addSamples } from '../../../src/sandbox/webhooks/samples.ts';
import { visitorOf } from '../pages/visitor.ts';
import { at, openWorld, organization, origin, pathOf, type World } from '../world.ts';

const person = { email: 'zz.gone@engine.example', name: 'Zzgone Qperson', timezone: 'Europe/London' };
const ofPerson = /zz\.gone|Zzgone|Qperson|555 0199/i;

/** Tables that have nothing that an invitee or somebody who writes about one has typed, and why. */
const closed: Record<string, string> = {
  meta: 'numbers and times',
  users: 'members, whose own words stay',
  invitations: 'people who are invited to be members',
  webhooks: 'addresses and keys of the organization',
  memberships: 'IDs',
  group_members: 'IDs',
  event_type_hosts: 'IDs',
  event_hosts: 'IDs',
  connected_locations: 'IDs',
  submitted: 'IDs and a nonce',
  delivery_attempts: 'what the network said',
  ...Object.fromEntries(
    ['access_tokens', 'refresh_tokens', 'families', 'codes', 'device_codes', 'clients', 'rate_windows'].map((table) => [
      table,
      'hashes, and what a program said of itself',
    ]),
  ),
};
/** Columns of others with IDs, times, hashes and words of closed lists. */
const closedColumns =
  /^(id|about|at|to|channel|kind|organization|user|event|event_type|form|invitee|canceled_by|created_at|occurred_at|failing_since|state|subject|due_at|claim|webhook|number|position|invitee_limit|duration_options|dates|locations|used_by)$/;
/** Fields with links, times and words of closed lists. Others are text, or empty now and text tomorrow. */
const closedFields =
  /^(uri|email|text_reminder_number|payment|reconfirmation|display_name|alternative_identifier|role|.*_url|.*_at|.*_time|status|state|event|event_type|type|kind|scope|plan|stage|timezone|organization|owner|user|user_email|user_name|member|host|form|submitter|action|namespace|fully_qualified_name|old_invitee|new_invitee|no_show|color|slug|pooling_type|wday|date|from|to|answer_choices|scheduling_method|invitee_scheduled_by|created_by|redirect|source|value|locale|currency|booking_method|custom_field|deleted)$/;

/** The value with words at the end of each text in it, also of those that are empty. */
const withWords = (value: unknown, words: string, field = ''): unknown => {
  if (Array.isArray(value)) return value.map((each) => withWords(each, words, field));
  if (isObject(value)) {
    // Who somebody is stays as it is.
    const isPerson = 'first_name' in value;
    const isOpen = (name: string) => !isPerson || !/^(|first_|last_)name$/.test(name);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, isOpen(name) ? withWords(each, words, name) : each]),
    );
  }
  if (closedFields.test(field) || (value !== null && typeof value !== 'string')) return value;
  return value === null || value === '' ? words : `${value} ${words}`;
};

/** Writes words into every text of every row: all that a person has typed, and others about them. Returns the number of texts. */
const fill = ({ store }: World, event: string, own: string): number => {
  let count = 0;
  for (const { name: table } of store.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    if (table in closed) continue;
    const columns = store
      .all<{ name: string; type: string }>(`SELECT name, type FROM pragma_table_info('${table}')`)
      .filter(({ name, type }) => type === 'TEXT' && !closedColumns.test(name));
    const [key = ''] = store
      .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 1`)
      .map(({ name }) => name);
    // The subject of a delivery is a link, that of a notice a text.
    if (table === 'notices') columns.push({ name: 'subject', type: 'TEXT' });
    for (const row of store.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`)) {
      const isAbout = JSON.stringify(row).includes(event);
      // Who writes elsewhere may mean anybody with this name, and only one by an address.
      const words = isAbout ? `${person.name} (${person.email}), +1 555 0199` : `to ${person.email}.`;
      // Their own reason stays as it is: others quote it.
      if (row.invitee === own) continue;
      for (const { name: column } of columns) {
        const text = row[column];
        const isJson = typeof text === 'string' && text.startsWith('{');
        const filled = isJson ? JSON.stringify(withWords(JSON.parse(text), words)) : `${text ?? ''} ${words}`;
        store.run(`UPDATE ${table} SET "${column}" = ? WHERE "${key}" = ?`, filled, row[key]!);
        count += 1;
      }
    }
  }
  return count;
};

test('a deleted person is in no text, no log and no byte of the file', async () => {
  const world = await openWorld();
  const { store, clock, call } = world;
  const log = createLog({ deletionsDone: () => deletionsDone(store) });
  const logged = withFaults(world.send, {
    script: createFaultScript(),
    log,
    clock: { now: clock.now, sleep: async () => {} },
  });
  const url = 'https://hooks.northlight.example/crm';
  const events = ['invitee.created', 'invitee.canceled', 'routing_form_submission.created'];
  await call('POST', '/webhook_subscriptions', { body: { url, events, organization, scope: 'organization' } });
  const headers = { authorization: 'Bearer sandbox_owner', 'content-type': 'application/json' };
  const booked: string[] = [];
  for (const name of [person.name, 'Ada Lovelace', 'Grace Hopper']) {
    const invitee = name === person.name ? person : { ...person, name, email: `${name.split(' ')[0]}@engine.example` };
    const { body } = await world.book('open-workshop', at('08:00'), { invitee });
    booked.push(body.resource.uri);
  }
  const [own = '', other = '', third = ''] = booked;
  const visitor = visitorOf(world);
  for (const [who, reason] of [
    [own, 'Qperson is ill'],
    [third, 'Not without Zzgone Qperson'],
  ]) {
    const page = await visitor.open(`/cancellations/${idIn(who)}`);
    expect((await visitor.submit(page, { reason: reason! })).status).toBe(303);
  }
  store.run("UPDATE invitees SET doc = json_set(doc, '$.text_reminder_number', '+1 555 0199') WHERE id = ?", idIn(own));
  const event = pathOf(own).split('/invitees/')[0]!;
  const reason = `${person.name} told everybody`;
  await call('POST', `${event}/cancellation`, { body: { reason } });
  addSamples(store, { event: 'routing_form_submission.created', origin, now: clock.time });
  addSamples(store, { event: 'invitee.created', origin, now: clock.time, set: { 'payload.name': person.email } });
  await logged({ method: 'GET', url: `${origin}${pathOf(own)}?note=${person.email}`, headers });
  expect(fill(world, idIn(event), idIn(own))).toBeGreaterThan(1000);
  const bytes = () => ['', '-wal'].map((end) => readFileSync(`${world.file}${end}`, 'latin1')).join();
  expect(bytes().search(ofPerson)).toBeGreaterThan(0);

  await call('POST', '/data_compliance/invitee_deletion', { body: { emails: [person.email] } });
  clock.time += 7 * 86_400_000;
  await logged({ method: 'GET', url: `${origin}/users/me`, headers });
  const left = store
    .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .flatMap(({ name }) => store.all(`SELECT * FROM "${name}"`).map((row) => `${name}: ${JSON.stringify(row)}`))
    .filter((row) => ofPerson.test(row));
  expect(
    left.map((row) => row.replace(/.*?(.{0,120}(?:zz.gone|Zzgone|Qperson|555 0199))/i, '$1').slice(0, 200)),
  ).toEqual([]);
  expect(JSON.stringify(log.entries)).not.toMatch(ofPerson);
  expect(log.entries.map(({ operation, reply }) => [operation, reply !== null])).toEqual([
    ['invitees.get', false],
    ['users.me', true],
  ]);
  expect(bytes().search(ofPerson)).toBe(-1);
  // What was there before is there, without the words.
  expect(JSON.stringify(store.all('SELECT * FROM notices'))).toContain('deleted left');
  expect((await call('GET', pathOf(other))).body.resource.name).toMatch(/^Ada Lovelace/);
});
