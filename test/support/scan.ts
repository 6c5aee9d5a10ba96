import { afterAll, afterEach, expect } from 'vitest';
import { forgetOutput, takeLeaks } from './processes.ts';

// R12, for every test: searches the output of processes after the test, and again at the end of its file.
const search = () => expect(takeLeaks()).toEqual([]);
afterEach(search);
afterAll(() => {
  search();
  forgetOutput();
});
