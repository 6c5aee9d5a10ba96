import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpReply, Send } from '../../src/http/message.ts';
import { rateLimit } from '../../src/http/rate-limit.ts';
import { clock as realClock } from '../../src/node/clock.ts';
import { ownerToken } from '../../src/sandbox/oauth/ready-tokens.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import type { Plan } from '../../src/sandbox/rules/subscription.ts';
import type { BudgetStore } from '../../src/state/budget-store.ts';
import { redisBudgets } from '../../src/state/redis/budgets.ts';
import { openConnection } from '../../src/state/redis/redis-client.ts';
import { createServerClock } from '../../src/state/redis/server-clock.ts';
import { createSharedBudget } from '../../src/state/shared-budget.ts';
import { simulatedClock, simulatedProcess } from '../state/simulation.ts';
import { engines, startRedis } from '../support/redis.ts';
import { tidyUp } from '../support/temporary.ts';
import { type Figure, median } from './measurement.ts';

const rounds = 15;
const pages = 400;
/** The most a page may cost on average if no other process sends requests. */
const mostMs = 0.3;

const request = {
  method: 'GET',
  url: 'https://api.example.com/scheduled_events?count=100',
  headers: { authorization: 'Bearer a-token-of-the-bench' },
};

/** A service that replies at once and counts down from 500. */
const answering = (): Send => {
  let left = 500;
  return async (): Promise<HttpReply> => {
    left -= 1;
    const headers = {
      'x-ratelimit-limit': '500',
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-reset': '60',
    };
    return { status: 200, headers, body: '' };
  };
};

const timeOf = async (send: Send): Promise<number> => {
  const started = performance.now();
  for (let page = 0; page < pages; page += 1) await send(request);
  return (performance.now() - started) / pages;
};

/** The rate-limit layer with its files or Redis, compared to requests without it. */
const perPage = async (place: { directory: string } | { remote: BudgetStore }): Promise<number> => {
  const clock = { now: () => Date.now(), sleep: () => Promise.reject(new Error('unexpected wait')) };
  const budget = createSharedBudget({
    ...place,
    clock,
    holder: 'bench',
    pid: process.pid,
    timeoutMs: 30_000,
    pacePerMinute: 500,
    onTrouble: (reason) => {
      throw new Error(reason);
    },
    onRemoteTrouble: (reason) => {
      throw new Error(reason);
    },
  });
  const { signal: interrupted } = new AbortController();
  const layer = rateLimit({ clock, random: Math.random, maxWaitMs: 0, interrupted, budget, onWait: () => {} });
  const bare = await timeOf(answering());
  const ours = await timeOf(layer(answering()));
  const sent = performance.now();
  await budget.close();
  return ours - bare + (performance.now() - sent) / pages;
};

const redisName = 'budget: a page, shared through Redis on loopback and uncontended';

const throughRedis = async (): Promise<Figure> => {
  if (engines.length === 0) return { name: redisName, skipped: 'needs redis-server or valkey-server' };
  const redis = await startRedis();
  const connection = openConnection({ host: '127.0.0.1', port: redis.port, isTls: false, database: 0 }, realClock);
  try {
    const costs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await connection.command('FLUSHALL');
      const clock = createServerClock(realClock);
      costs.push(await perPage({ remote: redisBudgets({ connection, clock, host: 'bench' }) }));
    }
    const value = median(costs);
    return { name: redisName, unit: 'ms', value, reference: mostMs, ratio: value / mostMs, target: { most: 1 } };
  } finally {
    connection.close();
    await redis.stop();
    tidyUp();
  }
};

/** How much of a token's limit busy processes use, measured with the built-in sandbox and its clock. */
const use = async (plan: Plan, limit: number, processes: number, windows: number) => {
  const { clock, run } = simulatedClock();
  const sandbox = await openSandbox({ file: ':memory:', clock, plan });
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const times: number[] = [];
  let refused = 0;
  const send: Send = async (asked) => {
    await clock.sleep(20 + Math.random() * 40);
    const reply = await sandbox.service({ ...asked, url: 'http://127.0.0.1:4010/users/me' });
    if (reply.status === 429) refused += 1;
    else times.push(clock.now());
    await clock.sleep(20 + Math.random() * 40);
    return reply;
  };
  // Plus one request, which opens the window after the last one.
  let left = limit * windows + 1;
  const work = async () => {
    const client = simulatedProcess(clock, send, directory);
    while (left > 0) {
      left -= 1;
      const { status } = await client.send({ headers: { authorization: `Bearer ${ownerToken}` } });
      if (status !== 200) throw new Error(`status ${status}`);
    }
    await client.budget.close();
  };
  try {
    await run(Promise.all(Array.from({ length: processes }, work)));
  } finally {
    sandbox.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
  const minutes = (times[limit * windows]! - times[0]!) / 60_000;
  return { perMinute: (limit * windows) / minutes, refused };
};

export const measure = async (): Promise<Figure[]> => {
  const measurements: Figure[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  try {
    const costs: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      costs.push(await perPage({ directory: join(directory, String(round)) }));
    const value = median(costs);
    measurements.push({
      name: 'budget: a page, shared through files and uncontended',
      unit: 'ms',
      value,
      reference: mostMs,
      ratio: value / mostMs,
      target: { most: 1 },
    });
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
  measurements.push(await throughRedis());
  for (const [plan, limit, processes, windows] of [
    ['enterprise', 500, 1, 4],
    ['enterprise', 500, 8, 4],
    ['free', 10, 1, 10],
    ['free', 10, 8, 10],
  ] as const) {
    const { perMinute, refused } = await use(plan, limit, processes, windows);
    const whose = `budget: ${limit} a minute, ${processes} ${processes === 1 ? 'process' : 'processes'}`;
    const share = { unit: '/min', value: perMinute, reference: limit, ratio: perMinute / limit };
    measurements.push({ name: `${whose}, used`, ...share, target: { least: 0.95 } });
    measurements.push({
      name: `${whose}, refused`,
      unit: '429s',
      value: refused,
      reference: 0,
      ratio: refused,
      target: { most: 0 },
    });
  }
  return measurements;
};
