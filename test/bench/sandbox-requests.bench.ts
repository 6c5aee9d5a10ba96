import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './load.ts';
import { besideWithCpu, interleave, type Measurement, type Spent } from './measurement.ts';

/** Many short rounds in turn, so that other load on the machine affects both. */
const rounds = 31;
const round = { milliseconds: 150 };

/** Enough for the engine to compile its hot code. A number, not a time, so that slow machines warm up, too. */
const warmUp = { requests: 10_000 };

const start = async (...words: string[]) => {
  const child = fork(join(import.meta.dirname, 'server.js'), words);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message))).once('exit', () => reject(new Error('no server')));
  });
  const used = () =>
    new Promise<number>((resolve) => {
      child.once('message', (told) => resolve(Number(told)));
      child.send('used');
    });
  return { port, used, stop: () => child.kill() };
};

type Server = Awaited<ReturnType<typeof start>>;

/** Requests per second, and requests per second of CPU time. */
const rate = async ({ port, used }: Server, path: string): Promise<Spent> => {
  const before = await used();
  const wall = await load(port, path, round);
  return { wall, cpu: (wall * round.milliseconds * 1000) / ((await used()) - before) };
};

const ask = async (port: number, path: string) => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer sandbox_owner' } });
  const body = await reply.text();
  if (reply.status !== 200) throw new Error(body);
  return { body, resource: JSON.parse(body).resource };
};

/** The sandbox with a file and its rate limit, compared to a bare server that sends exactly the same bytes. */
export const measure = async (): Promise<Measurement[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const sandbox = await start('sandbox', join(directory, 'sandbox.db'));
  const compare = async (name: string, path: string, least: number): Promise<Measurement> => {
    const { body } = await ask(sandbox.port, path);
    const bare = await start('bare', body);
    await load(bare.port, path, warmUp);
    await load(sandbox.port, path, warmUp);
    const took = await interleave({ bare: () => rate(bare, path), ours: () => rate(sandbox, path) }, rounds);
    bare.stop();
    return besideWithCpu(name, 'requests/s', took.ours, took.bare, { least });
  };
  try {
    const { resource: me } = await ask(sandbox.port, '/users/me');
    const list = `/scheduled_events?user=${encodeURIComponent(me.uri)}&count=20`;
    const event = JSON.parse((await ask(sandbox.port, list)).body).collection[0].uri;
    return [
      await compare('sandbox: one resource, beside bare node:http', new URL(event).pathname, 0.25),
      await compare('sandbox: a page of 20, beside bare node:http', list, 0.15),
    ];
  } finally {
    sandbox.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};
