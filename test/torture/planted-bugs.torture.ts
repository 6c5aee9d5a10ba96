import { expect, inject, test } from 'vitest';
import { spawnSync } from '../support/processes.ts';

/** How many bugs are planted. The nightly run plants all. */
const count = 6;

test('the simulator finds planted bugs', () => {
  const words = ['test/simulation/plant.js', '--sample', String(count), '--seed', inject('seed')];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  process.stdout.write(stdout);
  expect(status).toBe(0);
});
