/** Runs each part that a compiler could break, without Node on the PATH. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {{ part: string, words: string[], stdin?: string, expected: RegExp }[]} */
const runs = [
  { part: 'start-up', words: ['--version'], expected: /^\d+\.\d+\.\d+\S*\n$/ },
  { part: 'help', words: ['events', 'list', '--help'], expected: /--status/ },
  { part: 'completions', words: ['completion', 'bash'], expected: /^complete /m },
  {
    part: 'SQLite or jq',
    words: ['--sandbox', 'events', 'list', '--limit', '2', '--jq', 'length'],
    expected: /^2\n$/,
  },
  { part: 'tables', words: ['--sandbox', 'users', 'me', '-o', 'table'], expected: /Amara/ },
  {
    part: 'the network, or starting itself as a child',
    words: ['sandbox', 'run', '--', 'sh', '-c', 'sched events list --limit 1 --json=name'],
    expected: /"name":/,
  },
  {
    part: 'the keychain binding',
    words: ['__keychain'],
    stdin: '{"op":"get","service":"sched","name":"none"}\n',
    // This machine may have no keychain, which is an error of the binding. Without its class, it is the wrong file.
    expected: /^\{"(value|error)":(?!.*constructor)/,
  },
];

/** @param {string} program */
export async function smoke(program) {
  const home = await mkdtemp(join(tmpdir(), 'sched-smoke-'));
  try {
    for (const { part, words, stdin = '', expected } of runs) {
      const { stdout, stderr } = await run(program, words, stdin, home);
      if (!expected.test(stdout))
        throw new Error(`The standalone program failed at ${part} (sched ${words.join(' ')}):\n${stdout}${stderr}`);
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
  // Keep stdin open until there is a reply: the keychain helper exits when its input ends.
  if (stdin === '') child.stdin.end();
  else child.stdin.write(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', () => resolve(said));
  });
}
