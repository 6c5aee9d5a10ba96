import { describe, expect, test } from 'vitest';
import { type FaultName, faults, loseAnswers, rightVerdicts } from '../cli/lost-answers.ts';

// R27
describe('bookings whose answer is lost, 200 times', () => {
  test.each(Object.keys(faults) as FaultName[])('%s: never booked twice, and every verdict right', async (name) => {
    const told = await loseAnswers(name, 200);
    process.stdout.write(`${name}: ${JSON.stringify(told)}\n`);
    expect(told).toEqual(rightVerdicts(name, 200));
  });
});
