import { join } from 'node:path';
import { plainErrors, problemOf } from '../../api/wording.ts';
import { SchedError } from '../../errors.ts';
import { locateJsonError } from '../../json-error.ts';
import { probePrivateFile, readPrivateFile, writePrivateFile } from '../../state/files.ts';
import type { Held, LockOptions } from '../../state/lock.ts';
import { directory, directoryPath } from '../../state/paths.ts';
import { profileName } from './profile-name.ts';
import { Config, type Profile } from './profile-schema.ts';

interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  readonly uid?: number | undefined;
  randomBytes(count: number): Uint8Array;
}

type Changing = World & Pick<LockOptions, 'machine' | 'clock'>;

const fileName = 'config.json';

export const configFile = (world: World): string => join(directoryPath('config', world), fileName);

const broken = (file: string, reason: string): SchedError =>
  new SchedError('environment', `The configuration ${file} cannot be used`, {
    reason,
    hint: 'fix it by hand; it is never overwritten while it is broken',
    outcome: 'not-sent',
  });

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.') || 'the whole';

/** Every profile there is; none where there is no file yet. A broken file is an error with its place. */
export const readConfig = async (world: World): Promise<Config> => {
  const file = join(directory('config', world), fileName);
  // Some editors begin a file with a byte order mark, which nobody sees who is told to fix it (RFC 8259 §8.1).
  const text = (await readPrivateFile(file))?.replace(/^\uFEFF/, '');
  if (text === undefined) return { version: 1, profiles: {} };
  const place = locateJsonError(text);
  if (place !== undefined) throw broken(file, `${place.problem} at line ${place.line}, column ${place.column}`);
  const value: unknown = JSON.parse(text);
  const read = Config.safeParse(value, plainErrors);
  if (read.success) return read.data;
  throw broken(file, read.error.issues.map(({ path, message }) => problemOf(dotted(path), message)).join('; '));
};

/** Waits until no other process changes the file. Where there can be no lock, the file is changed without one. */
const takeTurn = async (world: Changing): Promise<Held | undefined> => {
  const { createLock } = await import('../../state/lock.ts');
  const { machine, clock, randomBytes } = world;
  let stuck: SchedError | undefined;
  const lock = createLock({
    directory: directory('config', world),
    name: 'config',
    machine,
    clock,
    randomBytes,
    // It takes milliseconds, and a login that has got its token is to be written down.
    interrupted: new AbortController().signal,
    busy: (pid, since) => {
      stuck = new SchedError('environment', 'Another sched is changing the profiles and does not finish', {
        reason: `process ${pid} has been at it since ${since}`,
        hint: `wait for process ${pid}, or end it, and try again`,
        outcome: 'not-sent',
      });
      return stuck;
    },
  });
  return lock.acquire().catch((error: unknown) => {
    if (error === stuck) throw error;
    return undefined;
  });
};

/** Reads, changes and replaces the file in one step, one process after another. */
export const changeConfig = async (world: Changing, change: (config: Config) => Config): Promise<Config> => {
  const turn = await takeTurn(world);
  try {
    const config = change(await readConfig(world));
    const draft = Buffer.from(world.randomBytes(8)).toString('hex');
    await writePrivateFile(configFile(world), `${JSON.stringify(config, null, 2)}\n`, draft);
    return config;
  } finally {
    await turn?.release();
  }
};

/** Room for a profile more than there are. */
const profileLength = 4_096;

/** Proves that the file could be replaced by a longer one. */
export const probeConfig = async (world: World): Promise<void> => {
  const file = configFile(world);
  const length = ((await readPrivateFile(file))?.length ?? 0) + profileLength;
  const unique = Buffer.from(world.randomBytes(8)).toString('hex');
  await probePrivateFile(file, Buffer.from(world.randomBytes(length)).toString('base64'), unique);
};

/** The profile that is meant: named, else chosen by the environment, else the current one, else the only one. */
export const chosenName = (flag: string | undefined, { env }: World, config: Config): string | undefined => {
  const [only, ...others] = Object.keys(config.profiles);
  return flag ?? (env.SCHED_PROFILE || undefined) ?? config.current ?? (others.length === 0 ? only : undefined);
};

export const chosenProfile = async (
  flag: string | undefined,
  world: World,
): Promise<{ name: string; profile: Profile } | undefined> => {
  const config = await readConfig(world);
  const name = chosenName(flag, world, config);
  const names = Object.keys(config.profiles);
  if (name === undefined && names.length === 0) return undefined;
  if (name === undefined) {
    throw new SchedError('usage', 'No profile is the default one', {
      reason: `there is ${names.join(', ')}`,
      hint: `sched profiles use ${names[0]}`,
      outcome: 'not-sent',
    });
  }
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile !== undefined) return { name, profile };
  throw new SchedError('usage', `There is no profile '${name}'`, {
    reason: names.length === 0 ? 'there is none at all' : `there is ${names.join(', ')}`,
    hint: `sched profiles add ${profileName.test(name) ? name : 'NAME'} --base-url https://api.example.com`,
    outcome: 'not-sent',
  });
};
