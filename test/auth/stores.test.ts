import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { credentialKey, credentialName, recordFromToken } from '../../src/auth/credential.ts';
import { openCredentialStore } from '../../src/auth/stores.ts';
import { startChild } from '../../src/node/children.ts';
import { clock as realClock } from '../../src/node/clock.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { everythingIn, machineIn, random } from './support/memory.ts';
import { canary } from './support/oauth-server.ts';

let config: string;
beforeEach(() => {
  config = temporaryDirectory('file-store');
});

const record = { ...recordFromToken(`${canary}-pat`, { origin: 'https://api.example.com', now: 1 }), owner: 'Zoë' };
const key = credentialKey(record);
const open = () =>
  openCredentialStore(
    'file',
    { env: {}, platform: 'linux', clock: realClock, machine: machineIn('/'), randomBytes: random, startChild },
    config,
  );
const folder = () => join(config, 'credentials');

describe('file store', () => {
  test('writes, reads and removes credentials, each in its own 0600 file', async () => {
    const store = await open();
    await store.probe();
    expect(readdirSync(folder())).toEqual([]);
    expect(await store.read(key)).toBeUndefined();
    await store.write(key, record);
    await store.write({ ...key, user: 'other' }, record);
    expect(await store.read(key)).toEqual(record);
    expect(readdirSync(folder())).toHaveLength(2);
    expect(statSync(join(folder(), `${credentialName(key)}.json`)).mode & 0o777).toBe(0o600);
    expect(await store.remove(key)).toBe(true);
    expect(await store.remove(key)).toBe(false);
    expect(readdirSync(folder())).toHaveLength(1);
  });

  test('removes the drafts of a killed writer', async () => {
    const store = await open();
    await store.write(key, record);
    writeFileSync(join(folder(), `${credentialName(key)}.json.dead`), `${canary}-old`);
    await store.write(key, record);
    expect(readdirSync(folder())).toEqual([`${credentialName(key)}.json`]);
  });

  test('reports a damaged credential without quoting it, and leaves it unchanged', async () => {
    const store = await open();
    await store.write(key, record);
    for (const text of [canary, '{}', `{"version":2,"access_token":"${canary}"}`, '']) {
      writeFileSync(join(folder(), `${credentialName(key)}.json`), text);
      const error = await store.read(key).catch((reason) => reason);
      expect(error).toMatchObject({ category: 'environment' });
      expect(error.message).toContain('damaged');
      expect(everythingIn(error)).not.toContain(canary);
      expect(readdirSync(folder())).toHaveLength(1);
    }
  });

  test('fails the probe if nothing can be written', async () => {
    writeFileSync(folder(), '');
    await expect((await open()).probe()).rejects.toMatchObject({ category: 'environment' });
  });
});
