import { describe, expect, test } from 'vitest';
import { createWorld, jsonOf, someday } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';

const world = await createWorld();

describe('words that people type', () => {
  test.each([
    ['invitations create new@x.example', 'sched invitations create --email new@x.example'],
    ["availability list 'Intro call'", "sched availability list --event-type 'Intro call'"],
  ])('%s is answered with the flag', async (line, meant) => {
    const { code, stderr, requests } = await world.run(line);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`try: ${meant}\n`);
  });

  test('invitations revoke takes the address of a pending invitation', async () => {
    const line = 'invitations revoke Yasmin.Farouk@northlight.example';
    expect((await world.run(`${line} -n`)).stdout).toContain('/organization_invitations/3PABCQTLPV8QJY3E"');
    expect((await world.run(`${line} --yes`)).code).toBe(0);
    const again = await world.run(`${line} --yes`);
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('No pending invitation of Yasmin')]);
  });

  test('events list --month has today and the 29 days after it', async () => {
    const { url } = jsonOf(await world.run('events list --month -n'));
    const query = new URL(url).searchParams;
    expect([query.get('min_start_time'), query.get('max_start_time')]).toEqual([
      '2026-11-14T23:00:00Z',
      '2026-12-14T23:00:00Z',
    ]);
    expect((await world.run('events list --month --week')).code).toBe(2);
  });

  test('events stats --sort takes the direction that it has', async () => {
    const plain = await world.run('events stats --sort booked --json');
    expect(jsonOf(await world.run('events stats --sort booked:desc --json'))).toEqual(jsonOf(plain));
    expect((await world.run('events stats --sort booked:asc')).code).toBe(2);
  });

  test('sandbox clock +3d moves the clock', async () => {
    const home = await usedHome(someday);
    const clock = async (words: string) => jsonOf(await world.run(`sandbox clock ${words} --json`, { home }));
    await clock('set now');
    expect(await clock('+3d')).toMatchObject({ offset_seconds: 3 * 86_400 });
    expect(await clock('')).toMatchObject({ offset_seconds: 3 * 86_400 });
  });
});
