import { beforeEach, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { addNotice, listNotices, mostNotices } from '../../../src/sandbox/rules/notices.ts';
import { recordAttempt } from '../../../src/sandbox/webhooks/schedule.ts';
import { at, eventType, membership, openWorld, organization, origin, pathOf, user, type World } from '../world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});

const notices = (query: Record<string, string> = {}) =>
  listNotices(world.store, new URL(`${origin}/__sandbox/notices?${new URLSearchParams(query)}`)) as unknown as Array<
    Record<string, unknown>
  >;
const told = () => notices().map(({ to, subject }) => [to, subject]);

describe('notices', () => {
  it('of a booking go to the invitee and to each host', async () => {
    expect(notices()).toEqual([]);
    const { uri: about } = (await world.book('partner-interview', at('08:00'))).body.resource;
    expect(told()).toEqual([
      ['amara.lindqvist@northlight.example', 'New booking: Partner interview with Ada Lovelace, 2026-05-04 08:00 UTC'],
      ['jonas.weber@northlight.example', 'New booking: Partner interview with Ada Lovelace, 2026-05-04 08:00 UTC'],
      ['elif.demir@northlight.example', 'New booking: Partner interview with Ada Lovelace, 2026-05-04 08:00 UTC'],
      [
        'ada@engine.example',
        'Confirmed: Partner interview with Elif Demir, Jonas Weber, and Amara Lindqvist, 2026-05-04 08:00 UTC',
      ],
    ]);
    expect(notices({ to: 'ADA@engine.example' })).toEqual([
      {
        number: 1,
        created_at: '2026-03-11T12:00:00.000Z',
        channel: 'email',
        to: 'ada@engine.example',
        kind: 'event.confirmed',
        about,
        subject: expect.any(String),
        details: {},
      },
    ]);
  });

  it('of a cancellation say who canceled and why, and are text messages too', async () => {
    const { uri: about, event } = (await world.book('intro-call', at('08:00'))).body.resource;
    world.store.run(
      "UPDATE invitees SET doc = json_set(doc, '$.text_reminder_number', '+1 555 0100') WHERE id = ?",
      idIn(about),
    );
    const cancellation = { body: { reason: 'A storm' }, token: 'sandbox_admin' };
    await world.call('POST', `${pathOf(event)}/cancellation`, cancellation);
    const same = {
      kind: 'event.canceled',
      subject: 'Canceled by Jonas Weber: Intro call with Amara Lindqvist, 2026-05-04 08:00 UTC',
      details: { canceled_by: 'Jonas Weber', reason: 'A storm' },
    };
    expect(notices({ kind: 'event.canceled' })).toMatchObject([
      {
        ...same,
        subject: 'Canceled by Jonas Weber: Intro call with Ada Lovelace, 2026-05-04 08:00 UTC',
        channel: 'email',
        to: 'amara.lindqvist@northlight.example',
        about: event,
      },
      { ...same, channel: 'text', to: '+1 555 0100', about },
      { ...same, channel: 'email', to: 'ada@engine.example', about },
    ]);
  });

  it('of an invitation and a removal go to that person, and nobody hears of a no-show', async () => {
    const body = { organization, email: 'new@northlight.example' };
    await world.call('POST', '/organization_invitations', { body });
    await world.call('DELETE', pathOf(membership('sam')));
    const [first] = await world.walk('/scheduled_events', { organization, count: '1' });
    const [invitee] = await world.walk(`${pathOf(first.uri)}/invitees`, {});
    await world.call('POST', `/invitees/${idIn(invitee.uri)}/no_show`);
    expect(notices()).toMatchObject([
      { kind: 'member.removed', to: 'sam.whitaker@northlight.example', about: user('sam') },
      { kind: 'invitation.sent', to: 'new@northlight.example', subject: 'You are invited to join Northlight Advisory' },
    ]);
  });

  it.each([
    ['user', 'tomas.ferreira@northlight.example'],
    ['organization', 'amara.lindqvist@northlight.example'],
  ])('of a disabled webhook of scope %s go to %s', async (scope, to) => {
    const hook = { url: 'http://127.0.0.1:9/', events: ['invitee.created'], organization, scope };
    const asked = { body: hook, token: scope === 'user' ? 'sandbox_user' : 'sandbox_owner' };
    const { uri: about } = (await world.call('POST', '/webhook_subscriptions', asked)).body.resource;
    const webhook = idIn(about);
    const row = { webhook, event: 'invitee.created', subject: '', state: 'waiting', body: '{}' };
    world.store.add('deliveries', { number: 1, ...row, created_at: '', due_at: '', tries: 5, claim: 'me' });
    const claimed = { number: 1, webhook, claim: 'me', url: '', signing_key: null, body: '{}' };
    const attempt = { at: world.clock.time, milliseconds: 1, answer: { status: 500 } };
    recordAttempt(world.store, claimed, attempt, world.clock.time, false);
    expect(notices()).toMatchObject([
      { kind: 'webhook.disabled', to, about, subject: 'Webhook disabled: http://127.0.0.1:9/' },
    ]);
  });

  it('to a deleted address are deleted, and the user who asked hears of it', async () => {
    await world.book('intro-call', at('08:00'));
    await world.call('POST', '/organization_invitations', { body: { organization, email: 'ADA@engine.example' } });
    const body = { emails: ['ada@engine.example'] };
    await world.call('POST', '/data_compliance/invitee_deletion', { body, token: 'sandbox_admin' });
    world.clock.time += 7 * 86_400_000;
    await world.get('/users/me');
    const { uri: about } = await world.lastActivity();
    const subject = 'The invitee data that you asked to delete is deleted';
    expect(notices()).toMatchObject([
      { kind: 'data.deleted', to: 'jonas.weber@northlight.example', about, subject, details: { invitees: 1 } },
    ]);
  });

  it('are kept up to a number, and the newest 100 listed', () => {
    const notice = { to: 'a@b.example', kind: 'invitation.sent', about: pathOf(eventType('x')) } as const;
    const count = mostNotices + 5;
    for (let index = 1; index <= count; index += 1)
      addNotice(world.store, index, { ...notice, subject: String(index) });
    expect(world.store.all('SELECT 1 FROM notices')).toHaveLength(mostNotices);
    const listed = notices();
    expect([listed.length, listed[0]!.subject, listed.at(-1)!.subject]).toEqual([100, `${count}`, `${count - 99}`]);
  });
});
