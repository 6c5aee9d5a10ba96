import { expect, test } from 'vitest';
import { planDigest } from '../../../src/commands/config/work-digest.ts';
import type { Plan, TypeChange } from '../../../src/commands/config/work-model.ts';

const change: TypeChange = {
  kind: 'event type',
  action: 'update',
  path: ['users', 'me', 'event_types', 'intro'],
  line: 5,
  label: 'Intro call',
  owner: 'https://api.example.com/users/A',
  uri: 'https://api.example.com/event_types/1',
  fields: { duration: { before: 15, after: 20 }, active: { before: false, after: true } },
};
const created: TypeChange = { ...change, action: 'create', uri: undefined, label: 'Design review' };

const digestWith = (more: Partial<Plan> = {}): string =>
  planDigest({
    file: 'team.yaml',
    service: 'https://api.example.com',
    organization: 'https://api.example.com/organizations/1',
    changes: [change, created],
    ...more,
  } as Plan);

const withChange = (more: Partial<TypeChange>): string => digestWith({ changes: [{ ...change, ...more }, created] });
const withCreated = (more: Partial<TypeChange>): string => digestWith({ changes: [change, { ...created, ...more }] });

// R57: what was confirmed is done, and nothing else.
test.each([
  ['the service', digestWith({ service: 'https://other.example.com' })],
  ['the organization', digestWith({ organization: 'https://api.example.com/organizations/2' })],
  ['a change more', digestWith({ changes: [change, created, { ...change, uri: 'x' }] })],
  ['a change less', digestWith({ changes: [change] })],
  ['the kind', withChange({ kind: 'schedule' } as never)],
  ['the action', withChange({ action: 'create' })],
  ['the record', withChange({ uri: 'https://api.example.com/event_types/2' })],
  ['the owner of a record', withChange({ owner: 'https://api.example.com/users/B' })],
  ['the owner of a new record', withCreated({ owner: 'https://api.example.com/users/B' })],
  ['the name of a new record', withCreated({ label: 'Other' })],
  ['a new value', withChange({ fields: { ...change.fields, duration: { before: 15, after: 30 } } })],
  ['an old value', withChange({ fields: { ...change.fields, duration: { before: 10, after: 20 } } })],
  ['a field more', withChange({ fields: { ...change.fields, color: { before: null, after: '#fff' } } })],
])('a digest depends on %s', (_, digest) => {
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digest).not.toBe(digestWith());
});

test.each([
  ['the place in the file', withChange({ line: 9, path: ['users', 'me', 'event_types', 'other'] })],
  ['the name of the file', digestWith({ file: 'other.yaml' })],
  ['the order of the changes', digestWith({ changes: [created, change] })],
  ['the order of the fields', withChange({ fields: Object.fromEntries(Object.entries(change.fields).reverse()) })],
  ['what a known record is called', withChange({ label: 'Other' })],
])('a digest does not depend on %s', (_, digest) => {
  expect(digest).toBe(digestWith());
});
