import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { execFileSync } from './processes.ts';
import { temporaryDirectory } from './temporary.ts';
import { needs, pathOf } from './tools.ts';

const folder = temporaryDirectory('tools');
for (const name of ['first', 'second', 'plain']) writeFileSync(join(folder, name), '');
for (const name of ['first', 'second']) chmodSync(join(folder, name), 0o755);

const setEnvironment = (name: string, value: string) => {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
};

test('finds programs in PATH that can be run, and paths that exist', () => {
  setEnvironment('PATH', `/nonexistent:${folder}`);
  expect(pathOf('first')).toBe(join(folder, 'first'));
  expect(pathOf('missing|second')).toBe(join(folder, 'second'));
  expect(pathOf('plain')).toBeUndefined();
  expect(pathOf(join(folder, 'plain'))).toBe(join(folder, 'plain'));
  expect(pathOf('/nonexistent/plain')).toBeUndefined();
  expect(() => needs('first', 'second')).not.toThrow();
});

// R59
test('fails a test in CI and names the program', () => {
  setEnvironment('PATH', folder);
  setEnvironment('CI', 'true');
  expect(() => needs('first', 'jq', 'chromium|google-chrome')).toThrow(
    'This test needs jq and chromium or google-chrome',
  );
  expect(() => execFileSync('jq', ['.'])).toThrow('This test needs jq');
});
