import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, type SuiteOptions, TestRunner, test } from 'vitest';

const canRun = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Where a program or an absolute path is, or undefined. `chromium|google-chrome` is whichever is found first. */
export const pathOf = (tool: string): string | undefined => {
  if (tool.startsWith('/')) return existsSync(tool) ? tool : undefined;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = tool.split('|');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
};

/** "needs jq and openssl", or undefined if this machine has all of these programs. */
const reasonFor = (tools: readonly string[]): string | undefined => {
  const missing = tools.filter((tool) => pathOf(tool) === undefined).map((tool) => tool.replaceAll('|', ' or '));
  return missing.length === 0 ? undefined : `needs ${missing.join(' and ')}`;
};

/** Skips the running test if a program is missing, and says which. In CI the test fails instead. */
export const needs = (...tools: string[]): void => {
  const reason = reasonFor(tools);
  if (reason === undefined) return;
  const running = TestRunner.getCurrentTest();
  if (process.env.CI || running === undefined) throw new Error(`This test ${reason}`);
  running.context.skip(reason);
};

type Body = () => void | Promise<void>;
type Describe = (title: string, ...rest: [Body] | [SuiteOptions, Body]) => void;

/** `describe` for tests whose hooks need these programs. Without them the tests are skipped, and fail in CI. */
export const describeWith = (...tools: string[]): Describe => {
  const reason = reasonFor(tools);
  return (title, ...rest) => {
    const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest;
    if (reason === undefined) describe(title, options, body);
    else if (!process.env.CI) describe.skip(`${title} (${reason})`, options, body);
    else test(title, () => expect.fail(`CI ${reason}`));
  };
};
