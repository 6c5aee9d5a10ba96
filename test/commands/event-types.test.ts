import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, eventTypeNamed, jsonOf, type TestWorld } from '../support/run.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('event types', () => {
  test('are created for the current user and updated, sending only the given fields', async () => {
    const created = await world.run('event-types create --name "Design review" --duration 45 --json');
    const { user } = { user: jsonOf(await world.run('users me --json=uri')).uri };
    expect(JSON.parse(created.requests.at(-1)!.body!)).toEqual({ name: 'Design review', duration: 45, owner: user });
    const { uri } = jsonOf(created);
    const changed = await world.run(`event-types update ${uri} --no-active --description Short --json`);
    expect(JSON.parse(changed.requests.at(-1)!.body!)).toEqual({ active: false, description_plain: 'Short' });
    expect(jsonOf(changed)).toMatchObject({ active: false, description_plain: 'Short', duration: 45 });
  });

  test('reject an empty update, an invalid color and an invalid duration', async () => {
    const { uri } = await eventTypeNamed(world, 'Intro call');
    expect(await world.run(`event-types update ${uri}`)).toMatchObject({ code: 2, requests: [] });
    const wrong = await world.run(`event-types update ${uri} --event-color red --duration long`);
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    expect(wrong.stderr).toContain('six hex digits');
    expect(wrong.stderr).toContain('--duration');
  });

  test.each([
    ['event-types update YBL6DUNR9FS4PNP6', ['0', '721']],
    ['event-types create --name Long', ['-5', '99999']],
    ['one-offs create --name Long --days 3', ['721']],
  ])('let the service judge a duration: %s', async (line, durations) => {
    for (const duration of durations) {
      const { code, stderr, requests } = await world.run(`${line} --duration=${duration}`);
      expect([code, JSON.parse(requests.at(-1)!.body!).duration]).toEqual([2, Number(duration)]);
      expect(stderr).toContain('duration: must be a whole number from 1 to 720');
    }
  });

  test('list their hosts', async () => {
    const { uri } = await eventTypeNamed(world, 'Partner interview');
    expect(jsonOf(await world.run(`event-types hosts ${uri} --json`)).length).toBeGreaterThan(1);
  });
});
