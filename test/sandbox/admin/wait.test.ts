import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { hasFields, isMark, markOf, type WaitKind, waitFor } from '../../../src/sandbox/admin/wait.ts';

const delivery = (number: number, more: object = {}) => ({
  number,
  event: 'invitee.created',
  url: 'http://127.0.0.1:8080/',
  state: 'delivered',
  attempts: [{ status: 200 }],
  ...more,
});

/** A sandbox whose lists are what `at` returns for each turn. The time is over in the last turn. */
const waiting = (turns: Json[][], kind: WaitKind, matches: (record: Json) => boolean, since?: string) => {
  let turn = 0;
  let endTime = () => {};
  const asked: string[] = [];
  const time = new Promise<void>((resolve) => {
    endTime = resolve;
  });
  const clock = {
    sleep: async (milliseconds: number) => {
      if (milliseconds === 10_000) return time;
      turn += 1;
      if (turn === turns.length - 1) endTime();
      // The limit is noticed before the next turn.
      await new Promise(setImmediate);
    },
  };
  const ask = async (path: string): Promise<Json> => {
    asked.push(path);
    if (path === 'mark') return { mark: '3.0.0' };
    const after = Number(path.split('=')[1]);
    const list = turns[turn]!.filter(({ number }) => Number(number) > after).reverse();
    return { deliveries: list, notices: list, log: list };
  };
  return waitFor(kind, matches, { since, timeoutMs: 10_000, clock, ask }).then((result) => ({ ...result, asked }));
};

describe('waitFor', () => {
  test('finds the first one that comes, and that was sent', async () => {
    const early = delivery(4, { attempts: [] });
    const result = await waiting(
      [[delivery(3)], [delivery(3), early], [delivery(3), delivery(4), delivery(5)]],
      'delivery',
      () => true,
    );
    expect(result).toMatchObject({ found: { number: 4, attempts: [{ status: 200 }] } });
  });

  test('looks at a record again that did not match before', async () => {
    const result = await waiting(
      [[delivery(4, { state: 'waiting' })], [delivery(4)]],
      'delivery',
      ({ state }) => state === 'delivered',
    );
    expect(result).toMatchObject({ found: { number: 4 } });
  });

  test('counts what came after a mark', async () => {
    const result = await waiting([[delivery(2), delivery(3)]], 'delivery', () => true, '1.0.0');
    expect(result).toMatchObject({ found: { number: 2 }, asked: ['mark', 'deliveries?since=1'] });
    await expect(waiting([[]], 'delivery', () => true, '9.0.0')).rejects.toThrow('older than the last restore');
  });

  test('says what came instead', async () => {
    const other = delivery(4, { event: 'invitee.canceled', state: 'failed' });
    expect(await waiting([[], [other]], 'delivery', ({ event }) => event === 'invitee.created')).toMatchObject({
      missed: '1 other delivery came: invitee.canceled to http://127.0.0.1:8080/ (failed)',
    });
    expect(await waiting([[], []], 'delivery', () => true)).toMatchObject({
      missed: 'No delivery came while it waited',
    });
    expect(await waiting([[], []], 'notice', () => true, '0.0.0')).toMatchObject({
      missed: 'No notice came after the mark',
    });
    const pending = { number: 1, method: 'GET', path: '/users/me', status: null, milliseconds: null };
    const asked = { number: 2, method: 'GET', path: '/groups', status: 200, milliseconds: 1 };
    expect(await waiting([[], [pending, asked]], 'request', () => false)).toMatchObject({
      missed: '1 other request came: GET /groups (200)',
    });
  });

  test('compares fields: objects may have more, lists may not', () => {
    const record = { a: 1, b: { c: 'x', d: null }, e: [{ f: 1 }] };
    for (const fields of [{}, { a: 1 }, { b: { c: 'x' } }, { b: { d: null } }, { e: [{ f: 1 }] }])
      expect([fields, hasFields(record, fields)]).toEqual([fields, true]);
    for (const fields of [{ a: '1' }, { b: { c: 'y' } }, { g: null }, { e: [] }, { e: [{}] }, { b: 'x' }])
      expect([fields, hasFields(record, fields)]).toEqual([fields, false]);
  });

  test('knows a mark', () => {
    expect(isMark(markOf({ delivery: 3, notice: 0, request: 41 }))).toBe(true);
    for (const text of ['', '3', '1.2', '1.2.3.4', '1.2.x', '-1.2.3', ' 1.2.3']) expect(isMark(text)).toBe(false);
  });
});
