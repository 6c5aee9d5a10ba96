import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, compare, skipped } from './compare.ts';
import { load } from './load.ts';
import type { Figure } from './measurement.ts';
import { cpuHook, type RunningSandbox, startSandbox } from './programs.ts';

const rounds = 15;
const requests = 1000;

/** Enough for the engine to compile its hot code. */
const warmUp = 4000;

/** A clock that runs ten thousand times faster, so that requests are counted but never exceed the rate limit. */
const fastClock = `
const { now } = Date, started = now();
Date.now = () => started + (now() - started) * 10_000;
`;

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
  const servers: RunningSandbox[] = [];
  const started = async (build: string, name: string) => {
    const server = await startSandbox(home, preload, ['--data', join(home, `${name}.db`)], build);
    servers.push(server);
    const port = Number(new URL(server.base_url).port);
    return { used: server.used, port, paths: await pathsOf(port) };
  };
  try {
    const ours = await started(both.ours, 'ours');
    const other = await started(both.other, 'other');
    const figures: Figure[] = [];
    for (const name of Object.keys(ours.paths)) {
      const run = ({ port, used, paths }: typeof ours) => {
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
