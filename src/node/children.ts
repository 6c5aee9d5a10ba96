import type { Peer, World } from '../runtime.ts';

const peerOver = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Omit<Peer, 'leave'> => {
  const { createInterface } = process.getBuiltinModule('node:readline');
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  output.on('error', () => {});
  return {
    say: (line) => {
      output.write(`${line}\n`);
    },
    hear: async () => {
      // A broken pipe is an end, too.
      const { value } = await lines.next().catch(() => ({ value: undefined }));
      return value;
    },
  };
};

export const startChild: World['startChild'] = async ([program, ...words], { env, isDetached = false }) => {
  const { spawn } = await import('node:child_process');
  const child = spawn(program!, words, {
    detached: isDetached,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: env as NodeJS.ProcessEnv,
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', reject);
  });
  return {
    ...peerOver(child.stdout, child.stdin),
    pid: child.pid!,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: () => {
      child.kill('SIGKILL');
    },
    leave: () => {
      child.stdin.destroy();
      child.stdout.destroy();
      child.unref();
    },
  };
};

export const parentProcess: NonNullable<World['parentProcess']> = (isBound) => {
  const end = () => process.kill(process.pid, 'SIGKILL');
  if (isBound) process.stdin.once('end', end).once('error', end);
  return {
    ...peerOver(process.stdin, process.stdout),
    leave: () => {
      process.stdin.destroy();
    },
  };
};
