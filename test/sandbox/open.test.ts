import { chmodSync, copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.js';
import { openSandbox } from '../../src/sandbox/open.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { execFile } from '../support/processes.ts';
import { seededFile } from '../support/seeded.ts';
import { temporaryDirectory, temporaryFile } from '../support/temporary.ts';
import { times } from '../support/tier.ts';
import { amara, eventType, freeMonday, noon, organization, system } from './world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const booking = {
  method: 'POST',
  url: 'http://127.0.0.1:4010/invitees',
  headers: { authorization: 'Bearer sandbox_owner', 'content-type': 'application/json' },
  body: JSON.stringify({
    event_type: eventType('intro-call'),
    start_time: `${freeMonday}T08:00:00Z`,
    invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
  }),
};

const me = { method: 'GET', url: 'http://127.0.0.1:4010/users/me', headers: { authorization: 'Bearer sandbox_owner' } };

describe('open', () => {
  const clock = system;

  it('seeds a new private file once and reports its age', async () => {
    const file = temporaryFile('new/sandbox.db');
    const first = await openSandbox({ file, clock });
    expect(first.seedAgeDays).toBe(0);
    expect(JSON.parse((await first.service(me)).body).resource.uri).toBe(amara);
    expect((await first.service(booking)).status).toBe(200);
    first.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const later = await openSandbox({ file, clock: { now: () => system.now() + 36 * 3_600_000 } });
    expect(later.seedAgeDays).toBe(1.5);
    expect((await later.service(booking)).status).toBe(409);
    later.close();
  });

  it('resets the data for all open handles', async () => {
    const file = await seededFile(noon);
    const one = await openSandbox({ file, clock });
    const two = await openSandbox({ file, clock });
    expect((await one.service(booking)).status).toBe(200);
    expect((await two.service(booking)).status).toBe(409);
    two.reset({ world: 'empty' });
    expect((await one.service(booking)).status).toBe(404);
    one.close();
    two.close();
  });

  it('uses the given plan when opening and on every reset, also in memory', async () => {
    const sandbox = await openSandbox({ file: ':memory:', clock, plan: 'trial', world: 'empty' });
    const ask = async (path: string) => {
      const reply = await sandbox.service({ ...me, url: new URL(path, me.url).href });
      return { status: reply.status, ...JSON.parse(reply.body) };
    };
    const log = `/activity_log_entries?organization=${encodeURIComponent(organization)}`;
    const expectTrial = async () => {
      expect((await ask(new URL(organization).pathname)).resource).toMatchObject({ plan: 'trial', stage: 'trial' });
      expect(await ask(log)).toMatchObject({ status: 403, title: 'Permission Denied' });
    };
    await expectTrial();
    sandbox.reset();
    await expectTrial();
    sandbox.close();
  });

  it('names records under the address of the server with this data, else the usual one, if asked to', async () => {
    const sandbox = await openSandbox({ file: await seededFile(noon), clock, usualOrigin: 'http://127.0.0.1:4010' });
    const ask = async () => {
      const reply = await sandbox.service({ ...me, url: 'http://127.0.0.1:50001/users/me' });
      return new URL(JSON.parse(reply.body).resource.uri).origin;
    };
    expect(await ask()).toBe('http://127.0.0.1:4010');
    sandbox.serving = { url: 'http://127.0.0.1:8123', secret: 's' };
    expect(await ask()).toBe('http://127.0.0.1:8123');
    sandbox.close();
  });

  it('makes a file private that others could read, and the files beside it', async () => {
    const file = await seededFile(noon);
    writeFileSync(`${file}-wal`, '');
    for (const path of [file, `${file}-wal`]) chmodSync(path, 0o644);
    const sandbox = await openSandbox({ file, clock });
    await sandbox.service(booking);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(`${file}${suffix}`).mode & 0o777).toBe(0o600);
    sandbox.close();
  });

  // Only root can create a device, and change its mode.
  it.runIf(process.getuid?.() === 0)('leaves the mode of a device alone', async () => {
    const device = temporaryFile('null');
    await execFile('mknod', ['-m', '666', device, 'c', '1', '3']);
    await openSandbox({ file: device, clock }).catch(() => {});
    expect(statSync(device).mode & 0o777).toBe(0o666);
  });

  describe('a copy', () => {
    const running = async () => {
      const file = await seededFile(noon);
      const sandbox = await openSandbox({ file, clock });
      sandbox.serving = { url: 'http://127.0.0.1:8123', secret: 's' };
      expect((await sandbox.service(booking)).status).toBe(200);
      return { file, sandbox, copy: temporaryFile() };
    };

    it('of a running sandbox without its log is refused', async () => {
      const { file, sandbox, copy } = await running();
      copyFileSync(file, copy);
      await expect(openSandbox({ file: copy, clock })).rejects.toMatchObject({
        code: 'SANDBOX_FILE',
        message: expect.stringContaining('a copy of a sandbox that was running'),
      });
      sandbox.close();
    });

    it('with the log has all changes, and no server', async () => {
      const { file, sandbox, copy } = await running();
      copyFileSync(file, copy);
      copyFileSync(`${file}-wal`, `${copy}-wal`);
      sandbox.close();
      for (const time of ['first', 'second']) {
        const opened = await openSandbox({ file: copy, clock });
        expect([time, opened.serving, (await opened.service(booking)).status]).toEqual([time, undefined, 409]);
        opened.close();
      }
    });

    it('of a sandbox that was stopped is complete', async () => {
      const { file, sandbox, copy } = await running();
      sandbox.serving = undefined;
      sandbox.close();
      copyFileSync(file, copy);
      const opened = await openSandbox({ file: copy, clock });
      expect((await opened.service(booking)).status).toBe(409);
      opened.close();
    });

    it('is not needed after a kill: the file itself stays usable', async () => {
      const { file, sandbox } = await running();
      sandbox.close();
      const opened = await openSandbox({ file, clock });
      expect((await opened.service(booking)).status).toBe(409);
      opened.close();
    });

    it('without any content is refused and stays as it is', async () => {
      const file = temporaryFile();
      const database = await openDatabase(file);
      database.useLog();
      const copy = temporaryFile();
      copyFileSync(file, copy);
      database.close();
      const { size } = statSync(copy);
      expect(size).toBeGreaterThan(0);
      await expect(openSandbox({ file: copy, clock })).rejects.toThrow('a database without content');
      expect(statSync(copy).size).toBe(size);
    });
  });

  it('seeds once and books a slot once if several processes open a new file at the same time', async () => {
    const directory = temporaryDirectory('race');
    const source = `
      import { openSandbox } from '${root}/src/sandbox/open.ts';
      let seeds = 0;
      const clock = { now: () => (seeds++, ${noon}) };
      const race = async () => {
        const sandbox = await openSandbox({ file: process.argv[2], clock });
        const seeded = seeds > 0;
        const { status } = await sandbox.service(${JSON.stringify(booking)});
        console.log(JSON.stringify({ seeded, status }));
        sandbox.close();
      };
      race();`;
    const entry = join(directory, 'racer.ts');
    writeFileSync(entry, source);
    await bundle({ input: { racer: entry }, dir: directory });
    const file = join(directory, 'sandbox.db');
    const outputs = await Promise.all(
      Array.from({ length: times(2, 6) }, () => execFile(process.execPath, [join(directory, 'racer.js'), file])),
    );
    const results = outputs.map(({ stdout }) => JSON.parse(stdout) as { seeded: boolean; status: number });
    expect(results.filter(({ seeded }) => seeded)).toHaveLength(1);
    const [booked, ...others] = results.map(({ status }) => status).sort();
    expect([booked, others]).toEqual([200, others.map(() => 409)]);
  }, 20_000);
});
