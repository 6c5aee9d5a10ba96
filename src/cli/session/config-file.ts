import { join } from 'node:path';
import { dotted, plainErrors, problemOf } from '../../api/wording.ts';
import { type OtherCommand, SchedError } from '../../base/errors.ts';
import { locateJsonError } from '../../base/json-error.ts';
import { nearest } from '../../base/nearest.ts';
import type { System } from '../../base/system.ts';
import type { World } from '../../runtime.ts';
import { probePrivateFile, readPrivateFile, writePrivateFile } from '../../state/files.ts';
import type { HeldLock, LockOptions } from '../../state/lock.ts';
import { directory, directoryPath } from '../../state/paths.ts';
import { Config, type Profile } from './profile-schema.ts';

type ConfigWorld = System & Pick<World, 'randomBytes'>;

type Changing = ConfigWorld & Pick<LockOptions, 'machine' | 'clock'>;

const fileName = 'config.json';

export const configFile = (world: ConfigWorld): string => join(directoryPath('config', world), fileName);

const invalidConfig = (file: string, reason: string): SchedError =>
  new SchedError('environment', `Invalid configuration file ${file}`, {
    reason,
    advice: 'fix the file by hand; sched never overwrites a broken configuration',
  });

/** Reads the configuration, which is empty if there is no file yet. Throws if the file is broken, and says where. */
export const readConfig = async (world: ConfigWorld): Promise<Config> => {
  const file = join(directory('config', world), fileName);
  // Some editors add a byte order mark. Users can't see it, so they couldn't fix it (RFC 8259 §8.1).
  const text = (await readPrivateFile(file))?.replace(/^\uFEFF/, '');
  if (text === undefined) return { version: 1, profiles: {} };
  const place = locateJsonError(text);
  if (place !== undefined) throw invalidConfig(file, `${place.problem} at line ${place.line}, column ${place.column}`);
  const value: unknown = JSON.parse(text);
  const read = Config.safeParse(value, plainErrors);
  if (read.success) return read.data;
  throw invalidConfig(
    file,
    read.error.issues.map(({ path, message }) => problemOf(dotted(path) || 'the file', message)).join('; '),
  );
};

/** Locks the configuration against changes by other processes. Returns undefined if locking isn't possible. */
const takeTurn = async (world: Changing): Promise<HeldLock | undefined> => {
  const { createLock } = await import('../../state/lock.ts');
  const { machine, clock, randomBytes } = world;
  let stuck: SchedError | undefined;
  const lock = createLock({
    directory: join(directory('config', world), '.locks'),
    name: 'config',
    machine,
    clock,
    randomBytes,
    // Never interrupted: it takes milliseconds, and a login that has its token must be saved.
    interrupted: new AbortController().signal,
    busy: (pid, since) => {
      stuck = new SchedError('environment', 'Another sched process is still changing the profiles', {
        reason: `process ${pid} has held the lock since ${since}`,
        advice: 'wait for it to end, or stop it',
      });
      return stuck;
    },
  });
  return lock.acquire().catch((error: unknown) => {
    if (error === stuck) throw error;
    return undefined;
  });
};

/** Reads, changes and replaces the configuration file. Processes that do this at the same time take turns. */
export const changeConfig = async (world: Changing, change: (config: Config) => Config): Promise<Config> => {
  const turn = await takeTurn(world);
  try {
    const config = change(await readConfig(world));
    await writePrivateFile(configFile(world), `${JSON.stringify(config, null, 2)}\n`, world);
    return config;
  } finally {
    await turn?.release();
  }
};

/** Space for one more profile, in bytes. */
const profileLength = 4_096;

/** Checks that the file could be replaced by a longer one. Throws if not. */
export const probeConfig = async (world: Changing): Promise<void> => {
  const file = configFile(world);
  const length = ((await readPrivateFile(file))?.length ?? 0) + profileLength;
  await probePrivateFile(file, Buffer.from(world.randomBytes(length)).toString('base64'), world);
};

/** The name of the profile to use: from the flag, else the environment, else the current one, else the only one. */
export const chosenName = (flag: string | undefined, { env }: ConfigWorld, config: Config): string | undefined => {
  const [only, ...others] = Object.keys(config.profiles);
  return flag ?? (env.SCHED_PROFILE || undefined) ?? config.current ?? (others.length === 0 ? only : undefined);
};

/** The command that adds a profile, with placeholders. */
export const addProfile: OtherCommand = { command: ['profiles', 'add', 'NAME'], flags: { 'base-url': 'URL' } };

export const chosenProfile = async (
  flag: string | undefined,
  world: ConfigWorld,
): Promise<{ name: string; profile: Profile; isOnly: boolean } | undefined> => {
  const config = await readConfig(world);
  const name = chosenName(flag, world, config);
  const names = Object.keys(config.profiles);
  if (name === undefined && names.length === 0) return undefined;
  if (name === undefined) {
    throw new SchedError('usage', 'No default profile', {
      reason: `your profiles: ${names.join(', ')}`,
      advice: ['choose one with -p, or set a default: ', { command: ['profiles', 'use', 'NAME'] }],
    });
  }
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile !== undefined) return { name, profile, isOnly: names.length === 1 };
  const suggestion = nearest(name, names);
  throw new SchedError(
    'usage',
    `No profile named "${name}"${suggestion === undefined ? '' : `. Did you mean "${suggestion}"?`}`,
    {
      ...(names.length === 0
        ? { reason: 'you have no profiles yet', advice: ['to add one: ', addProfile] }
        : { reason: `your profiles: ${names.join(', ')}` }),
      ...(suggestion === undefined ? {} : { corrections: [{ from: name, to: suggestion }] }),
    },
  );
};
