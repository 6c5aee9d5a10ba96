import { expect, it } from 'vitest';
import { startsBetween } from '../../../src/sandbox/pages/starts.ts';
import { requireEventType } from '../../../src/sandbox/rules/event-type.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { answersTo, cases, day, gridOf, refusalAt, storeCase } from '../../support/slot-cases.ts';
import { sample, times } from '../../support/tier.ts';
import { noon, openWorld } from '../world.ts';

const readable = (starts: number[]) => starts.map(timestamp);

it('offers exactly the starts that the booking accepts, for random event types', { timeout: 1_200_000 }, async () => {
  const world = await openWorld();
  const totals = { offered: 0, tried: 0 };
  // One case with free and taken times always runs: others may have none of them.
  for (const { index, given } of sample(cases, 1, (each) => each.index === 4 || String(each.given.change?.isForward))) {
    const id = `PAGES${index}`;
    storeCase(world, id, given);
    const known = requireEventType(world.store, id);
    const { since: from, until: to, now } = given;
    const offered = startsBetween(world.store, known, { from, to, now }).map(({ at }) => at);
    const grid = gridOf({ ...given, step: undefined });
    const bookable = grid.filter((start) => refusalAt(world, id, start, now) === undefined);
    expect(readable(offered), `case ${index}: ${JSON.stringify(given)}`).toEqual(readable(bookable));
    totals.offered += offered.length;
    totals.tried += grid.length;
  }
  expect(totals.offered).toBeGreaterThanOrEqual(times(40, 1000));
  expect(totals.tried - totals.offered).toBeGreaterThanOrEqual(times(40, 1000));
});

it('offers only starts that the booking accepts, for every event type of the demo', async () => {
  const world = await openWorld();
  const types = world.store.all<{ id: string }>('SELECT id FROM event_types WHERE active');
  for (const { id } of sample(types, 2)) {
    const known = requireEventType(world.store, id);
    const range = { from: noon - day, to: noon + 13 * day, now: noon };
    const starts = startsBetween(world.store, known, range);
    expect(starts.length).toBeGreaterThan(20);
    const more = answersTo(world, id);
    for (const { at } of sample(starts, 10))
      expect(refusalAt(world, id, at, noon, more), timestamp(at)).toBe(undefined);
  }
});
