import { expect, test } from 'vitest';
import { spawnSync } from '../support/processes.ts';

const run = (script: string, ...flags: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${script}`, ...flags], { encoding: 'utf8' });
  return { status, stdout, stderr };
};

test.each(['release.js', 'standalone.js'])('%s prints its usage with --help', (script) => {
  expect(run(script, '--help')).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: npm run /), stderr: '' });
});

test('a script says in words what is wrong', () => {
  expect(run('release.js')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^error: --tag must be v\S+, the version in package\.json\n$/),
  });
  for (const script of ['release/check.js', 'tour.js'])
    expect(run(script, 'no-such-folder')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: ENOENT: .*no-such-folder.*\n$/),
    });
  expect(run('standalone.js', '--fetc')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^error: Unknown option '--fetc'.*\n$/),
  });
});
