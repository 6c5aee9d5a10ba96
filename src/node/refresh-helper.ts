import { childEnvironment, helperArgument, type Peer, type Runtime } from '../runtime.ts';
import { machine } from './machine.ts';

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

export const startRefreshHelper: NonNullable<Runtime['startRenewalHelper']> = async () => {
  const { spawn } = await import('node:child_process');
  const [program, ...first] = machine.program!;
  // Proxy and certificate settings are kept.
  const env = childEnvironment(process.env) as NodeJS.ProcessEnv;
  try {
    const child = spawn(program!, [...first, helperArgument], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env,
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
  } catch {
    return undefined;
  }
};

export const parentProcess = (): Peer => ({
  ...peerOver(process.stdin, process.stdout),
  leave: () => {
    process.stdin.destroy();
  },
});
