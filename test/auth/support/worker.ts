/** A process of its own for the tests of renewal. Its one argument is a JSON plan; bundled by `build-worker.ts`. */
import { appendFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { createSession, lockOf } from '../../../src/auth/session.ts';
import { openStore } from '../../../src/auth/stores.ts';
import type { SchedError } from '../../../src/errors.ts';
import type { Send } from '../../../src/http/message.ts';
import { nodeRuntime } from '../../../src/runtime.ts';
import type { Lock } from '../../../src/state/lock.ts';
import type { Plan } from './build-worker.ts';
import { machineIn, random, realClock } from './memory.ts';

const plan = JSON.parse(process.argv[2]!) as Plan;

const note = (event: string) => appendFileSync(plan.log, `${event} ${process.pid}\n`);
const between = (low: number, high: number) => low + Math.random() * (high - low);

const post: Send = (request) =>
  new Promise((resolve, reject) => {
    const { pathname } = new URL(request.url);
    const outgoing = httpRequest(plan.server + pathname, { method: 'POST', agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: { 'content-type': 'application/json' }, body }),
      );
    });
    outgoing.on('error', reject).end(request.body);
  });

const machine = machineIn(plan.home);
const platform = process.platform;
const runtime = plan.real ? nodeRuntime() : undefined;
const interrupted = runtime?.interrupted ?? new AbortController().signal;
const world = { env: process.env, platform, clock: realClock, machine, randomBytes: random };
const real = await openStore(plan.store, world, plan.config);
const store = {
  ...real,
  write: async (...args: Parameters<typeof real.write>) => {
    await real.write(...args);
    note('stored');
  },
};
const locked = lockOf(plan.key, { platform, clock: realClock, machine, interrupted, randomBytes: random });
const noLock: Lock = { acquire: async () => ({ release: async () => {} }) };
const noted: Lock = {
  acquire: async (stillNeeded) => {
    const held = await locked.acquire(stillNeeded);
    if (held === undefined) return undefined;
    note('enter');
    if (plan.churn) await realClock.sleep(between(0, 30));
    return {
      release: async () => {
        if (plan.churn) await realClock.sleep(between(0, 10));
        note('leave');
        await held.release();
      },
    };
  },
};
const session = createSession({
  key: plan.key,
  store,
  lock: plan.withoutLock ? noLock : noted,
  clock: realClock,
  sendToEnd: (request) => {
    note('send');
    return (runtime?.sendToEnd ?? post)(request);
  },
  protect: runtime?.protect ?? ((work) => work()),
  interrupted,
  mayRefresh: true,
});

let stopped = false;
const words = createInterface({ input: process.stdin });
const go = new Promise<void>((resolve) => {
  words.on('line', (line) => {
    if (line === 'go') resolve();
    if (line === 'stop') stopped = true;
  });
  words.on('close', () => {
    stopped = true;
  });
});

const churn = async () => {
  while (!stopped) {
    try {
      await session.renew(await session.current());
      note('renewed');
    } catch (error) {
      if ((error as SchedError).category !== 'auth') throw error;
      // The login was lost with a killed process; the test logs in again.
      await realClock.sleep(200);
    }
  }
};

try {
  process.stdout.write('ready\n');
  await go;
  if (plan.churn) await churn();
  else process.stdout.write(`${(await session.current()).token}\n`);
} catch (error) {
  process.stdout.write(`failed: ${(error as Error).message} ${JSON.stringify((error as SchedError).facts)}\n`);
  process.exitCode = 1;
}
words.close();
process.stdin.destroy();
