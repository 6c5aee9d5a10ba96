import { describe, expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';

const world = await createWorld();

// In this world it is Sunday, 15 November 2026.
describe('an empty window is told in the words and the zone of the person', () => {
  test.each([
    [
      '--since monday --until today',
      'it begins Mon 16 Nov (--since monday) and ends Sun 15 Nov (--until today), in Europe/Paris',
      "sched events list --since 'last monday' --until today",
    ],
    [
      '--since Tue --until today --tz Asia/Tokyo',
      'it begins Tue 17 Nov (--since Tue) and ends Mon 16 Nov (--until today), in Asia/Tokyo',
      "sched events list --since 'last Tue' --until today --tz Asia/Tokyo",
    ],
    [
      '--since 2027-12-01 --until 2026-11-01',
      'it begins Wed 1 Dec 2027 (--since 2027-12-01) and ends Sun 1 Nov (--until 2026-11-01), in Europe/Paris',
      undefined,
    ],
    [
      '--since 15:00 --until 2026-11-15T12:00:00Z --tz UTC',
      'it begins Sun 15 Nov 15:00 (--since 15:00) and ends Sun 15 Nov 12:00 (--until 2026-11-15T12:00:00Z), in UTC',
      undefined,
    ],
    [
      '--since monday --until -30d --tz UTC',
      'it begins Mon 16 Nov (--since monday) and ends Fri 16 Oct 18:00 (--until -30d), in UTC',
      undefined,
    ],
  ])('%s', async (flags, told, corrected) => {
    const { code, stderr } = await world.run(`events list ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: The time window is empty: ${told}\n`)]);
    expect(/^try: +(.*)$/m.exec(stderr)?.[1]).toBe(corrected);
  });

  test('of a command that applies it itself', async () => {
    const { stderr } = await world.run('invitations list --since friday --until today');
    expect(stderr).toContain("\ntry: sched invitations list --since 'last friday' --until today\n");
  });
});
