import { expect, test } from 'vitest';
import { createEventStore } from '../../../src/commands/mcp/event-store.ts';

test('a session keeps few messages, and few characters of them', async () => {
  const store = createEventStore();
  const add = (text: string) => store.storeEvent('stream', { jsonrpc: '2.0', id: text, result: {} });
  const isKept = async (id: string) => (await store.getStreamIdForEventId!(id)) !== undefined;
  const large = [await add('x'.repeat(600_000)), await add('x'.repeat(600_000))];
  expect(await Promise.all(large.map(isKept))).toEqual([false, true]);
  const small: string[] = [];
  for (let count = 0; count < 33; count += 1) small.push(await add('x'));
  expect(await Promise.all([large[1]!, small[0]!, small[1]!].map(isKept))).toEqual([false, false, true]);
});
