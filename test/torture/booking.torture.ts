import { describe, expect, test } from 'vitest';
import { type FaultName, faults, loseAnswers, rightVerdicts } from '../cli/lost-answers.ts';

// R27
describe('200 bookings with lost replies', () => {
  test.each(Object.keys(faults) as FaultName[])(
    'are never booked twice and have the right verdicts: %s',
    async (name) => {
      const told = await loseAnswers(name, 200);
      process.stdout.write(`${name}: ${JSON.stringify(told)}\n`);
      expect(told).toEqual(rightVerdicts(name, 200));
    },
  );
});
