import { describe, expect, test } from 'vitest';
import { bytesOf, cutText, fitRecord } from '../../../src/commands/mcp/shorten.ts';

describe('cutText', () => {
  test.each([
    ['short', 'short'],
    ['a\u001b[2Jb', 'a\\x1b[2Jb'],
    ['x'.repeat(2000), 'x'.repeat(2000)],
  ])('shows %j', (text, shown) => {
    expect(cutText(text)).toBe(shown);
  });

  test('says how long a text was', () => {
    expect(cutText('x'.repeat(100_000))).toBe(`${'x'.repeat(2000)}… [cut: 100000 characters]`);
  });

  test('stays short if all characters must be escaped', () => {
    expect(cutText('\u202e'.repeat(2000)).length).toBeLessThan(2100);
  });
});

describe('fitRecord', () => {
  const most = 4096;

  test('keeps a record that fits, and turns large numbers into text', () => {
    const record = { uri: 'x', at: null, list: [1, true, { name: 'y' }] };
    expect(fitRecord({ ...record, id: 12345678901234567890n }, most)).toEqual({
      ...record,
      id: '12345678901234567890',
    });
  });

  test('shortens long texts and lists', () => {
    const fitted = fitRecord({ text: 'x'.repeat(100_000), list: Array(5000).fill('item') }, most);
    expect(bytesOf(fitted)).toBeLessThanOrEqual(most);
    expect(fitted.text).toMatch(/^x+… \[cut: 100000 characters\]$/);
    expect((fitted.list as string[]).at(-1)).toBe('[cut: 5000 items]');
  });

  test('leaves out the largest fields if nothing else helps, and names them', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`field_${index}`, 'x'.repeat(500)]));
    const fitted = fitRecord({ uri: 'x', ...many }, most);
    expect(bytesOf(fitted)).toBeLessThanOrEqual(most + 1024);
    expect(fitted.uri).toBe('x');
    expect((fitted._left_out as string[]).slice(19)).toEqual([
      expect.stringMatching(/^field_\d+$/),
      expect.stringMatching(/^\d+ more fields$/),
    ]);
  });

  test('counts the fields of a record with too many', () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f${index}`, 1]));
    expect(fitRecord(many, most)._left_out).toEqual(['50 more fields']);
  });

  test('survives a value that is nested very deeply', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 5000; depth += 1) deep = [deep];
    expect(bytesOf(fitRecord({ deep }, most))).toBeLessThanOrEqual(most);
  });
});
