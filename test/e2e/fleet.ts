import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { spawn } from '../support/processes.ts';
import { closeLater } from '../support/temporary.ts';
import { cleanEnvironment, type Finished, isStandalone, program, runner, temporaryHome } from './program.ts';

const preload = new URL('skewed.js', import.meta.url).href;
const dayMs = 86_400_000;

/** A machine with a home of its own and a clock that is ahead by `aheadMs`. The standalone program has the real time. */
export const startOn = (words: readonly string[], env: Record<string, string>, aheadMs = 0, home = temporaryHome()) => {
  const clock = isStandalone ? [] : ['--import', preload];
  const child = spawn(runner, [...clock, ...program, ...words], {
    env: cleanEnvironment(home, { ...env, AHEAD_MS: String(aheadMs) }),
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
    });
  const ended = new Promise<Finished>((resolve) => {
    child.once('close', (code) => resolve({ code, ...out }));
  });
  return { child, ended };
};

/** Machines that run the same command at once. Their clocks are up to a day apart. */
export const fleet = (count: number, words: readonly string[], env: Record<string, string>): Promise<Finished[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) => {
      const aheadMs = count === 1 ? 0 : Math.round((index / (count - 1) - 0.5) * dayMs);
      return startOn(words, env, aheadMs).ended;
    }),
  );

/** A proxy in front of Redis that holds all replies back while `isHeld` says so. */
export const slowProxy = async (port: number, isHeld: () => boolean): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => {}).on('close', () => sockets.delete(each));
    }
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.pipe(onward);
    onward.on('data', (chunk) => {
      if (!isHeld()) socket.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** A booking at the small service. */
export const fleetBooking = (email = 'ada@engine.example'): string[] => [
  ...['invitees', 'create', '--event-type', 'http://127.0.0.1/event_types/YBL6DUNR9FS4PNP6'],
  ...['--start', '2099-02-01T10:00:00Z', '--email', email, '--name', 'Ada', '--timezone', 'UTC', '--json'],
];

/** A listing of so many pages of the small service, by a known user: nothing is asked before. */
export const fleetPages = (pages: number): string[] => ['events', 'list', '--limit', String(pages * 100), '-o', 'id'];
export const fleetUser = { SCHED_USER: 'http://127.0.0.1/users/U', SCHED_ORG: 'http://127.0.0.1/organizations/O' };
