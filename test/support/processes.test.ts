import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWorker, startWorker } from '../auth/support/build-worker.ts';
import { renewalWorld } from '../auth/support/renewal.ts';
import { cleanEnvironment, program, runner, sched, schedInTerminal, shell, temporaryHome } from '../e2e/program.ts';
import { addCanary } from './canary.ts';
import { execFile, execFileSync, spawn, spawnSync, takeLeaks } from './processes.ts';
import { temporaryDirectory } from './temporary.ts';
import { inTerminal } from './terminal.ts';
import { few, sample } from './tier.ts';
import { needs } from './tools.ts';

const token = 'canary-token-0123456789';
/** A secret that only the search knows, because the program would redact its own. */
const leaked = 'canary-name-01234567890';

const service = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ resource: { uri: 'https://api.example.com/users/U', name: leaked } }));
});
let env: Record<string, string>;
let home: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  env = { SCHED_TOKEN: token, SCHED_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
  home = temporaryHome();
  addCanary(leaked);
});
afterAll(() => service.close());

const line = ['users', 'me', '--json'];
const found = /^R12: .*stdout holds a secret of 23 characters, plain/;

/** Removes the found leaks, which would otherwise fail this test too. */
const expectCaught = (pattern = found) => expect(takeLeaks()).toContainEqual(expect.stringMatching(pattern));

const closed = (child: ReturnType<typeof spawn>) => new Promise((resolve) => child.once('close', resolve));

// R12
describe('processes: a deliberate leak by the real program is caught', () => {
  const words = () => [...program, ...line];
  const options = () => ({ env: cleanEnvironment(home, env) });

  few(1, {
    'through the usual helpers, which fail at once': async () => {
      needs('bash', 'script');
      await Promise.all([
        expect(sched(line, home, env)).rejects.toThrow(found),
        expect(shell(`sched ${line.join(' ')}`, home, env)).rejects.toThrow(found),
        expect(schedInTerminal(line, home, env).done).rejects.toThrow(found),
      ]);
      expect(takeLeaks()).toHaveLength(3);
    },
    'through spawn': async () => {
      const child = spawn(runner, words(), options());
      // Only the search and the test read its output.
      child.stdout.resume();
      await closed(child);
      expectCaught();
    },
    'through spawn, if the output is inherited': async () => {
      const leak = `printf ${token.slice(0, 9)} >&2; printf ${token.slice(9)} >&2`;
      const child = spawn('sh', ['-c', leak], { ...options(), stdio: ['ignore', 'ignore', 'inherit'] });
      await closed(child);
      expectCaught(/stderr holds a secret of 23/);
    },
    'through spawn, before the process has ended': async () => {
      const child = spawn('sh', ['-c', `echo ${token}; cat`], options());
      await new Promise((resolve) => child.stdout.once('data', resolve));
      expectCaught();
      child.kill('SIGKILL');
    },
    'through spawn, in the middle of a long output': async () => {
      const much = 'head -c 700000 /dev/zero';
      const child = spawn('sh', ['-c', `${much}; printf ${token}; ${much}; ${much}`], options());
      child.stdout.resume();
      await closed(child);
      expectCaught();
    },
    'in a terminal': async () => {
      await inTerminal(['echo', token], cleanEnvironment(home, env)).done;
      expectCaught();
    },
    'through execFile': async () => {
      await execFile('echo', [token], options());
      expectCaught();
      await expect(execFile('sh', ['-c', `echo ${token} >&2; exit 1`], options())).rejects.toThrow();
      expectCaught(/stderr holds a secret of 23/);
    },
  });
  test('through spawnSync and execFileSync', () => {
    spawnSync('echo', [token], options());
    expectCaught();
    execFileSync('echo', [token], options());
    expectCaught();
    expect(() => execFileSync('sh', ['-c', `echo ${token}; exit 1`], options())).toThrow();
    expectCaught();
  });

  test('even if the secret becomes known after it was printed', () => {
    execFileSync('echo', ['late-canary-0123456789']);
    expect(takeLeaks()).toEqual([]);
    addCanary('late-canary-0123456789');
    expectCaught(/stdout holds a secret of 22/);
  });

  const ways = {
    plain: async () => (await sched(['auth', 'token'], home, env)).stdout,
    'in a terminal': async () =>
      (await inTerminal([runner, ...program, 'auth', 'token'], cleanEnvironment(home, env)).done).text,
  };
  test.each(sample(Object.entries(ways), 1))(
    'unless the command is auth token, which prints it on purpose: %s',
    async (_, run) => {
      expect(await run()).toBe(`${token}\n`);
      expect(takeLeaks()).toEqual([]);
    },
  );
});

describe('processes: a deliberate leak by a worker is caught', () => {
  test('with a token of its login', async () => {
    const { plan, socket } = await renewalWorld(temporaryDirectory('renewal'));
    const worker = startWorker(await buildWorker(), { ...plan, leaks: true });
    worker.say('go');
    expect((await worker.done).code).toBe(0);
    expectCaught(/stdout holds a secret of \d+ characters, plain/);
    await socket.close();
  });
});
