import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { checkDirectory } from './directories.ts';

interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
  readonly uid?: number | undefined;
}

type Kind = 'config' | 'state' | 'cache';

const xdg: Record<Kind, [variable: string, fallback: string]> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
  cache: ['XDG_CACHE_HOME', '.cache'],
};

const mac: Record<Kind, string> = {
  config: 'Library/Application Support',
  state: 'Library/Application Support',
  cache: 'Library/Caches',
};

const variableOf = (kind: Kind): string => `SCHED_${kind.toUpperCase()}_DIR`;

/** Where files of a kind live: `SCHED_…_DIR`, else what the platform has for it. */
export const directoryPath = (kind: Kind, { env, home, platform }: World): string => {
  const chosen = env[variableOf(kind)];
  if (chosen) return chosen;
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'sched', kind);
  const [variable, fallback] = xdg[kind];
  // The XDG specification: a path that is not absolute is ignored.
  const base = env[variable]?.startsWith('/') ? env[variable] : undefined;
  if (base !== undefined) return join(base, 'sched');
  return join(home, platform === 'darwin' ? mac[kind] : fallback, 'sched');
};

/** The same, checked before anything there is read or written. */
export const directory = (kind: Kind, world: World): string => {
  const path = directoryPath(kind, world);
  const variable = variableOf(kind);
  checkDirectory(path, { variable, isOurs: !world.env[variable], uid: world.uid });
  return path;
};

/**
 * Whether files of a kind would be below a home directory that does not exist (Debian's name for that is a path). We do
 * not make a home directory: what is written there may be gone with the next command.
 */
export const isHomeless = (kind: Kind, world: World): boolean => {
  const { env, home, platform } = world;
  const isBelowHome = directoryPath(kind, world) !== directoryPath(kind, { env, platform, home: `${home}/else` });
  return isBelowHome && !(isAbsolute(home) && home !== '/nonexistent' && existsSync(home));
};

/** Why there is no place for files below the home directory. */
export const homeMissing = ({ home }: Pick<World, 'home'>): string =>
  home === '' ? 'HOME is empty' : `the home directory ${home} does not exist`;
