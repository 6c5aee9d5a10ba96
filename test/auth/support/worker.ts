/**
 * A command or its helper as a separate process, for the refresh tests. Bundled by `build-worker.ts`. The plan is in
 * the environment, which the helper inherits.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { usualServer } from '../../../src/auth/auth-server.ts';
import { goLine, refreshHelperFor, runRefreshHelper } from '../../../src/auth/refresh-helper.ts';
import { createSession, credentialLock } from '../../../src/auth/session.ts';
import { openCredentialStore } from '../../../src/auth/stores.ts';
import type { SchedError } from '../../../src/base/errors.ts';
import type { Send } from '../../../src/http/message.ts';
import { nodeRuntime } from '../../../src/node/runtime.ts';
import { helperArgument, type World } from '../../../src/runtime.ts';
import type { HeldLock, Lock } from '../../../src/state/lock.ts';
import { directory } from '../../../src/state/paths.ts';
import { untilChange } from '../../support/changes.js';
import type { Plan } from './build-worker.ts';
import { fingerprint, machineIn } from './memory.ts';

const plan = JSON.parse(process.env.WORKER_PLAN!) as Plan;

const role = process.argv[2] === helperArgument ? 'helper' : 'command';

/** Logs that the process reached this point. If the plan says so, the first to get here is sent a signal. */
const note = (event: string) => {
  appendFileSync(plan.log, `${event} ${process.pid}\n`);
  if (plan.ends?.at !== `${role} ${event}`) return;
  try {
    mkdirSync(`${plan.log}.ended`);
  } catch {
    return;
  }
  // A terminal sends signals to the command's whole process group.
  process.kill(role === 'command' ? -process.pid : process.pid, plan.ends.signal);
};

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

const real = nodeRuntime();
/** Logs the signals that reach the real program, after it has handled them. SIGHUP does only while work is protected. */
const noteSignal = (signal: NodeJS.Signals) => note(signal);
const protectAndNote: World['protect'] = (work) =>
  real.protect(async () => {
    process.on('SIGHUP', noteSignal);
    try {
      return await work();
    } finally {
      process.off('SIGHUP', noteSignal);
    }
  });
if (plan.real) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, noteSignal);

const world: World = {
  ...real,
  machine: { ...machineIn(plan.home), program: [process.execPath, process.argv[1]!] },
  sendToEnd: async (request) => {
    note('send');
    const reply = await (plan.real ? real.sendToEnd : post)(request);
    note('bought');
    return reply;
  },
  startChild: async (...command) => {
    if (plan.noKeeper) throw new Error('no helper');
    const helper = await real.startChild(...command);
    note('started');
    return {
      ...helper,
      say: (line) => {
        helper.say(line);
        if (line === goLine) note('told');
      },
    };
  },
  ...(plan.real
    ? { protect: protectAndNote }
    : { interrupted: new AbortController().signal, protect: (work) => work() }),
};

const shortly = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
const locks = join(directory('state', { ...real, env: {}, home: plan.home }), 'locks');
const lockPause = plan.isCrowded ? untilChange(locks) : shortly;

/** For the lock: logs the first times that it is held by another process, and looks again without waiting for a time. */
let retries = 0;
const retrying: World = {
  ...world,
  clock: {
    ...world.clock,
    sleep: async (_, signal) => {
      retries += 1;
      if (retries <= 10) note('retry');
      await lockPause(signal);
    },
  },
};
/** A random pause, if the plan wants pauses. */
const pause = async (most: number) => {
  if (plan.pauses) await world.clock.sleep(Math.random() * most);
};

const noting: typeof openCredentialStore = async (...where) => {
  const store = await openCredentialStore(...where);
  return {
    ...store,
    write: async (...args) => {
      await store.write(...args);
      note('stored');
    },
  };
};

/** Logs when the process takes and releases the lock, with random pauses. */
const noted = (lock: Lock): Lock => {
  const inside = async (held: HeldLock | undefined): Promise<HeldLock | undefined> => {
    if (held === undefined) return undefined;
    note('enter');
    await pause(30);
    let isOurs = true;
    return {
      keep: held.keep,
      release: async () => {
        await pause(10);
        if (isOurs) note('leave');
        await held.release();
        if (isOurs) note('left');
      },
      handOver: async (...heir) => {
        note('hand');
        isOurs = false;
        const isDone = await held.handOver(...heir);
        note('handed');
        await pause(10);
        return isDone;
      },
    };
  };
  return {
    acquire: async (stillNeeded) => {
      note('wait');
      return inside(await lock.acquire(stillNeeded));
    },
    adopt: async (nonce) => inside(await lock.adopt(nonce)),
  };
};

const noLock: Lock = {
  acquire: async () => ({ keep: async () => true, release: async () => {}, handOver: async () => true }),
  adopt: async () => undefined,
};

const work = async () => {
  const store = await noting(plan.store, world, plan.config);
  const session = createSession({
    ...world,
    key: plan.key,
    server: usualServer(plan.key.issuer),
    store,
    lock: plan.withoutLock ? noLock : noted(credentialLock(plan.key, retrying)),
    helper: plan.helper
      ? refreshHelperFor(
          { key: plan.key, server: usualServer(plan.key.issuer), store: plan.store, config: plan.config },
          world,
        )
      : undefined,
    mayRefresh: true,
  });

  let stopped = false;
  const words = createInterface({ input: process.stdin });
  const begin = new Promise<void>((resolve) => {
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
      const tried = await store.read(plan.key);
      try {
        await session.refresh(await session.current());
        note('renewed');
      } catch (error) {
        if ((error as SchedError).category !== 'auth') throw error;
        // The login was lost with a killed process. The test logs in again.
        note('lost');
        while (!stopped && (await store.read(plan.key))?.refresh_token === tried?.refresh_token)
          await new Promise(setImmediate);
      }
    }
  };

  try {
    process.stdout.write('ready\n');
    await begin;
    if (plan.churn) await churn();
    else {
      const { token } = await session.current();
      process.stdout.write(`${plan.leaks ? token : fingerprint(token)}\n`);
    }
  } catch (error) {
    process.stdout.write(`failed: ${(error as Error).message} ${JSON.stringify((error as SchedError).facts)}\n`);
    process.exitCode = 1;
  }
  words.close();
  process.stdin.destroy();
};

const help = async () => {
  note('begun');
  await runRefreshHelper(world.parentProcess!(), world, {
    open: noting,
    lock: (...which) => noted(credentialLock(...which)),
  });
  note('gone');
};

void (role === 'helper' ? help() : work());
