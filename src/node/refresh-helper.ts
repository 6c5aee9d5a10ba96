import { childEnvironment, helperArgument, type Peer, type Runtime } from '../runtime.ts';
import { machine } from './machine.ts';

const peerOver = (input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Omit<Peer, 'leave'> => {
  const lines: string[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  input.setEncoding('utf8');
  input.on('data', (text) => {
    const [last = '', ...whole] = (rest + text).split('\n').reverse();
    rest = last;
    lines.push(...whole.reverse());
    wake();
  });
  input.on('end', end).on('close', end).on('error', end);
  output.on('error', () => {});
  return {
    say: (line) => {
      output.write(`${line}\n`);
    },
    hear: async () => {
      while (lines.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return lines.shift();
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
