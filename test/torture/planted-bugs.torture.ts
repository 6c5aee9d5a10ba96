import { expect, inject, test } from 'vitest';
import { spawnSync } from '../support/processes.ts';

/** How many bugs are planted: the nightly run plants all. A slow or busy machine gets more than the usual minute. */
const flags = ['--sample', '6', '--seconds', '180'];

test('the simulator finds planted bugs', () => {
  const words = ['test/simulation/plant.js', ...flags, '--seed', inject('seed')];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  process.stdout.write(stdout);
  expect(status).toBe(0);
});
