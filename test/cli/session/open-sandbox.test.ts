import { expect, test } from 'vitest';
import { the, words } from '../../../src/base/words.ts';
import { sandboxDataError } from '../../../src/cli/session/open-sandbox.ts';
import { unusable } from '../../../src/sandbox/store/database.ts';

const hintFor = (error: Error, options: Parameters<typeof sandboxDataError>[2] = { data: './data.db' }) =>
  sandboxDataError(error, '/data.db', options).facts.hint;

test('sandboxDataError suggests a reset only if that helps', () => {
  for (const error of [unusable('made by a newer version'), new Error('database disk image is malformed')])
    expect(hintFor(error)).toBe('sched sandbox reset --data ./data.db');
  for (const problem of ['database or disk is full', 'Too many open files (os error 24)', 'database is locked'])
    expect(sandboxDataError(new Error(problem), '/data.db', { data: './data.db' }).facts).toMatchObject({
      advice: words`use another file with ${the('data')}`,
    });
});

test('sandboxDataError suggests a command with shell quoting and the requested seed', () => {
  const error = unusable('The data was seeded with "demo", not "empty".');
  expect(hintFor(error, { data: 'my data.db', world: 'empty' })).toBe(
    "sched sandbox reset --data 'my data.db' --seed empty",
  );
  expect(hintFor(error, {})).toBe('sched sandbox reset');
});
