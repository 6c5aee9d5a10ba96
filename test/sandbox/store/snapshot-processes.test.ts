import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../scripts/bundle.js';
import { openSandbox, type Sandbox } from '../../../src/sandbox/open.ts';
import { serve } from '../../../src/sandbox/server/http-server.ts';
import { execFile, spawn } from '../../support/processes.ts';
import { seededFile } from '../../support/seeded.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { random, times } from '../../support/tier.ts';
import { until } from '../../support/until.ts';
import { noon } from '../world.ts';

const clock = { now: () => Date.now() };
const folder = temporaryDirectory('worker');
const worker = join(folder, 'worker.js');
beforeAll(async () => {
  const input = fileURLToPath(new URL('snapshot-worker.ts', import.meta.url));
  await bundle({ input: { worker: input }, dir: folder });
});

/** A sandbox with two snapshots, in which all names and the time differ. */
const openTwoWorlds = async (): Promise<{ file: string; sandbox: Sandbox }> => {
  const file = await seededFile(noon);
  const sandbox = await openSandbox({ file, clock, limits: false });
  const { store } = sandbox;
  for (const [world, year] of [
    ['B', 2032],
    ['A', 2031],
  ] as const) {
    for (const table of ['users', 'events', 'invitees', 'routing_forms'])
      store.run(`UPDATE ${table} SET doc = json_set(doc, '$.name', ? || substr(doc ->> 'name', 2))`, world);
    store.run(
      `UPDATE events SET doc = json_set(doc, '$.event_memberships', (SELECT json_group_array(
         json_set(m.value, '$.user_name', ? || 'x')) FROM json_each(events.doc, '$.event_memberships') m))`,
      world,
    );
    store.run(`UPDATE routing_forms SET doc = replace(doc, '"name":"', ?)`, `"name":"${world}`);
    sandbox.clock.set(Date.UTC(year, 5));
    sandbox.snapshots.save(world);
  }
  return { file, sandbox };
};

/** The first letters of all names. */
const lettersIn = ({ store }: Sandbox): string =>
  store
    .all<{ letter: string }>(
      `SELECT substr(doc ->> 'name', 1, 1) AS letter FROM users UNION SELECT substr(doc ->> 'name', 1, 1) FROM events
       UNION SELECT substr(doc ->> 'name', 1, 1) FROM invitees ORDER BY 1`,
    )
    .map(({ letter }) => letter)
    .join('');

describe('snapshots', () => {
  test('are restored under load: each reply belongs to one world', { timeout: 300_000 }, async () => {
    const { file, sandbox } = await openTwoWorlds();
    const server = await serve(sandbox.service, { port: 0 });
    const places = times(1, 2) === 1 ? [file, server.url] : [file, file, server.url, server.url];
    const clients = Promise.all(places.map((place) => execFile(process.execPath, [worker, 'ask', file, place])));
    const ready = () => readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.ready-`));
    await Promise.race([until(() => ready().length === places.length), clients]);
    for (let turn = 0; turn < times(4, 1_000); turn += 1) {
      await sandbox.snapshots.restore(turn % 2 === 0 ? 'A' : 'B');
      // Requests that came meanwhile are answered now.
      await new Promise(setImmediate);
    }
    writeFileSync(`${file}.done`, '');
    for (const { stdout } of await clients) {
      const seen = JSON.parse(stdout);
      expect(Object.keys(seen).filter((world) => !['A', 'B'].includes(world))).toEqual([]);
      expect((seen.A ?? 0) + (seen.B ?? 0)).toBeGreaterThan(2);
    }
    await server.close();
    sandbox.close();
  });

  test('are whole or absent after a kill, and so is the data', { timeout: 300_000 }, async () => {
    const { file, sandbox } = await openTwoWorlds();
    sandbox.close();
    for (let kill = 0; kill < times(1, 100); kill += 1) {
      const lines = 1 + Math.floor(random() * 6);
      await new Promise<void>((resolve, reject) => {
        const child = spawn(process.execPath, [worker, 'replace', file]);
        let seen = 0;
        child.stdout.on('data', async (chunk: Buffer) => {
          seen += chunk.toString().split('\n').length - 1;
          if (seen < lines) return;
          // At any moment of the next step.
          for (let turns = random() * 1_000; turns > 0; turns -= 1) await new Promise(setImmediate);
          child.kill('SIGKILL');
        });
        child.on('close', (_, signal) => (signal === 'SIGKILL' ? resolve() : reject(new Error('the worker failed'))));
      });
      const opened = await openSandbox({ file, clock });
      expect(lettersIn(opened)).toMatch(/^[AB]$/);
      for (const { name } of opened.snapshots.list()) {
        await opened.snapshots.restore(name);
        expect(lettersIn(opened)).toMatch(name === 'copy' ? /^[AB]$/ : name);
        expect(opened.store.first('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
      }
      opened.close();
      expect(readdirSync(`${file}.snapshots`).filter((name) => !/^(A|B|copy)\.db$|^draft-/.test(name))).toEqual([]);
      expect(existsSync(`${file}-journal`)).toBe(false);
    }
  });
});
