import { expect, expectTypeOf, test } from 'vitest';
import type { Invocation } from '../../../src/cli/command.ts';
import { actions, actionValue, type ValuesOf } from '../../../src/cli/input/actions.ts';
import { howOf, input, readCall } from '../../../src/cli/input/input.ts';
import { count } from '../../../src/cli/input/kinds.ts';
import { Problems } from '../../../src/cli/messages/problems.ts';

const terminal = { isTerminal: false };

const callOf = (action?: string, value?: string): Invocation =>
  ({
    given: { action, value },
    problems: new Problems(),
    context: { settings: {}, runtime: { stdout: terminal, stderr: terminal, keyboard: terminal }, printer: {} },
  }) as unknown as Invocation;

const shown = ['action', 'value'].map((name) => ({ name, description: '' }));

const light = actions(
  shown,
  {
    dim: input({ value: count('', { most: 100, place: 'argument', needed: true }) }),
    off: input({ value: actionValue((text) => text !== '' && `off takes no value, not "${text}"`) }),
  },
  (given) => (given.action === 'half' ? { ...given, action: 'dim', value: '50' } : given),
);

test('the action decides what the next value is', async () => {
  expectTypeOf<Extract<ValuesOf<typeof light>, { action: 'dim' }>['value']>().toEqualTypeOf<number>();
  expectTypeOf<Extract<ValuesOf<typeof light>, { action: 'off' }>['value']>().toEqualTypeOf<string>();
  expect(await readCall(light, callOf('dim', '30'))).toEqual({ action: 'dim', value: 30 });
  expect(await readCall(light, callOf('off'))).toEqual({ action: 'off', value: '' });
  expect(await readCall(light, callOf())).toEqual({ action: undefined });
  expect(await readCall(light, callOf('half'))).toEqual({ action: 'dim', value: 50 });
});

test.each([
  [['dim', '101'], '<value> must be a whole number from 0 to 100, not "101"'],
  [['dim'], 'Missing argument <value>'],
  [['off', 'now'], 'off takes no value, not "now"'],
  [['on'], 'Unknown action "on". Use dim, off'],
  [['toString'], 'Unknown action "toString". Use dim, off'],
])('%j is refused in the words of its action', async ([action, value], problem) => {
  const call = callOf(action, value);
  await light.draft(call, howOf(call));
  expect(call.problems.texts).toEqual([problem]);
});

test('help lists the actions', () => {
  expect(light.arguments).toEqual([
    { name: 'action', description: '', choices: ['dim', 'off'] },
    { name: 'value', description: '' },
  ]);
});
