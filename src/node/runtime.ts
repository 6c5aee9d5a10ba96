import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { ProgramName } from '../base/shell-quote.ts';
import { childEnvironment, type World } from '../runtime.ts';
import { parentProcess, startChild } from './children.ts';
import { clock, every } from './clock.ts';
import { untilIdle } from './idle.ts';
import { machine } from './machine.ts';
import { outputOf } from './output.ts';
import { afterSend, networkUntil } from './send.ts';
import { handleSignals } from './signals.ts';
import { silenceSqliteWarning } from './sqlite-warning.ts';
import { inputOf, keyboard, stdin } from './stdin.ts';

/** Available from Node 22.8 on. The cache only saves time: a failure just means compiling again. */
const keepCompiled = (makeDirectory: () => string): void => {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    enableCompileCache?(directory: string): unknown;
  };
  if (enableCompileCache === undefined) return;
  try {
    enableCompileCache(makeDirectory());
  } catch {
    // No writable directory: go without the cache.
  }
};

/** `TZ` may name a file, as `:/etc/localtime`. Node ignores that, but the file is usually a link to a zone's file. */
const zoneOfFile = (TZ = ''): string | undefined => {
  if (!/^:?\//.test(TZ)) return undefined;
  try {
    const [, timeZone] = realpathSync(TZ.replace(':', '')).split(/\/zoneinfo\/(?:posix\/|right\/)?/);
    return timeZone && Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** The runtime on Node. Modules that most commands don't need (other programs, the network) are loaded on first use. */
export const nodeRuntime = (calledAs?: ProgramName): World => {
  silenceSqliteWarning();
  return nodeWorld(calledAs);
};

/** The same for a part of another program, whose process stays as it is. */
export const nodeWorld = (calledAs: ProgramName = 'sched'): World => {
  const stderr = outputOf(2, () => process.stderr);
  let handlers: ReturnType<typeof handleSignals> | undefined;
  // Signal handlers are installed on first use. Until then a signal ends the process; --version needs no more.
  const signals = () => {
    handlers ??= handleSignals(stderr);
    return handlers;
  };
  const { env } = process;
  return {
    env,
    home: homedir(),
    platform: process.platform,
    uid: process.geteuid?.(),
    stdin: inputOf(
      () => stdin,
      () => signals().interrupted,
    ),
    keyboard: inputOf(keyboard, () => signals().interrupted),
    stdout: outputOf(1, () => process.stdout),
    stderr,
    promptStreams: () => {
      const { stream, release } = keyboard();
      return { input: stream(), output: process.stderr, release };
    },
    clock,
    every,
    get systemZone() {
      // TypeScript's types don't say that timeZone may be missing.
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
      return zoneOfFile(env.TZ) ?? timeZone;
    },
    randomBytes: (count) => process.getBuiltinModule('node:crypto').randomBytes(count),
    send: networkUntil(() => signals().interrupted),
    sendToEnd: networkUntil(() => new AbortController().signal),
    connectRedis: async (...options) => (await import('../state/redis/redis-client.ts')).openConnection(...options),
    afterSend,
    get interrupted() {
      return signals().interrupted;
    },
    untilIdle,
    protect: (work) => signals().protect(work),
    machine,
    calledAs,
    keepCompiled,
    openPager: async (command) =>
      (await import('./programs.ts')).openPager(command, (work) => signals().lendTerminal('pager', work)),
    openBrowser: async (url) => {
      const { openBrowser } = await import('../auth/browser.ts');
      return openBrowser(url, { env: childEnvironment(env), platform: process.platform });
    },
    spawn: async (command, options) => {
      const { runChild } = await import('./programs.ts');
      return signals().lendTerminal('command', () => runChild(command, options));
    },
    startChild,
    parentProcess,
  };
};
