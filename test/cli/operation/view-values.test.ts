import { describe, expect, it } from 'vitest';
import { aboutText, actionText } from '../../../src/cli/operation/view-values.ts';

const uri = (path: string) => `https://api.example.com/${path}`;

describe('view-values', () => {
  it.each([
    [{ event: uri('scheduled_events/E1'), event_type: uri('event_types/T1'), name: 'Intro call' }, 'Intro call'],
    [{ event: uri('scheduled_events/E1'), invitee: uri('invitees/I1') }, 'event E1, invitee I1'],
    [{ event_type: uri('event_types/T1'), name: 'Intro', fields: ['name', 'color'] }, 'Intro, name, color'],
    [{ invitees: 3, method: 'password', nested: { a: 1 }, none: null }, '3 invitees, password'],
    [{}, ''],
    [null, null],
    ['text', 'text'],
    [{ changes: [{ from: 1 }] }, { changes: [{ from: 1 }] }],
  ])('names the record of %j', (details, text) => expect(aboutText({ details })).toEqual(text));

  it.each([
    [{ action: 'Cancel', namespace: 'ScheduledEvent' }, 'Cancel scheduled event'],
    [{ action: 'SignIn', namespace: 'User' }, 'Sign in user'],
    [{ action: null, namespace: 'User', fully_qualified_name: 'User.Gone' }, 'User.Gone'],
  ])('describes the action of %j', (entry, text) => expect(actionText(entry)).toBe(text));
});
