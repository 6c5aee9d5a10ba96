import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { World } from '../runtime.ts';
import { clock } from './clock.ts';
import { inputOf } from './input.ts';
import { machine } from './machine.ts';
import { afterSend, networkUntil } from './network.ts';
import { outputOf } from './output.ts';
import { parentProcess, startRefreshHelper } from './refresh-helper.ts';
import { handleSignals } from './signals.ts';

/** Some versions of Node warn of their own SQLite; that is nothing a user of ours can fix. */
const silenceSqliteWarning = (): void => {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/SQLite is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
};

/** From Node 22.8 on. It saves time and nothing else: what cannot be kept is compiled again. */
const keepCompiled = (makeDirectory: () => string): void => {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(directory: string): unknown;
  };
  if (enableCompileCache === undefined) return;
  try {
    enableCompileCache(makeDirectory());
  } catch {
    // There is nowhere to keep it.
  }
};

/** `TZ` may name a file, as `:/etc/localtime`; Node makes nothing of that, but the file is mostly a link to a zone's. */
const zoneOfFile = (TZ = ''): string | undefined => {
  if (!/^:?\//.test(TZ)) return undefined;
  try {
    const [, timeZone] = realpathSync(TZ.replace(':', '')).split(/\/zoneinfo\/(?:posix\/|right\/)?/);
    return timeZone && Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** The real world. What most commands do without, other programs and the network, is loaded when it is wanted. */
export const nodeRuntime = (): World => {
  silenceSqliteWarning();
  let made: ReturnType<typeof handleSignals> | undefined;
  // Signals end the program at once until somebody wants to be told of them: what is as short as --version never does.
  const signals = () => {
    made ??= handleSignals();
    return made;
  };
  const { env } = process;
  return {
    env,
    home: homedir(),
    platform: process.platform,
    uid: process.geteuid?.(),
    stdin: inputOf(() => signals().interrupted),
    stdout: outputOf(1, () => process.stdout),
    stderr: outputOf(2, () => process.stderr),
    clock,
    get systemZone() {
      // The types do not know that Node leaves it out.
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
      return zoneOfFile(env.TZ) ?? timeZone;
    },
    randomBytes: (count) => process.getBuiltinModule('node:crypto').randomBytes(count),
    send: networkUntil(() => signals().interrupted),
    sendToEnd: networkUntil(() => new AbortController().signal),
    afterSend,
    get interrupted() {
      return signals().interrupted;
    },
    protect: (work) => signals().protect(work),
    machine,
    keepCompiled,
    openPager: async (command) => (await import('./programs.ts')).openPager(command, signals().protect),
    openBrowser: async (url) => {
      const { openBrowser } = await import('../auth/browser.ts');
      return openBrowser(url, { env, platform: process.platform });
    },
    spawn: async (command, options) => (await import('./programs.ts')).runChild(command, options),
    startRenewalHelper: startRefreshHelper,
    parentProcess,
  };
};
