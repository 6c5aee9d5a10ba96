import { isAbsolute, join } from 'node:path';
import type { System } from '../base/system.ts';
import { existsSync } from '../node/files.ts';
import { checkDirectory } from './directories.ts';

type DirectoryKind = 'config' | 'state' | 'cache';

const xdg: Record<DirectoryKind, [variable: string, fallback: string]> = {
  config: ['XDG_CONFIG_HOME', '.config'],
  state: ['XDG_STATE_HOME', '.local/state'],
  cache: ['XDG_CACHE_HOME', '.cache'],
};

const mac: Record<DirectoryKind, string> = {
  config: 'Library/Application Support',
  state: 'Library/Application Support',
  cache: 'Library/Caches',
};

const variableOf = (kind: DirectoryKind): string => `SCHED_${kind.toUpperCase()}_DIR`;

/** The directory for a kind of files: `SCHED_…_DIR`, or the platform's default. */
export const directoryPath = (kind: DirectoryKind, { env, home, platform }: System): string => {
  const folder = env[variableOf(kind)];
  if (folder) return folder;
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'sched', kind);
  const [variable, fallback] = xdg[kind];
  // The XDG specification says to ignore a relative path.
  const base = env[variable]?.startsWith('/') ? env[variable] : undefined;
  if (base !== undefined) return join(base, 'sched');
  return join(home, platform === 'darwin' ? mac[kind] : fallback, 'sched');
};

/** The same directory, after the safety check that comes before any read or write. */
export const directory = (kind: DirectoryKind, world: System): string => {
  const path = directoryPath(kind, world);
  const variable = variableOf(kind);
  checkDirectory(path, { variable, isOurs: !world.env[variable], uid: world.uid });
  return path;
};

/**
 * Whether files of a kind would be below a home directory that doesn't exist (Debian uses the path /nonexistent). sched
 * doesn't create a home directory, because files in it may be gone by the next command.
 */
export const isHomeless = (kind: DirectoryKind, world: System): boolean => {
  const { env, home, platform } = world;
  const isBelowHome = directoryPath(kind, world) !== directoryPath(kind, { env, platform, home: `${home}/else` });
  return isBelowHome && !(isAbsolute(home) && home !== '/nonexistent' && existsSync(home));
};

/** Why the home directory can't be used. */
export const homeMissing = ({ home }: Pick<System, 'home'>): string =>
  home === '' ? 'HOME is empty' : `the home directory ${home} doesn't exist`;
