import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execFileSync } from '../support/processes.ts';
import { program, runner, sched, temporaryHome } from './program.ts';

test('doctor names the Node that runs the program, and fails on a problem', async () => {
  const home = temporaryHome();
  const config = join(home, '.config/sched');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  writeFileSync(join(config, 'config.json'), '{', { mode: 0o600 });
  const isNode = program.length > 0;
  const node = isNode && execFileSync(runner, ['--print', 'process.versions.node'], { encoding: 'utf8' }).trim();
  const { code, stdout } = await sched(['doctor', '--json'], home);
  expect(code).toBe(3);
  const findings = JSON.parse(stdout) as { check: string; status: string; finding: string }[];
  const of = (name: string) => findings.filter(({ check }) => check === name);
  expect(of('runtime')).toMatchObject([
    { status: 'ok', finding: `${isNode ? `Node ${node}` : 'standalone program'} on ${process.platform}` },
  ]);
  expect(of('configuration')).toMatchObject([
    { status: 'problem', finding: expect.stringContaining(join(config, 'config.json')) },
  ]);
});
