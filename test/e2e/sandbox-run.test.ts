import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { few, sample } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { cleanEnvironment, program, runner, sched, schedInTerminal, temporaryHome } from './program.ts';

const run = (words: string[]) => sched(['sandbox', 'run', ...words], temporaryHome());

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a command inside that says its process and its address, and waits for what it says. */
const startInside = async (script: string) => {
  const inside = `echo "$$ $SCHED_BASE_URL $(command -v sched)"; ${script}`;
  const words = ['sandbox', 'run', '--seed', 'empty', '--', 'bash', '-c', inside];
  const child = spawn(runner, [...program, ...words], { env: cleanEnvironment(temporaryHome()) });
  running.push(child);
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  await until(() => said.includes('\n'));
  const [pid, url, launcher] = said.split('\n', 1)[0]!.split(' ') as [string, string, string];
  const hears = (text: string) => until(() => said.includes(text));
  return { child, ended, hears, pid: Number(pid), port: Number(new URL(url).port), launcher };
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
  });

describeWith('bash', 'jq')('sandbox run', () => {
  test('gives the command a sandbox and the same sched', async () => {
    const { code, stdout, stderr } = await run(['--', 'bash', '-c', 'sched events list --json | jq length']);
    expect([code, stderr]).toEqual([0, '']);
    expect(Number(stdout)).toBeGreaterThan(10);
  });

  few(1, {
    'passes arguments unchanged, without a shell, and ends as the command does': async () => {
      const words = ['$HOME', '--yes', '-h', 'a b', '--', '*', 'compliance'];
      const script = 'printf "%s\\n" "$@"; exit 7';
      const { code, stdout, stderr } = await run(['--seed', 'empty', '--', 'bash', '-c', script, 'bash', ...words]);
      expect([code, stdout.trim().split('\n'), stderr]).toEqual([7, words, '']);
    },
    'ends the command when the terminal closes': async () => {
      const home = temporaryHome();
      const words = ['sandbox', 'run', '--seed', 'empty', '--', 'bash', '-c', 'echo "inside: $$"; exec sleep infinity'];
      const terminal = schedInTerminal(words, home, { TMPDIR: home });
      const pid = Number((await terminal.until(/inside: (\d+)/))[1]);
      terminal.close();
      await until(() => !isAlive(pid));
      await until(() => !readdirSync(home).some((name) => name.startsWith('sched-run-')), home);
      expect(isAlive(pid)).toBe(false);
    },
    "waits for a command that handles the signal, and exits with the command's code": async () => {
      const handler = `
        process.on('SIGTERM', () => console.log('ending'));
        process.stdin.once('data', () => process.exit(9));
        console.log('ready')`;
      const { child, ended, hears, port } = await startInside(`exec "${process.execPath}" -e "${handler}"`);
      await hears('ready');
      child.kill('SIGTERM');
      await hears('ending');
      child.kill('SIGTERM');
      expect(await isListening(port)).toBe(true);
      child.stdin!.write('end now\n');
      expect(await ended).toBe(9);
      expect(await isListening(port)).toBe(false);
    },
  });
  const signals = [
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const;
  test.each(sample(signals, 1))(
    'passes $signal on and leaves no process, port or file behind',
    async ({ signal, code }) => {
      const { child, ended, pid, port, launcher } = await startInside('exec sleep infinity');
      expect([isAlive(pid), await isListening(port)]).toEqual([true, true]);
      child.kill(signal);
      expect(await ended).toBe(code);
      expect([isAlive(pid), await isListening(port)]).toEqual([false, false]);
      expect(readdirSync(tmpdir())).not.toContain(launcher.split('/').at(-2));
    },
  );
});
