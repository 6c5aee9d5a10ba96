import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let eventType: string;
beforeAll(async () => {
  world = await createWorld();
  eventType = JSON.parse((await world.run('event-types get "Intro call" --json')).stdout).uri;
});

const booking = () => ({
  event_type: eventType,
  start_time: '2027-02-01T10:00:00Z',
  invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
});

const planning = () => ({ name: 'Planning', host: eventType.replace(/event_types.*/, 'users/ANY'), duration: 45 });

const dryRun = async (command: string, body: object) =>
  world.run(`${command} --body - -n`, { stdin: JSON.stringify(body) });

describe('--body', () => {
  test.each<[string, () => object]>([
    ['invitees create', () => ({ ...booking(), location: { type: 'zoom', room: 7 } })],
    ['invitees create', () => ({ ...booking(), custom_questions: [{ id: 'Q1', value: [1, 2] }] })],
    ['event-types update "Intro call"', () => ({ location: { kind: 'my_own', floor: 3 } })],
    ['shares create', () => ({ event_type: eventType, availability_rule: { hours: 'always' } })],
    ['shares create', () => ({ event_type: eventType, location_configurations: [{ place: 'here' }] })],
    ['shares create', () => ({ event_type: eventType, period_type: 'rolling' })],
    ['shares create', () => ({ event_type: eventType, durations: [15, 30] })],
    ['event-types create', () => ({ owner: planning().host, title: 'Chat', duration: '25m' })],
    ['one-offs create', () => ({ ...planning(), date_setting: { type: 'whenever' }, more: true })],
  ])('of %s is sent as typed where the documentation shows nothing', async (command, body) => {
    const { code, stdout } = await dryRun(command, body());
    expect(code).toBe(0);
    expect(JSON.parse(stdout).body).toEqual(body());
  });

  test.each<[string, () => object, string]>([
    ['invitees create', () => ({ ...booking(), colour: 'red' }), 'the body has unknown fields: colour'],
    [
      'invitees create',
      () => ({ ...booking(), invitee: { ...booking().invitee, phone: '1' } }),
      'invitee has unknown fields: phone',
    ],
    ['invitees create', () => ({ ...booking(), tracking: { utm_colour: 'red' } }), 'tracking has unknown fields'],
    ['invitees create', () => ({ ...booking(), location: 'here' }), 'location must be an object'],
    ['invitees create', () => ({ ...booking(), custom_questions: {} }), 'custom_questions must be a list'],
    ['event-types update "Intro call"', () => ({ title: 'Chat' }), 'the body has unknown fields: title'],
    ['shares create', () => ({ event_type: eventType, duration: 'long' }), '--duration must be a whole number'],
    ['shares create', () => ({ event_type: eventType, location_configurations: ['here'] }), 'must be an object'],
  ])('of %s is rejected where it differs from the documentation', async (command, body, problem) => {
    const { code, stderr } = await dryRun(command, body());
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });

  test('does not excuse the values of flags', async () => {
    const { code, stderr } = await world.run('one-offs create --duration long --body - -n', {
      stdin: JSON.stringify({ ...planning(), date_setting: { type: 'whenever' } }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('--duration must be a whole number');
  });
});
