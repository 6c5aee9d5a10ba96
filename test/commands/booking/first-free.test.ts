import { beforeEach, describe, expect, test } from 'vitest';
import { breaking, type FaultName, faults, isBooking, posts, untilProven } from '../../support/lost-replies.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const type = 'YBL6DUNR9FS4PNP6';
/** The first and second free time of this event type in the demo data. */
const [first, second] = ['2026-11-16T09:00:00Z', '2026-11-16T09:15:00Z'];

const line = (more = '') =>
  `invitees create --event-type ${type} --first-free --email ada@engine.example --name "Ada Byron" --timezone Europe/Paris --json ${more}`;

describe('invitees create --first-free', () => {
  let world: TestWorld;
  beforeEach(async () => {
    const state = temporaryDirectory('booking');
    world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
  });

  const startsBooked = async (): Promise<string[]> => {
    const { stdout } = await world.run(
      'events list --upcoming --invitee ada@engine.example --status active --json=start_time',
    );
    return JSON.parse(stdout).map((event: { start_time: string }) => event.start_time);
  };

  test('books the first free time and says which', async () => {
    const { code, stderr } = await world.run(line());
    expect(code).toBe(0);
    expect(stderr).toContain('booked: Mon 16 Nov 10:00 Europe/Paris (09:00 UTC) for ada@engine.example');
    expect(await startsBooked()).toEqual([first.replace('Z', '.000Z')]);
  });

  test('begins at --since and ends before --until', async () => {
    const { stderr } = await world.run(line('--since 2026-11-18'));
    expect(stderr).toContain('booked: Wed 18 Nov 09:00 Europe/Paris');
    const none = await world.run(line('--since 2026-11-21 --until 2026-11-22'));
    expect([none.code, posts(none.requests)]).toEqual([7, 0]);
    expect(none.stderr).toContain('No free time for Intro call in this window');
  });

  test('books nothing a second time in the same window', async () => {
    await world.run(line());
    for (const flag of ['', '--if-absent']) {
      const again = await world.run(line(flag));
      expect([again.code, posts(again.requests)]).toEqual([0, 0]);
      expect(again.stderr).toMatch(/booked by another run \(process \d+, .*\): Mon 16 Nov 10:00/);
    }
    expect(await startsBooked()).toHaveLength(1);
    const later = await world.run(line('--since 2026-11-18'));
    expect([later.code, posts(later.requests)]).toEqual([0, 1]);
  });

  test('books again after the booking was canceled, or with --allow-duplicate', async () => {
    const { stdout } = await world.run(line());
    await world.run(['events', 'cancel', JSON.parse(stdout).event, '--yes']);
    expect((await world.run(line())).code).toBe(0);
    const more = await world.run(line('--allow-duplicate'));
    expect(more.code).toBe(0);
    expect(await startsBooked()).toEqual([first, second].map((start) => start.replace('Z', '.000Z')));
  });

  test('with --if-absent keeps a booking that was not made from this machine', async () => {
    await world.run(line());
    const elsewhere = temporaryDirectory('other');
    const { code, stderr, requests } = await world.run(line('--if-absent'), { env: { SCHED_STATE_DIR: elsewhere } });
    expect([code, posts(requests)]).toEqual([0, 0]);
    expect(stderr).toContain('already booked: Mon 16 Nov 10:00');
  });

  // R27
  test.each(sample(Object.keys(faults) as FaultName[], 3))('%s: run twice, books at most once', async (name) => {
    const send = breaking(world, faults[name], 1);
    const lost = await world.run(line(), { send });
    expect(lost.code).toBe(name.includes('after') ? 0 : 10);
    const again = await world.run(line(), { send });
    expect([again.code, posts(again.requests)]).toEqual([name.includes('after') ? 0 : 10, 0]);
    expect(await startsBooked()).toHaveLength(name.includes('after') ? 1 : 0);
  });

  test('books once a lost attempt is proven not booked', async () => {
    const send = breaking(world, faults['reset before commit'], 1);
    expect((await world.run(line(), { send })).code).toBe(10);
    await untilProven(world, `http://127.0.0.1:4010/event_types/${type}`);
    const late = await world.run(line(), { send });
    expect([late.code, posts(late.requests)]).toEqual([0, 1]);
  });

  test('exits with 7 if the time is taken meanwhile, and books the next one when run again', async () => {
    const other = `invitees create --event-type ${type} --start ${first} --email bob@engine.example --name Bob --timezone UTC`;
    let isTaken = false;
    const { code, stderr } = await world.run(line(), {
      send: async (request) => {
        if (isBooking(request) && !isTaken) {
          isTaken = true;
          await world.run(other);
        }
        return world.service(request);
      },
    });
    expect(code).toBe(7);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
    expect(error.message).toBe('The service refused the first free time, Mon 16 Nov 10:00 Europe/Paris (09:00 UTC)');
    expect(error.hint).toContain('sched invitees create');
    expect((await world.run(line())).stderr).toContain('booked: Mon 16 Nov 10:15');
  });

  test('--dry-run shows the time and sends no booking', async () => {
    const { code, stdout, stderr, requests } = await world.run(line('--dry-run'));
    expect([code, posts(requests), JSON.parse(stdout).body.start_time]).toEqual([0, 0, first]);
    expect(stderr).toContain('the first free time');
  });

  test('without a free time, finds an existing booking, and has nothing for --dry-run', async () => {
    const only = `--since ${first} --until ${second}`;
    await world.run(line(only));
    const again = await world.run(line(only));
    expect([again.code, posts(again.requests)]).toEqual([0, 0]);
    const dry = await world.run(line(`${only} --dry-run`));
    expect([dry.code, dry.stdout]).toEqual([7, '']);
    expect(dry.stderr).not.toContain('Would book');
  });

  test('refuses flags that contradict it before it sends anything', async () => {
    const both = await world.run(line(`--start ${first}`).replace(' --json', ''));
    expect([both.code, posts(both.requests)]).toEqual([2, 0]);
    expect(both.stderr).toContain("--start and --first-free can't be used together");
    const alone = await world.run(line('--since tomorrow').replace('--first-free', `--start ${first}`));
    expect([alone.code, alone.requests]).toEqual([2, []]);
    const neither = await world.run(line().replace('--first-free', ''));
    expect(neither.stderr).toContain('--start or --first-free');
  });
});
