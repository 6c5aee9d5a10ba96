import { describe, expect, test } from 'vitest';
import { createRecent, deliveryKey } from '../../../src/commands/webhooks/work-recent-deliveries.ts';
import { gate } from '../../support/gate.ts';
import { sample } from '../../support/webhooks.ts';

describe('recent: a delivery is known', () => {
  const key = (more: object) => deliveryKey({ ...sample(), ...more }, 'bytes');
  test('by event, URI of the payload and time', () => {
    expect(key({ created_by: 'somebody else' })).toBe(key({}));
    expect(key({ event: 'invitee.canceled' })).not.toBe(key({}));
    expect(key({ created_at: '2026-11-15T17:59:59.000000Z' })).not.toBe(key({}));
    expect(key({ payload: { uri: 'another' } })).not.toBe(key({}));
  });

  test('by its bytes if one of them is missing', () => {
    const odd = [{ payload: null }, { payload: {} }, { event: 5 }, { created_at: null }, { payload: 'text' }];
    for (const more of odd) {
      const content = { ...sample(), ...more };
      expect(deliveryKey(content, 'a')).toBe(deliveryKey(content, 'a'));
      expect(deliveryKey(content, 'a')).not.toBe(deliveryKey(content, 'b'));
    }
  });

  test('by names that run together in different ways', () => {
    expect(key({ event: 'a', payload: { uri: 'bc' } })).not.toBe(key({ event: 'ab', payload: { uri: 'c' } }));
  });
});

describe('recent', () => {
  const work = (results: boolean[]) => {
    const attempts: number[] = [];
    return {
      attempts,
      run: async (attempt: number) => {
        attempts.push(attempt);
        return results[attempts.length - 1]!;
      },
    };
  };

  test('handles an accepted delivery once', async () => {
    const recent = createRecent();
    const { attempts, run } = work([true]);
    expect(await recent.handle('a', run)).toEqual({ accepted: true, isDouble: false });
    expect(await recent.handle('a', run)).toEqual({ accepted: true, isDouble: true });
    expect(attempts).toEqual([1]);
  });

  test('handles a delivery again if it was not accepted, and counts', async () => {
    const recent = createRecent();
    const { attempts, run } = work([false, true]);
    expect(await recent.handle('a', run)).toEqual({ accepted: false, isDouble: false });
    expect(await recent.handle('a', run)).toEqual({ accepted: true, isDouble: false });
    expect(await recent.handle('a', run)).toEqual({ accepted: true, isDouble: true });
    expect(attempts).toEqual([1, 2]);
  });

  test('handles a delivery again if the first time threw', async () => {
    const recent = createRecent();
    await expect(recent.handle('a', () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped');
    expect(await recent.handle('a', async (attempt) => attempt === 2)).toEqual({ accepted: true, isDouble: false });
  });

  test.each([true, false])('lets a double wait for the first one, and share its result: %s', async (accepted) => {
    const recent = createRecent();
    const held = gate();
    const first = recent.handle('a', async () => {
      await held.promise;
      return accepted;
    });
    const second = recent.handle('a', () => Promise.reject(new Error('never called')));
    held.release();
    expect([await first, await second]).toEqual([
      { accepted, isDouble: false },
      { accepted, isDouble: true },
    ]);
  });

  test('knows what an earlier process has accepted, and keeps what it accepts itself', async () => {
    const added: string[] = [];
    const recent = createRecent({ keys: ['a'], add: async (key) => void added.push(key) });
    expect(await recent.handle('a', async () => true)).toEqual({ accepted: true, isDouble: true });
    await recent.handle('b', async () => true);
    await recent.handle('b', async () => true);
    await recent.handle('c', async () => false);
    expect(added).toEqual(['b']);
  });

  test('forgets the delivery that it has not seen for the longest time', async () => {
    const recent = createRecent(undefined, 2);
    const isDouble = async (key: string) => (await recent.handle(key, async () => true)).isDouble;
    expect([await isDouble('a'), await isDouble('b'), await isDouble('a'), await isDouble('c')]).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect([await isDouble('a'), await isDouble('c'), await isDouble('b')]).toEqual([true, true, false]);
  });
});
