import { spawn } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import type { System } from '../base/system.ts';
import { urlIn } from '../base/uri.ts';
import { systemProgram } from '../base/windows.ts';
import { access, constants } from '../node/files.ts';

/** The environment is passed on to the browser, so it must hold no secrets. */
type Surroundings = Pick<System, 'env' | 'platform'>;

/** A program and its arguments, run without a shell. */
type BrowserCommand = readonly [program: string, ...args: string[]];

/** Reads `BROWSER` the usual way: colons separate alternatives, spaces separate words, and `%s` is the URL. */
const fromVariable = (value: string, url: string, platform: string): BrowserCommand[] =>
  (platform === 'win32' ? [value] : value.split(':')).flatMap((alternative) => {
    const words = alternative.trim().split(/\s+/);
    if (words[0] === '' || words[0] === undefined) return [];
    const [program, ...args] = words.map((word) => word.replaceAll('%s', url)) as [string, ...string[]];
    return [alternative.includes('%s') ? [program, ...args] : [program, ...args, url]];
  });

const findOnPath = async (name: string, { env }: Surroundings): Promise<string | undefined> => {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const path of folders.map((folder) => join(folder, name))) {
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
};

/** Resolves to true once the program has started. How it ends doesn't matter. */
const startBrowser = ([program, ...args]: BrowserCommand, { env }: Surroundings): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      env: env as NodeJS.ProcessEnv,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });

/** On macOS only: elsewhere the package passes on the whole environment, or uses PowerShell, which is a shell. */
const openOnMac = async (url: string): Promise<boolean> => {
  const { default: open } = await import('open');
  const child = await open(url).catch(() => undefined);
  child?.on('error', () => {});
  return child !== undefined;
};

const onLinux = async (url: string, world: Surroundings): Promise<boolean> => {
  const { env } = world;
  const isWsl = env.WSL_DISTRO_NAME !== undefined || env.WSL_INTEROP !== undefined;
  // Without a screen, xdg-open would start a text browser in this terminal.
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  const names = [...(isWsl ? ['wslview'] : []), ...(hasScreen ? ['xdg-open'] : [])];
  for (const name of names) {
    const program = await findOnPath(name, world);
    if (program !== undefined && (await startBrowser([program, url], world))) return true;
  }
  const handler = isWsl ? await findOnPath('rundll32.exe', world) : undefined;
  return handler !== undefined && startBrowser([handler, 'url.dll,FileProtocolHandler', url], world);
};

/** Opens a URL in the user's browser. Returns false if no browser starts; the URL is printed in any case. */
export const openBrowser = async (address: string, world: Surroundings): Promise<boolean> => {
  const url = urlIn(address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  if (world.env.BROWSER) {
    for (const command of fromVariable(world.env.BROWSER, url.href, world.platform)) {
      if (await startBrowser(command, world)) return true;
    }
    return false;
  }
  if (world.platform === 'darwin') return openOnMac(url.href);
  if (world.platform === 'win32')
    return startBrowser([systemProgram('rundll32.exe', world.env), 'url.dll,FileProtocolHandler', url.href], world);
  return onLinux(url.href, world);
};
