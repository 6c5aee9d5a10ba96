import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { jobsOf } from '../support/page-snippets.ts';
import { startRedis } from '../support/redis.ts';
import { few, isDeep } from '../support/tier.ts';
import { needs } from '../support/tools.ts';
import { farMonday, shell, startSandbox, temporaryHome, usedSandbox } from './program.ts';

/** Runs the shell steps of a workflow in a page, each as a runner does, with these files in its repository. */
const runJob = async (
  page: string,
  name: string,
  files: Record<string, string>,
  values: Record<string, string>,
): Promise<string> => {
  const { env = {}, steps } = jobsOf(page)[name]!;
  const home = temporaryHome();
  const folder = join(home, 'repository');
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const filled = (texts: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        values[key] ?? text.replace(/\$\{\{ (.*?) \}\}/g, (_, each) => values[each]!),
      ]),
    );
  for (const step of steps.filter(({ run }) => run !== undefined)) {
    const { code, stderr } = await shell(`cd ${folder}; set -eo pipefail; ${step.run}`, home, {
      CI: 'true',
      ...filled({ ...env, ...step.env }),
    });
    expect([step.run, code, stderr]).toEqual([step.run, 0, stderr]);
  }
  return folder;
};

describe('workflows in pages work with the sandbox', () => {
  // It reads every event of a team.
  test.runIf(isDeep)('docs/fleet.md: export', async () => {
    const [redis, sandbox] = [await startRedis(), await startSandbox('--no-limits')];
    const folder = await runJob(
      'docs/fleet.md',
      'export',
      {},
      {
        SCHED_BASE_URL: sandbox.base_url,
        SCHED_TOKEN: sandbox.token,
        SCHED_SHARED_STATE: redis.url,
        'matrix.team': 'Customer team',
      },
    );
    await sandbox.stop();
    const lines = readFileSync(join(folder, 'events-Customer team.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).uri).length).toBeGreaterThan(5);
  });

  few(1, {
    'docs/fleet.md: book': async () => {
      const data = await usedSandbox();
      const [redis, sandbox] = [await startRedis(), await startSandbox('--no-limits', '--data', data)];
      const line = `Support call,${farMonday()},eve@example.com,Eve,Europe/Paris`;
      const files = { 'bookings.csv': `event_type,start,email,name,timezone\n${line}\n` };
      await runJob('docs/fleet.md', 'book', files, {
        SCHED_BASE_URL: sandbox.base_url,
        SCHED_TOKEN: sandbox.token,
        SCHED_SHARED_STATE: redis.url,
      });
      await sandbox.stop();
      const database = await openDatabase(data);
      expect(database.all("SELECT id FROM invitees WHERE email = 'eve@example.com'")).toHaveLength(1);
      database.close();
    },
    'docs/sandbox.md: test': async () => {
      needs('npm');
      const manifest = { name: 'app', version: '1.0.0', scripts: { test: 'sched users me --json=name > user.json' } };
      const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
      const files = { 'package.json': JSON.stringify(manifest), 'package-lock.json': JSON.stringify(lock) };
      const folder = await runJob('docs/sandbox.md', 'test', files, {});
      expect(readdirSync(folder)).toContain('user.json');
      expect(JSON.parse(readFileSync(join(folder, 'user.json'), 'utf8'))).toEqual({ name: 'Amara Lindqvist' });
    },
  });
});
