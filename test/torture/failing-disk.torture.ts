import { describe, test } from 'vitest';
import { expectDocumentedEnd, failingCalls, useSimulator } from '../simulation/failing-disk.ts';

const simulator = useSimulator();

// R65
describe('each call of the disk that fails once, in each command that writes', () => {
  test.each(failingCalls)('$kind: $call number $number', (cell) => expectDocumentedEnd(simulator(), cell));
});
