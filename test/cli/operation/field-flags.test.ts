import { expect, test } from 'vitest';
import { events } from '../../../src/api/events.ts';
import { fieldFlags } from '../../../src/cli/operation/field-flags.ts';

test('flags of fields are made once, however many commands share an operation', () => {
  expect(fieldFlags(events.list)).toBe(fieldFlags(events.list));
  expect(fieldFlags(events.list)).not.toEqual(fieldFlags(events.get));
});
