import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createdAt } from '../../src/node/machine.ts';
import { systemProgram } from '../../src/windows.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** The directory of Windows with a PowerShell that runs this script. */
const windowsWith = (script: string) => {
  const SystemRoot = join(temporaryDirectory('windows'), 'Windows');
  const program = systemProgram('WindowsPowerShell\\v1.0\\powershell.exe', { SystemRoot });
  expect(basename(program)).toBe('Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { SystemRoot, folder: dirname(program) };
};

describe('the creation time of a process on Windows', () => {
  test('is what PowerShell says, in milliseconds since 1970, and PowerShell gets no secrets', async () => {
    const { SystemRoot } = windowsWith(
      'case "$*$SCHED_TOKEN$sched_token" in "-NoProfile -NonInteractive -Command (Get-Process -Id 4711)"*"FileTimeUtc()") ;; *) exit ;; esac\n' +
        'printf "133762752001234567\\r\\n"',
    );
    expect(await createdAt(4711, { SystemRoot, SCHED_TOKEN: 'x', sched_token: 'x' })).toBe(Date.UTC(2024, 10, 17, 0, 0, 0, 123));
  });

  test('is unknown if PowerShell fails or is missing', async () => {
    expect(await createdAt(4711, { SystemRoot: windowsWith('echo 13; exit 1').SystemRoot })).toBeUndefined();
    expect(await createdAt(4711, { SystemRoot: '/nonexistent' })).toBeUndefined();
  });
});
