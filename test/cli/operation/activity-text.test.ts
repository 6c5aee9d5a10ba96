import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { activityText } from '../../../src/cli/operation/activity-text.ts';

const uri = (path: string) => `https://api.example.com/${path}`;

const entry = (name: string, details: unknown, facts: Json = {}): object => {
  const [namespace, action] = name.split('.');
  return { fully_qualified_name: name, namespace, action, details, _sched: facts };
};

describe('activityText', () => {
  it.each<[string, object]>([
    [
      'canceled Support call · Thu 19 Nov 10:00',
      entry(
        'ScheduledEvent.Cancel',
        { event: uri('scheduled_events/E1'), name: 'Support call' },
        { when: 'Thu 19 Nov 10:00' },
      ),
    ],
    ['canceled an event', entry('ScheduledEvent.Cancel', { event: uri('scheduled_events/E1') })],
    [
      'marked Björk as no-show · Intro call, Mon 9 Nov 09:00',
      entry('Invitee.MarkNoShow', {}, { person: 'Björk', when: 'Intro call, Mon 9 Nov 09:00' }),
    ],
    ['marked an invitee as no-show', entry('Invitee.MarkNoShow', { invitee: uri('invitees/I1') })],
    ['renamed the organization', entry('Organization.Update', { fields: ['name'] })],
    ['changed the organization · name, logo', entry('Organization.Update', { fields: ['name', 'logo'] })],
    ['changed availability hours', entry('AvailabilitySchedule.Update', { fields: ['rules'] })],
    [
      'changed the event type Intro call · duration',
      entry('EventType.Update', { name: 'Intro call', fields: ['duration'] }),
    ],
    ['logged in · single sign-on', entry('User.SignIn', { method: 'single sign-on' })],
    ['asked to delete data · 1 address', entry('InviteeData.RequestDeletion', { addresses: 1 })],
    ['asked to delete data · 3 addresses', entry('InviteeData.RequestDeletion', { addresses: 3 })],
    ['removed a member', entry('OrganizationMembership.Delete', { user: uri('users/U1'), role: 'user' })],
    // What sched doesn't know is shown as it comes.
    ['rotate api key · key K1, 2 uses', entry('ApiKey.Rotate', { key: uri('keys/K1'), uses: 2 })],
    ['rotate api key · Main', entry('ApiKey.Rotate', { key: uri('keys/K1'), name: 'Main' })],
    ['User.Gone', { fully_qualified_name: 'User.Gone', action: null, namespace: 'User', details: null }],
    ['constructor to string · text', entry('toString.constructor', 'text')],
    ['', {}],
  ])('says %j', (text, record) => expect(activityText(record)).toBe(text));
});
