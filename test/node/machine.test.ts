import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { machine } from '../../src/node/machine.ts';

test('helpers are started with our own program, whatever program uses it as a library', () => {
  const program = fileURLToPath(new URL('../../bin/sched.js', import.meta.url));
  expect(machine.program).toEqual([process.execPath, program]);
  expect(existsSync(program)).toBe(true);
});
