import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, network, someday } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld({ env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' }, send: network });
});

describe('sandbox snapshot', () => {
  test('saves, lists, restores and deletes, with a running sandbox on the same data', async () => {
    const file = await seededFile(someday);
    const { text } = await startServing(world.run, ['--json', '--data', file]);
    const { base_url, token } = JSON.parse(text);
    const run = (line: string) => world.run(`sandbox snapshot ${line} --data ${file}`);
    const env = { SCHED_BASE_URL: base_url, SCHED_TOKEN: token };
    const groups = async () => (await world.run('groups list -o id', { env })).stdout;
    expect(await run('')).toMatchObject({ code: 0, stdout: '', stderr: 'No snapshots found\n' });
    expect(JSON.parse((await run('save base --json')).stdout)).toMatchObject({
      name: 'base',
      bytes: expect.any(Number),
    });
    const before = await groups();
    await world.run(`sandbox reset --seed empty --yes --data ${file}`);
    expect([before.split('\n').length > 3, await groups()]).toEqual([true, '']);
    const asked = await run('restore base');
    expect([asked.code, asked.stderr]).toEqual([12, expect.stringContaining('--yes')]);
    expect((await run('restore base --yes')).code).toBe(0);
    expect(await groups()).toBe(before);
    expect((await run('list -o id')).stdout).toBe('base\n');
    expect((await run('delete base --yes')).stderr).toBe('snapshot deleted: base\n');
    const wrong = await run('save a/b');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('name must be 1 to 64 letters')]);
    const missing = await run('restore base --yes');
    expect([missing.code, missing.stderr]).toEqual([6, expect.stringContaining(`The snapshot "base" doesn't exist`)]);
  });

  test('says with exit 3 that a snapshot is damaged, and leaves the data as it is', async () => {
    const file = await seededFile(someday);
    const run = (line: string) => world.run(`sandbox ${line} --data ${file}`);
    await run('snapshot save base');
    await run('clock set now');
    truncateSync(`${file}.snapshots/base.db`, 400_000);
    expect(await run('snapshot restore base --yes')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(
        `error: Can't restore the snapshot "base"\ncause: The snapshot can't be restored, so the data stays as it was: `,
      ),
    });
    expect(JSON.parse((await run('clock --json')).stdout)).toMatchObject({ offset_seconds: 0 });
    rmSync(`${file}.snapshots`, { recursive: true });
    writeFileSync(`${file}.snapshots`, '');
    expect(await run('snapshot save base')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("cause: The snapshot can't be saved: EEXIST"),
    });
  });

  test('uses the sandbox in the environment, whose data may be in memory', async () => {
    const { text } = await startServing(world.run, ['--json', '--data', ':memory:', '--seed', 'empty']);
    const { base_url, admin_token } = JSON.parse(text);
    const run = (line: string) =>
      world.run(`sandbox ${line}`, { env: { SCHED_BASE_URL: base_url, SCHED_SANDBOX_ADMIN: admin_token } });
    const clock = async (line: string) => JSON.parse((await run(`clock ${line} --json`)).stdout);
    expect(await clock('freeze')).toMatchObject({ frozen: true, data: ':memory:' });
    await run('snapshot save base');
    expect(await clock('resume')).toMatchObject({ frozen: false });
    await run('snapshot restore base --yes');
    expect(await clock('')).toMatchObject({ frozen: true });
    expect((await run('snapshot list')).stdout).toContain('base\t');
  });

  test('refuses a wrong action, a missing name and data that ends', async () => {
    const lines = ['save', 'restore --yes', 'list base', 'undo', 'save base --data :memory:'].map(
      (line) => `snapshot ${line}`,
    );
    for (const line of [...lines, 'clock freeze 2h', 'clock resume now'])
      expect((await world.run(`sandbox ${line}`)).code, line).toBe(2);
  });
});
