import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, network } from '../../support/run.ts';
import { startServing } from '../../support/serving.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const yaml = `sandbox: 1
organization: { name: Fjord Dental }
users:
  nora: { name: Nora Quist, timezone: Europe/Oslo, event_types: { check-up: { name: Check-up, duration: 20 } } }
events: [{ type: check-up, start: tomorrow 10:00, invitees: [{ name: Ada, email: ada@hall.example }] }]
`;

let world: Awaited<ReturnType<typeof createWorld>>;
let [file, data] = ['', ''];
beforeEach(async () => {
  const home = temporaryDirectory();
  world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' }, send: network });
  [file, data] = [join(home, 'world.yaml'), join(home, 'sandbox.db')];
  writeFileSync(file, yaml);
});

const reset = (...flags: string[]) => world.run(['sandbox', 'reset', '--data', data, '--yes', ...flags]);
const exported = async () => (await world.run(['sandbox', 'export', '--data', data])).stdout;

describe('sandbox --seed FILE', () => {
  test('and --now fill the data, and export writes them', async () => {
    expect((await reset('--seed', file, '--now', '2026-11-30T08:00:00Z')).code).toBe(0);
    const { stdout, stderr } = await world.run(['sandbox', 'export', '--data', data]);
    expect(stdout).toContain('  - type: nora/check-up\n    start: "2026-12-01T09:00:00Z"\n');
    expect(stderr).toContain('Left out: logins, tokens');
    writeFileSync(file, stdout);
    await reset('--seed', file, '--now', '2026-11-30T08:00:00Z');
    expect(await exported()).toBe(stdout);
    const json = await world.run(['sandbox', 'export', '--data', data, '-o', 'json']);
    expect(JSON.parse(json.stdout).users.nora.name).toBe('Nora Quist');
  });

  test('can read every file of export, which refuses a larger one and names snapshots', async () => {
    await reset('--seed', 'large:1500');
    const { code, stdout, stderr } = await world.run(['sandbox', 'export', '--data', data, '-o', 'json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('The data is larger than 1 MiB');
    expect(stderr).toContain('sched sandbox snapshot save NAME');
  });

  test('reports a broken file with its lines, and leaves the data alone', async () => {
    await reset('--seed', file);
    const before = await exported();
    writeFileSync(file, yaml.replace('duration', 'durration').replace('timezone', 'timezne'));
    const { code, stderr } = await reset('--seed', file);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${file} has 2 problems\n  ${file}:4:`);
    expect(stderr).toContain('"durration" is not a field here. Did you mean duration?\n');
    expect(await exported()).toBe(before);
    expect((await reset('--seed', join(file, 'none.yaml'))).stderr).toContain("--seed: can't read");
    expect((await reset('--seed', 'wrold')).stderr).toContain('or a file such as world.yaml, not "wrold"');
    expect((await reset('--now', 'soon')).stderr).toContain('--now: ');
  });

  test('refuses data of another version of the file, or of another time', async () => {
    const now = ['--now', '2026-11-30T08:00:00Z'];
    await reset('--seed', file, ...now);
    const start = (...flags: string[]) => world.run(['sandbox', 'start', '--data', data, '--port', '0', ...flags]);
    expect((await start('--now', '2026-11-30T09:00:00Z')).stderr).toContain(
      'The data was seeded for 2026-11-30T08:00:00.000Z',
    );
    writeFileSync(file, yaml.replace('20', '25'));
    const { code, stderr } = await start('--seed', file);
    expect(code).toBe(3);
    expect(stderr).toContain(`another version of "${file}"`);
    expect(stderr).toContain(`try: sched sandbox reset --data ${data} --seed ${file}\n`);
  });

  test('gives tokens to the first user of each role, and is exported by a running sandbox', async () => {
    const { text, stop } = await startServing(world.run, ['--json', '--data', ':memory:', '--seed', file]);
    const { base_url, admin_token, tokens } = JSON.parse(text);
    expect(Object.keys(tokens)).toEqual(['owner', 'read_only', 'events_only', 'legacy']);
    const env = { SCHED_BASE_URL: base_url, SCHED_SANDBOX_ADMIN: admin_token };
    const inside = await createWorld({ env, send: network });
    const listed = JSON.parse((await inside.run(['sandbox', 'tokens', '--json=token,user'])).stdout);
    expect(listed[0]).toEqual({ token: 'sandbox_owner', user: 'Nora Quist' });
    writeFileSync(file, (await inside.run(['sandbox', 'export'])).stdout);
    expect(readFileSync(file, 'utf8')).toContain('name: Fjord Dental');
    expect((await inside.run(['sandbox', 'reset', '--yes', '--seed', 'empty'])).code).toBe(0);
    const headers = { 'x-sandbox-admin': admin_token };
    const post = (body: string) => fetch(`${base_url}/__sandbox/world`, { method: 'POST', headers, body });
    const wrong = await post('sandbox: 2');
    expect([wrong.status, ((await wrong.json()) as { message: string }).message]).toEqual([
      400,
      expect.stringContaining('world:1:10: sandbox must be 1'),
    ]);
    expect((await post(readFileSync(file, 'utf8'))).status).toBe(200);
    expect((await inside.run(['sandbox', 'export'])).stdout).toBe(readFileSync(file, 'utf8'));
    await stop();
  });

  test('has a JSON Schema for editors, which docs/ contains too', async () => {
    const { stdout } = await world.run(['sandbox', 'export', '--schema']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('docs/world.schema.json', 'utf8')));
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' });
  });
});
