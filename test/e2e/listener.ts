import { spawn } from '../support/processes.ts';
import { closeLater } from '../support/temporary.ts';
import { cleanEnvironment, program, runner, temporaryHome } from './program.ts';

export interface RunningListener {
  url: string;
  stdout(): string;
  stderr(): string;
  isRunning(): boolean;
  /** Resolves when stdout has this text. */
  printed(pattern: RegExp): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
}

/** Runs `sched webhooks listen` at a free port. `shell` may send its output elsewhere, as in `| head -1`. */
export const startListener = (flags: string[], shell = ''): Promise<RunningListener> => {
  const words = [runner, ...program, 'webhooks', 'listen', '--port', '0', ...flags];
  const child =
    shell === ''
      ? spawn(words[0]!, words.slice(1), { env: cleanEnvironment(temporaryHome()) })
      : spawn('bash', ['-o', 'pipefail', '-c', `"$@" ${shell}`, 'bash', ...words], {
          env: cleanEnvironment(temporaryHome()),
        });
  const text = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const grow = (name: keyof typeof text) => (chunk: Buffer) => {
    text[name] += chunk;
    for (const look of waiting) look();
  };
  child.stdout!.on('data', grow('stdout'));
  child.stderr!.on('data', grow('stderr'));
  const shown = (name: keyof typeof text, pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = () => {
        const found = pattern.exec(text[name]);
        if (found === null) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const kill = closeLater(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const failed = ended.then(() => {
    throw new Error(`the listener ended: ${text.stderr}`);
  });
  // Only the start waits for it.
  failed.catch(() => {});
  return Promise.race([shown('stderr', /Listening on (http:\S+\/)/), failed]).then(([, url]) => ({
    url: url!,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    isRunning: () => child.exitCode === null,
    printed: async (pattern) => void (await shown('stdout', pattern)),
    stop: async (signal = 'SIGINT') => {
      child.kill(signal);
      const code = await ended;
      kill();
      return code;
    },
    ended,
  }));
};
