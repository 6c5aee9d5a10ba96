import { join } from 'node:path';
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
