/** One run of each part that a compiler could have broken, where no Node is to be found. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {{ part: string, words: string[], stdin?: string, expected: RegExp }[]} */
const runs = [
  { part: 'the start', words: ['--version'], expected: /^\d+\.\d+\.\d+\S*\n$/ },
  { part: 'the help', words: ['events', 'list', '--help'], expected: /--status/ },
  { part: 'completions', words: ['completion', 'bash'], expected: /^complete /m },
  {
    part: 'SQLite or jq',
    words: ['--sandbox', 'events', 'list', '--limit', '2', '--jq', 'length'],
    expected: /^2\n$/,
  },
  { part: 'tables', words: ['--sandbox', 'users', 'me', '-o', 'table'], expected: /Amara/ },
  {
    part: 'the network or starting itself',
    words: ['sandbox', 'run', '--', 'sh', '-c', 'sched events list --limit 1 --json=name'],
    expected: /"name":/,
  },
  {
    part: 'the keychain binding',
    words: ['__keychain'],
    stdin: '{"op":"get","service":"sched","name":"none"}\n',
    // There may be no keychain here; the binding alone knows what a keychain is.
    expected: /^\{"(value|error)":/,
  },
];

/** @param {string} program */
export async function smoke(program) {
  const home = await mkdtemp(join(tmpdir(), 'sched-smoke-'));
  try {
    for (const { part, words, stdin = '', expected } of runs) {
      const { stdout, stderr } = await run(program, words, stdin, home);
      if (!expected.test(stdout))
        throw new Error(
          `${part} does not work in the standalone program (sched ${words.join(' ')}):\n${stdout}${stderr}`,
        );
    }
  } finally {
    await rm(home, { recursive: true });
  }
}

/**
 * @param {string} program
 * @param {string[]} words
 * @param {string} stdin
 * @param {string} home
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function run(program, words, stdin, home) {
  const env = { PATH: '/usr/bin:/bin', HOME: home, TZ: 'UTC' };
  const child = spawn(program, words, { cwd: home, env, timeout: 60_000, killSignal: 'SIGKILL' });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
    child.stdin.end();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  child.stdin.on('error', () => {});
  // Kept open where there is something to answer: the keychain's helper goes as soon as nobody asks any more.
  if (stdin === '') child.stdin.end();
  else child.stdin.write(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', () => resolve(said));
  });
}
