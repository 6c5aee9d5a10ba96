import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCredentialStore } from '../../src/auth/stores.ts';
import { startChild } from '../../src/node/children.ts';
import { clock } from '../../src/node/clock.ts';
import { machineIn, random } from '../auth/support/memory.ts';
import { type ChildProcess, spawn } from './processes.ts';
import { temporaryDirectory } from './temporary.ts';

/** For `describeWith`. */
export const secretService = ['dbus-daemon', 'gnome-keyring-daemon'] as const;

/** A running keychain. */
export interface Daemon {
  /** Stops it with a signal: it neither replies nor exits. */
  halt(): void;
  stop(): Promise<void>;
}

export interface SecretService {
  /** Environment variables that a program needs to find it. */
  env: Record<string, string>;
  /** Its home directory. */
  folder: string;
  /** Starts the keychain on the bus, which has none at first. It works when the promise resolves. */
  unlock(): Promise<Daemon>;
  /** Starts it without the password of the keyring that an earlier keychain created. */
  startLocked(): Promise<Daemon>;
  stop(): Promise<void>;
}

const end = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
};

/** A private session bus that starts no services itself, with a real keychain on demand. */
export const startSecretService = async (): Promise<SecretService> => {
  const folder = temporaryDirectory('secrets');
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
  const children: ChildProcess[] = [];
  let env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    LANG: 'C.UTF-8',
  };
  const start = (program: string, args: string[], input = '') => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    children.push(child);
    return child;
  };
  const config = join(folder, 'bus.conf');
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:dir=${folder}</listen><policy context="default">
     <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
  );
  const bus = start('dbus-daemon', [`--config-file=${config}`, '--nofork', '--print-address']);
  const address = await new Promise<string>((resolve, reject) => {
    bus.once('close', (code) => reject(new Error(`the bus ended with ${code}`)));
    bus.stdout.once('data', (line) => resolve(String(line).split('\n')[0]!));
  });
  env = { ...env, DBUS_SESSION_BUS_ADDRESS: address };
  const world = { env, platform: 'linux', clock, machine: machineIn(folder), randomBytes: random, startChild };
  const store = await openCredentialStore('keychain', world, folder);
  const reply = (): Promise<string> =>
    store.probe().then(
      () => 'works',
      ({ facts }) => facts.reason,
    );
  const daemon = async (how: string, isStarted: (reply: string) => boolean, input?: string): Promise<Daemon> => {
    const child = start('gnome-keyring-daemon', [how, '--foreground', '--components=secrets'], input);
    // Each question is a process, so this is no busy loop.
    while (child.exitCode === null && !isStarted(await reply()));
    return { halt: () => void child.kill('SIGSTOP'), stop: () => end(child) };
  };
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    folder,
    unlock: () => daemon('--unlock', (text) => text === 'works', 'password'),
    startLocked: () => daemon('--start', (text) => !text.includes('was not provided')),
    stop: async () => {
      for (const child of children.reverse()) await end(child);
    },
  };
};
