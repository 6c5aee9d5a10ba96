import { afterAll, afterEach, expect } from 'vitest';
import { forgetOutput, takeLeaks } from './processes.ts';

// R12, for every test: what a process printed is searched when the test is over, and once more at the end of its file.
const search = () => expect(takeLeaks()).toEqual([]);
afterEach(search);
afterAll(() => {
  search();
  forgetOutput();
});
