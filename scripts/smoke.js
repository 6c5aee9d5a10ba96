/** Runs each part of a program that a compiler or another system could break, without Node on the PATH. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @type {{ part: string, words: string[], stdin?: string, expected: RegExp, isCompiledOnly?: boolean }[]} */
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
    part: 'a login in a file',
    words: [
      ...['sandbox', 'run', '--', 'sh', '-c'],
      'printf %s "$SCHED_TOKEN" | sched auth login --with-token --credential-store file && env -u SCHED_TOKEN sched whoami',
    ],
    expected: /Amara/,
  },
  {
    part: 'the MCP server',
    words: ['--sandbox', 'mcp', 'serve'],
    stdin: `${JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tour', version: '1' } },
    })}\n`,
    expected: /"serverInfo":\{"name":"sched"/,
  },
  {
    part: 'the keychain binding',
    isCompiledOnly: true,
    words: ['__keychain'],
    stdin: '{"op":"get","service":"sched","name":"none"}\n',
    // This machine may have no keychain, which is an error of the binding. Without its class, it is the wrong file.
    expected: /^\{\}\n\{"(value|error)":(?!.*constructor)/,
  },
];

/**
 * @param {string} program
 * @param {readonly string[]} first words of every command, such as the script that Node runs
 */
export async function smoke(program, first = []) {
  const home = await mkdtemp(join(tmpdir(), 'sched-smoke-'));
  try {
    for (const { part, words, stdin = '', expected, isCompiledOnly } of runs) {
      if (isCompiledOnly && first.length > 0) continue;
      const { stdout, stderr } = await run(program, [...first, ...words], { stdin, expected }, home);
      if (!expected.test(stdout))
        throw new Error(`The program failed at ${part} (sched ${words.join(' ')}):\n${stdout}${stderr}`);
    }
  } finally {
    await rm(home, { recursive: true });
  }
}

/**
 * @param {string} program
 * @param {string[]} words
 * @param {{ stdin: string, expected: RegExp }} talk
 * @param {string} home
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function run(program, words, { stdin, expected }, home) {
  const env =
    process.platform === 'win32'
      ? { ...process.env, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home }
      : { PATH: '/usr/bin:/bin', HOME: home, TZ: 'UTC' };
  const child = spawn(program, words, { cwd: home, env, timeout: 60_000, killSignal: 'SIGKILL' });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
    if (expected.test(said.stdout)) child.stdin.end();
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  child.stdin.on('error', () => {});
  // Keep stdin open until the reply is complete: the keychain helper exits when its input ends.
  if (stdin === '') child.stdin.end();
  else child.stdin.write(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', () => resolve(said));
  });
}
