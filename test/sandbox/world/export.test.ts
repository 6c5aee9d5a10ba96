import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { yamlDocument } from '../../../src/output/yaml.ts';
import { exportWorld } from '../../../src/sandbox/world/export.ts';
import { isDeep } from '../../support/tier.ts';
import { amara, at, eventType, group, membership, noon, organization, tomas } from '../world.ts';
import { everyBody, type OpenSandbox, openAt, worldIn } from './every-body.ts';

const book = (sandbox: OpenSandbox, slug: string, start: string, more: object = {}) =>
  sandbox.call('POST', '/invitees', {
    event_type: eventType(slug),
    start_time: start,
    invitee: { email: 'ada@engine.example', name: 'Ada Lovelace', timezone: 'Europe/London' },
    ...more,
  });

const rules = [
  { type: 'date', date: '2026-05-05', intervals: [{ from: '10:00', to: '11:00' }] },
  { type: 'wday', wday: 'sunday', intervals: [] },
  {
    type: 'wday',
    wday: 'monday',
    intervals: [
      { from: '13:00', to: '24:00' },
      { from: '08:00', to: '12:00' },
    ],
  },
];

const firstSchedule = async ({ call }: OpenSandbox, type: string) =>
  (await call('GET', `/event_type_availability_schedules?event_type=${encodeURIComponent(eventType(type))}`)).body
    .collection[0].uri;

/** Ways in which a world stops being the one it was seeded as. */
const changes: Record<string, (sandbox: OpenSandbox) => Promise<{ status: number }>> = {
  'a booking with answers and a campaign': (sandbox) =>
    book(sandbox, 'customer-onboarding', at('08:00'), {
      custom_questions: [
        { question: 'Company', answer: 'Engine', position: 0 },
        { question: 'Team size', answer: '1 to 10', position: 1 },
      ],
      tracking: { utm_source: 'no', crm_uuid: '~' },
    }),
  'a canceled event': async (sandbox) => {
    const { event } = (await book(sandbox, 'intro-call', at('09:00'))).body.resource;
    return sandbox.call('POST', `${event}/cancellation`, { reason: '- a: "b" # \u202e' });
  },
  'a no-show': async (sandbox) => {
    const { uri } = (await book(sandbox, 'intro-call', at('10:00'))).body.resource;
    return sandbox.call('POST', `/invitees/${uri.split('/').at(-1)}/no_show`);
  },
  'a renamed event type of another length': (sandbox) =>
    sandbox.call('PATCH', eventType('consultation'), { name: '2026-12-24', duration: 45, description_plain: '' }),
  'two event types of one name': async ({ call }) => {
    await call('POST', '/event_types', { name: 'Twin', owner: tomas });
    return call('POST', '/event_types', { name: 'Twin', owner: amara, location: { kind: 'custom', location: 'off' } });
  },
  'a one-off meeting of two hosts': ({ call }) =>
    call('POST', '/one_off_event_types', {
      name: 'Once',
      host: amara,
      co_hosts: [tomas],
      duration: 20,
      date_setting: { type: 'date_range', start_date: '2026-05-04', end_date: '2026-05-08' },
    }),
  'hours in an unusual order': async (sandbox) =>
    sandbox.call('PATCH', await firstSchedule(sandbox, 'intro-call'), { rules, timezone: 'Asia/Tokyo' }),
  'a removed member': ({ call }) => call('DELETE', membership('sam')),
  'an invitation': ({ call }) =>
    call('POST', '/organization_invitations', { organization, email: 'new@northlight.example' }),
  'a webhook of a group': ({ call }) =>
    call('POST', '/webhook_subscriptions', {
      organization,
      scope: 'group',
      group: group('Product team'),
      url: 'https://hooks.example.com/a?b=c',
      events: ['invitee.created'],
      signing_key: 'a'.repeat(32),
    }),
};

const reload = async (sandbox: OpenSandbox, now = noon): Promise<OpenSandbox> =>
  openAt(now, { world: worldIn(yamlDocument(exportWorld(sandbox.store))), now });

/** Holds that the exported world gives the same replies, and the same ID to the next record. */
const expectSame = async (sandbox: OpenSandbox) => {
  const again = await reload(sandbox);
  expect(await everyBody(again)).toEqual(await everyBody(sandbox));
  const [one, other] = await Promise.all([sandbox, again].map((each) => book(each, 'strategy-session', at('11:00'))));
  expect(one!.status).toBe(200);
  expect(other!.text).toBe(one!.text);
};

const change = async (sandbox: OpenSandbox, name: string) =>
  expect([name, (await changes[name]!(sandbox)).status < 300]).toEqual([name, true]);

/** The people of the demo with their event types and forms, without its events. */
const team = () => openAt(noon, { world: worldIn(readFileSync('src/sandbox/seed/demo.json', 'utf8')) });

describe('export', () => {
  test('and load give the same reply to every GET after all kinds of changes', async () => {
    const sandbox = await team();
    for (const name of Object.keys(changes)) await change(sandbox, name);
    await expectSame(sandbox);
  });

  test.runIf(isDeep)('and load give the same reply to every GET, for the demo', { timeout: 120_000 }, async () => {
    const demo = await openAt();
    expect((await everyBody(demo)).size).toBeGreaterThan(900);
    expect(yamlDocument(exportWorld(demo.store)).split('\nactivity:')[0]).not.toMatch(/ id: [A-Z2-9]{16}/);
    await expectSame(demo);
  });

  const each = isDeep ? Object.keys(changes) : [];
  test.each(each)('and load give the same reply to every GET after %s', { timeout: 120_000 }, async (name) => {
    const sandbox = await openAt();
    await change(sandbox, name);
    await expectSame(sandbox);
  });

  test('of an exported world is the same file', async () => {
    const first = exportWorld((await team()).store);
    const again = await openAt(noon + 1000, { world: worldIn(yamlDocument(first)) });
    expect(exportWorld(again.store)).toEqual(first);
  });

  test('contains no secret, and names instead of IDs', async () => {
    const sandbox = await team();
    await change(sandbox, 'a webhook of a group');
    const text = yamlDocument({ ...exportWorld(sandbox.store), activity: [] });
    expect(text).not.toMatch(/signing_key|aaaaaaaa|sandbox_/);
    expect(text.match(/ id: /g)).toHaveLength(1);
  });
});
