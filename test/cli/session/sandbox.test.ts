import { expect, test } from 'vitest';
import { sandboxDataError } from '../../../src/cli/session/sandbox.ts';
import { unusable } from '../../../src/sandbox/database.ts';

const hintFor = (error: Error, options: Parameters<typeof sandboxDataError>[2] = { data: './data.db' }) =>
  sandboxDataError(error, '/data.db', options).facts.hint;

test('data is thrown away only where that helps', () => {
  for (const error of [unusable('made by a newer version'), new Error('database disk image is malformed')])
    expect(hintFor(error)).toBe('sched sandbox reset --data ./data.db');
  for (const words of ['database or disk is full', 'Too many open files (os error 24)', 'database is locked'])
    expect(hintFor(new Error(words))).toBe('name another file with --data');
});

test('what is to be reset is named as a shell reads it, with the seed that was asked for', () => {
  const error = unusable('The data was seeded with "demo", not "empty".');
  expect(hintFor(error, { data: 'my data.db', world: { kind: 'empty' } })).toBe(
    "sched sandbox reset --data 'my data.db' --seed empty",
  );
  expect(hintFor(error, {})).toBe('sched sandbox reset');
});
