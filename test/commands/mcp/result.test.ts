import { describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { errorResult, mostBytes, notice, toolResult } from '../../../src/commands/mcp/result.ts';
import { bytesOf } from '../../../src/commands/mcp/shorten.ts';
import type { Tool } from '../../../src/commands/mcp/tools.ts';

// Each quote takes up to four bytes: it is escaped in the record, and again in the text.
const quotes = (count: number) => '"'.repeat(count);

// R52
describe('a result of many quotes has at most 32 KiB', () => {
  test('as a record', () => {
    const record = Object.fromEntries(Array.from({ length: 85 }, (_, index) => [`field_${index}`, quotes(100)]));
    const tool = { name: 'events_get', isList: false, isWrite: false, facts: { columns: [] } } as unknown as Tool;
    const outcome = { records: [record], places: [], notes: [] };
    const result = toolResult(outcome, { tool, values: {}, zone: 'UTC' });
    expect(bytesOf(result)).toBeLessThanOrEqual(mostBytes);
    expect(Object.keys(result.structuredContent.record as object).length).toBeGreaterThan(30);
  });

  test('as an error after some changes', () => {
    const error = new SchedError('usage', quotes(3000), { reason: quotes(3000) });
    const done = Array.from({ length: 30 }, () => ({ name: quotes(900), uri: 'x' }));
    const result = errorResult(error, done);
    expect(bytesOf(result)).toBeLessThanOrEqual(mostBytes);
    expect(result.structuredContent.items).toHaveLength(20);
    expect(result.structuredContent.left_out).toEqual(['10 rows left out: all of them were changed']);
  });
});

// R52
test('a list has its notes and rows after the notice, and counts the notes that it leaves out', () => {
  const tool = { name: 'events_list', isList: true, isWrite: false, facts: { columns: ['name'] } } as unknown as Tool;
  const notes = Array.from({ length: 7 }, (_, index) => `note ${index}`);
  const result = toolResult({ records: [{ name: 'a row' }], places: [], notes }, { tool, values: {}, zone: 'UTC' });
  const shown = [...notes.slice(0, 5), '… 2 more notes'];
  expect(result.structuredContent.notes).toEqual(shown);
  const [, fenced] = result.content[0]!.text.split(`${notice}\n`);
  expect(fenced!.split('\n')).toEqual([...shown, 'name', 'a row']);
});
