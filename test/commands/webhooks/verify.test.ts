import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keyFile } from '../../support/listening.ts';
import { createWorld, machineDay, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryFile } from '../../support/temporary.ts';
import { sample, signed, signingKey } from '../../support/webhooks.ts';

const world = await createWorld({ env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
const body = `${JSON.stringify(sample())}\n`;
const file = keyFile();

const verify = (signature: string, flags: string[] = [], more: WorldOptions = {}) =>
  world.run(['webhooks', 'verify', '--signing-key-file', file, '--signature', signature, ...flags], {
    stdin: body,
    ...more,
  });

describe('webhooks verify', () => {
  test('says ok', async () => {
    expect(await verify(signed(body))).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '', requests: [] });
  });

  test('reads the exact bytes of a file', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x0d, 0x0a]);
    const path = temporaryFile('body');
    writeFileSync(path, bytes);
    expect(await verify(signed(bytes), ['--body', path])).toMatchObject({ code: 0, stdout: 'ok\n' });
    expect(await verify(signed(body), ['--body', '-'])).toMatchObject({ code: 0 });
  });

  test.each([
    ['forged', signed(body, machineDay, 'another key'), 'error: The signature is wrong'],
    ['forged', signed(body.trim()), 'error: The signature is wrong'],
    ['too old', signed(body, machineDay - 181_000), 'cause: it was made 3 minutes ago'],
    ['too old', signed(body, machineDay + 3600_000), 'cause: it was made 60 minutes in the future'],
    ['malformed', 'nonsense', "error: Can't read the signature"],
    ['malformed', '', "error: Can't read the signature"],
  ])('exits with 13 and says why: %s (%#)', async (verdict, header, words) => {
    const plain = await verify(header);
    expect([plain.code, plain.stdout]).toEqual([13, '']);
    expect(plain.stderr).toContain(words);
    const json = await verify(header, ['--json']);
    expect(json.code).toBe(13);
    expect(JSON.parse(json.stdout)).toMatchObject({ verdict });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'integrity' } });
  });

  test('accepts another tolerance', async () => {
    expect((await verify(signed(body, machineDay - 500_000), ['--tolerance', '10m'])).code).toBe(0);
    expect((await verify(signed(body, machineDay - 5_000), ['--tolerance', '1s'])).code).toBe(13);
  });

  test('reads the line of a header, by its name', async () => {
    expect((await verify(`webhook-signature: ${signed(body)}`)).code).toBe(0);
    expect((await verify(`X-Hook: ${signed(body)}`)).code).toBe(13);
    expect((await verify(`X-Hook: ${signed(body)}`, ['--signature-header', 'x-hook'])).code).toBe(0);
    expect((await verify(signed(body), ['--signature-header', 'x-hook'])).code).toBe(0);
    expect(await verify(signed(body), ['--signature-header', 'x hook'])).toMatchObject({ code: 2 });
  });

  test('prints facts as JSON', async () => {
    const { stdout } = await verify(signed(body, machineDay - 60_000), ['-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ verdict: 'ok', signed_at: '2025-10-11T17:59:00.000Z', age_seconds: 60 });
    expect((await verify(signed(body), ['--jq', '.verdict'])).stdout).toBe('ok\n');
  });

  test('never prints the key', async () => {
    const { stdout, stderr } = await verify(`t=1,v1=${signingKey}`);
    expect(stdout + stderr).not.toContain(signingKey);
  });

  test('reports missing flags, a missing key and a missing body', async () => {
    const { code, stderr } = await world.run('webhooks verify');
    expect(code).toBe(2);
    expect(stderr).toContain('--signing-key-file');
    expect(stderr).toContain('--signature');
    expect(await verify('x', ['--body', 'none.json'])).toMatchObject({ code: 3 });
    expect(await verify('x', ['--tolerance', 'soon'])).toMatchObject({ code: 2 });
    const typed = await verify('x', [], { terminals });
    expect(typed.code).toBe(2);
    expect(typed.stderr).toContain('Missing body');
    const keyless = await world.run('webhooks verify --signing-key-file none.key --signature x');
    expect(keyless.code).toBe(3);
  });
});
