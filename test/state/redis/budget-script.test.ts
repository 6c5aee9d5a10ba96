import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clock } from '../../../src/node/clock.ts';
import { type BudgetState, current, type Kind, windowsOf } from '../../../src/state/budget.ts';
import { applyStep, type Step } from '../../../src/state/budget-steps.ts';
import { budgetScript } from '../../../src/state/redis/budget-script.ts';
import { openConnection, type RedisConnection } from '../../../src/state/redis/connection.ts';
import { engines, redis, startRedis } from '../../support/redis.ts';
import { runs } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';

const holders = ['a', 'b', 'c', 'd'];
const holder = fc.constantFrom(...holders);
const few = fc.integer({ min: 0, max: 25 });
/** Around now: some seconds to the past or the future, and some far away. */
const offset = fc.oneof(fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -70_000, max: 100_000 }));

const told = fc.record({
  limit: fc.integer({ min: 1, max: 500 }),
  remaining: fc.integer({ min: 0, max: 500 }),
  resetMs: fc.integer({ min: 0, max: 90_000 }),
});
const doubtMs = fc.option(few, { nil: undefined });
const reply = { sentAt: offset, doubtMs, now: offset, told: fc.option(told, { nil: undefined }) };
const news = fc.option(fc.record({ ...reply, told }), { nil: undefined });

const step = fc.oneof(
  fc.record({
    do: fc.constant('take' as const),
    holder,
    pid: few,
    most: fc.integer({ min: 1, max: 20 }),
    probeMs: fc.constant(35_000),
    pace: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    isBackground: fc.boolean(),
    news,
  }),
  fc.record({
    do: fc.constant('settle' as const),
    holder,
    ...reply,
    closedMs: fc.option(fc.integer({ min: 0, max: 90_000 }), { nil: undefined }),
    least: fc.option(few, { nil: undefined }),
    surplus: fc.integer({ min: 0, max: 2 }),
    unused: fc.integer({ min: 0, max: 20 }),
  }),
  fc.record({ do: fc.constant('release' as const), holder, unused: few, news }),
  fc.record({ do: fc.constant('queue' as const), holder, pid: few, until: offset }),
  fc.record({
    do: fc.constant('plan' as const),
    limits: fc.array(fc.option(few), { minLength: 1, maxLength: 3 }),
    isNews: fc.boolean(),
  }),
);

/** A state whose times are relative to now. */
const stateOf = (kind: Kind) =>
  fc.record({
    windows: fc.tuple(
      ...windowsOf[kind].map((length) =>
        fc.record({
          length: fc.constant(length),
          limit: fc.option(few),
          opened: fc.oneof(fc.constant(0), fc.integer({ min: -70_000, max: 0 })),
          end: offset,
          isSure: fc.boolean(),
          used: few,
        }),
      ),
    ),
    told: fc.constantFrom('nothing' as const, 'limit' as const),
    closedUntil: fc.oneof(fc.constant(0), offset),
    probe: fc.option(fc.record({ holder, until: offset, pid: few }), { nil: undefined }),
    leases: fc.uniqueArray(fc.record({ holder, permits: few, opened: fc.constantFrom(0, -1000, -60_000) }), {
      selector: (lease) => lease.holder,
      maxLength: 4,
    }),
    waiting: fc.uniqueArray(fc.record({ holder, pid: few, since: offset, until: offset }), {
      selector: (waiter) => waiter.holder,
      maxLength: 4,
    }),
  });

type Drawn = ReturnType<typeof stateOf> extends fc.Arbitrary<infer Value> ? Value : never;

/** The lease of the first window has the time at which that window was opened. */
const at = (now: number, drawn: Drawn): BudgetState => {
  const time = (relative: number) => (relative === 0 ? 0 : now + relative);
  return {
    version: 1,
    told: drawn.told,
    windows: drawn.windows.map((window) => ({
      ...window,
      opened: time(window.opened),
      end: window.opened === 0 ? 0 : now + window.end,
    })),
    closedUntil: time(drawn.closedUntil),
    ...(drawn.probe === undefined ? {} : { probe: { ...drawn.probe, until: now + drawn.probe.until } }),
    leases: drawn.leases.map((lease) => ({
      ...lease,
      opened: lease.opened === 0 ? time(drawn.windows[0]!.opened) : now + lease.opened,
    })),
    waiting: drawn.waiting.map((each) => ({ ...each, since: now + each.since, until: now + each.until })),
  };
};

const stepAt = (now: number, drawn: Step): Step => {
  const moved = <Facts extends { sentAt: number; now: number }>(facts: Facts): Facts => ({
    ...facts,
    sentAt: now + facts.sentAt,
    now: now + facts.now,
  });
  if (drawn.do === 'settle') return moved(drawn);
  if (drawn.do === 'queue') return { ...drawn, until: now + drawn.until };
  return 'news' in drawn && drawn.news !== undefined ? { ...drawn, news: moved(drawn.news) } : drawn;
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
/** Lua writes an empty list as `{}`. */
const withLists = (state: BudgetState) => ({
  ...state,
  leases: Array.isArray(state.leases) ? state.leases : [],
  waiting: Array.isArray(state.waiting) ? state.waiting : [],
});

describeWith(redis)("the budget's script", () => {
  describe.each(engines)('on %s', (engine) => {
    let connection: RedisConnection;
    beforeAll(async () => {
      const { port } = await startRedis([], engine);
      connection = openConnection({ host: '127.0.0.1', port, isTls: false, database: 0 }, clock);
    });
    afterAll(() => connection.close());

    const serverNow = async () => {
      const [seconds, micros] = (await connection.command('TIME')) as [string, string];
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    };

    test.each(['general', 'bookings'] as const)(
      'makes the same steps as budget.ts: %s',
      async (kind) => {
        await fc.assert(
          fc.asyncProperty(stateOf(kind), step, async (drawnState, drawnStep) => {
            const about = await serverNow();
            const before = at(about, drawnState);
            const wanted = stepAt(about, drawnStep);
            await connection.command('SET', 'budget', JSON.stringify(before));
            const args = [JSON.stringify(wanted), JSON.stringify(windowsOf[kind]), '60000'];
            const [now, result] = (await connection.run(budgetScript, ['budget'], args)) as [number, string];
            const state = current(before, kind, now);
            const ours = applyStep(state, wanted, now);
            expect(JSON.parse(result)).toEqual(plain(ours));
            const stored = JSON.parse(String(await connection.command('GET', 'budget')));
            expect(withLists(stored)).toEqual(plain(state));
          }),
          runs(150, 1500),
        );
      },
      60_000,
    );

    const window = '{"length":60000,"limit":5,"opened":0,"end":0,"isSure":false,"used":0}';
    const withoutLists = `{"version":1,"windows":[${window}],"told":"nothing","closedUntil":0}`;
    test.each(['', 'nonsense', '{"version":2}', '{"version":1}', '[]', withoutLists])(
      'starts again from a stored value such as %j',
      async (value) => {
        await connection.command('SET', 'odd', value);
        const step: Step = { do: 'plan', limits: [5], isNews: false };
        const args = [JSON.stringify(step), JSON.stringify(windowsOf.general), '60000'];
        await connection.run(budgetScript, ['odd'], args);
        expect(JSON.parse(String(await connection.command('GET', 'odd')))).toMatchObject({ version: 1 });
      },
    );

    test('lets an untouched budget expire', async () => {
      const step: Step = { do: 'plan', limits: [5], isNews: false };
      await connection.run(budgetScript, ['short'], [JSON.stringify(step), '[60000]', '60000']);
      expect(Number(await connection.command('PTTL', 'short'))).toBeGreaterThan(50_000);
    });
  });
});
