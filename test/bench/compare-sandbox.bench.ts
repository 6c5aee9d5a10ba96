import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, compare, skipped } from './compare.ts';
import { load } from './load.ts';
import type { Figure } from './measurement.ts';
import { cleanEnvironment, cpuHook } from './programs.ts';

const rounds = 15;
const requests = 1000;

/** Enough for the engine to compile its hot code. */
const warmUp = 4000;

/** A clock that runs ten thousand times faster, so that requests are counted but never exceed the rate limit. */
const fastClock = `
const { now } = Date, started = now();
Date.now = () => started + (now() - started) * 10_000;
`;

interface Server {
  port: number;
  /** Microseconds of CPU time so far. */
  used(): Promise<number>;
  stop(): void;
}

const start = async (build: string, home: string, preload: string): Promise<Server> => {
  const words = ['sandbox', 'start', '--port', '0', '--data', join(home, 'sandbox.db'), '--json'];
  const child = fork(join(build, 'bin/sched.js'), words, {
    env: cleanEnvironment(home),
    execArgv: ['--require', preload],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const line = await new Promise<string>((done, fail) => {
    child.once('exit', (code) => fail(new Error(`the sandbox of ${build} exited with code ${code}`)));
    child.stdout!.once('data', (text) => done(String(text)));
  });
  const used = () =>
    new Promise<number>((done) => {
      child.once('message', (told: { used: number }) => done(told.used));
      child.send('used');
    });
  // The open channel keeps a process that ends in order waiting.
  return { port: Number(new URL(JSON.parse(line).base_url).port), used, stop: () => void child.kill('SIGKILL') };
};

const ask = async (port: number, path: string) => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: 'Bearer sandbox_owner' } });
  if (reply.status !== 200) throw new Error(await reply.text());
  return (await reply.json()) as { resource: { uri: string }; collection: Array<{ uri: string }> };
};

/** The path of one event, and of the page that it is on. */
const pathsOf = async (port: number): Promise<Record<string, string>> => {
  const { resource: me } = await ask(port, '/users/me');
  const page = `/scheduled_events?user=${encodeURIComponent(me.uri)}&count=20`;
  const { uri } = (await ask(port, page)).collection[0]!;
  return { 'one resource': new URL(uri).pathname, 'a page of 20': page };
};

export const measure = async (): Promise<Figure[]> => {
  const both = builds();
  if (both === undefined) return skipped('sandbox');
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const preload = join(home, 'hook.cjs');
  writeFileSync(preload, fastClock + cpuHook);
  const servers: Server[] = [];
  const started = async (build: string, name: string) => {
    const server = await start(build, join(home, name), preload);
    servers.push(server);
    return { server, paths: await pathsOf(server.port) };
  };
  try {
    const ours = await started(both.ours, 'ours');
    const other = await started(both.other, 'other');
    const figures: Figure[] = [];
    for (const name of Object.keys(ours.paths)) {
      const run = ({ server: { port, used }, paths }: typeof ours) => {
        return async (count = requests) => {
          const before = await used();
          await load(port, paths[name]!, { requests: count });
          return ((await used()) - before) / count;
        };
      };
      const runs = { ours: run(ours), other: run(other) };
      for (const each of [runs.ours, runs.other]) await each(warmUp);
      figures.push(await compare(`sandbox: ${name}`, 'µs', runs, rounds));
    }
    return figures;
  } finally {
    for (const each of servers) each.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
