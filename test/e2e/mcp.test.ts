import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, callTool, createClient } from '../support/mcp-client.ts';
import { spawn } from '../support/processes.ts';
import { few } from '../support/tier.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  isStandalone,
  program,
  type RunningSandbox,
  runner,
  startSandbox,
  temporaryHome,
  usedHome,
} from './program.ts';

/** The official client with the built program. R52. */

let sandbox: RunningSandbox;
let env: Record<string, string>;
let home: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url, SCHED_MCP_URL: sandbox.mcp_url };
  home = temporaryHome();
  return () => sandbox.stop();
});

let client: Client | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
});

/** Starts the program as a client does. */
const serving = async (
  flags: string[] = [],
  options: { answer?: Answer; isModern?: boolean } = {},
): Promise<Client> => {
  client = createClient(options);
  await client.connect(
    new StdioClientTransport({
      command: runner,
      args: [...program, 'mcp', 'serve', ...flags],
      env: cleanEnvironment(home, env),
      stderr: 'pipe',
    }),
  );
  return client;
};

const firstOf = async (from: Client, tool: string, values: Record<string, unknown> = {}): Promise<string> =>
  String((await callTool(from, tool, { ...values, limit: 1 })).items[0]!.uri);
const activeEvent = (from: Client) => firstOf(from, 'events_list', { status: 'active', upcoming: true });

/** What the service itself says. */
const statusOf = async (event: string): Promise<string> => {
  const headers = { authorization: `Bearer ${sandbox.token}` };
  const reply = await fetch(sandbox.base_url + new URL(event).pathname, { headers });
  return ((await reply.json()) as { resource: { status: string } }).resource.status;
};

// commands/mcp/serve.test.ts has all tools, pages and questions, in one process.
test.each([false, true])(
  'the official client reads, and writes after a yes and not after a no (modern: %s)',
  async (isModern) => {
    const questions: string[] = [];
    const answer: Answer = (question) => (questions.push(question) === 1 ? 'no' : 'yes');
    const flags = ['--allow-writes=events.cancel'];
    const client = await serving(flags, { answer, isModern });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(25);
    const event = await activeEvent(client);
    const calls = [{ tool: 'users_me' }, { tool: 'events_get', arguments: { event } }];
    const both = await callTool(client, 'batch', { calls });
    expect([both.isError, both.text]).toEqual([false, expect.stringContaining(event)]);
    for (const status of ['active', 'canceled']) {
      const { record, error } = await callTool(client, 'events_cancel', { event: [event], reason: 'The host is ill' });
      if (status === 'canceled') expect(record).toMatchObject({ status });
      else expect(error).toMatchObject({ code: 'confirmation-required', exit: 12, outcome: 'not-sent' });
      expect(await statusOf(event)).toBe(status);
    }
    expect(questions).toEqual([expect.stringMatching(/^Cancel "/), expect.stringMatching(/^Cancel "/)]);
  },
);

/** Whether a process with this ID exists. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const hello = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});
const call = (id: number, name: string, values: object = {}) => request(id, 'tools/call', { name, arguments: values });

/** Starts the program with raw pipes, and collects its output until it ends. */
const start = (flags: string[], own: Record<string, string>, at = home) => {
  const child = spawn(runner, [...program, 'mcp', 'serve', ...flags], { env: cleanEnvironment(at, own) });
  const said = { stdout: '', stderr: '' };
  let heard: () => void = () => {};
  child.stdout.on('data', (text) => {
    said.stdout += text;
    heard();
  });
  child.stderr.on('data', (text) => {
    said.stderr += text;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  /** Resolves when the reply to a request is there. */
  const replied = async (id: number): Promise<void> => {
    while (!said.stdout.includes(`"id":${id}`))
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
  };
  return { child, said, ended, replied };
};

const expectProtocol = (stdout: string): void => {
  expect(stdout).not.toBe('');
  for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
};

describe('the process of mcp serve', () => {
  interface Case {
    name: string;
    flags?: string[];
    env: () => Record<string, string>;
    /** What the client writes beside the protocol. */
    noise?: string;
    stderr: RegExp[];
    /** How the server is ended. */
    end: 'closed stdin' | 'SIGTERM';
  }

  const cases: Case[] = [
    {
      name: 'with -v, a warning of Node and lines that are not the protocol',
      flags: ['-v'],
      env: () => ({ ...env, NODE_OPTIONS: "--import=data:text/javascript,process.emitWarning('careful')" }),
      noise: 'hello?\n{"jsonrpc":"1"}\n',
      stderr: [/users_me: .*GET .*\/users\/me/, isStandalone ? /^/ : /Warning: careful/, /protocol: /],
      end: 'closed stdin',
    },
    { name: 'in the sandbox', flags: ['--sandbox'], env: () => ({}), stderr: [/users_me: sandbox/], end: 'SIGTERM' },
    { name: 'without an account', env: () => ({}), stderr: [/^error: Terminated\n$/], end: 'SIGTERM' },
  ];

  // R42
  const writesOnlyProtocol = async (each: Case) => {
    const { child, said, ended, replied } = start(each.flags ?? [], each.env(), await usedHome());
    child.stdin.write(hello);
    await replied(0);
    child.stdin.write((each.noise ?? '') + call(1, 'users_me'));
    await replied(1);
    if (each.end === 'SIGTERM') child.kill('SIGTERM');
    else child.stdin.end();
    expect(await ended).toEqual({ code: each.end === 'SIGTERM' ? 143 : 0, signal: null });
    expectProtocol(said.stdout);
    for (const pattern of each.stderr) expect(said.stderr).toMatch(pattern);
  };

  const onFullDisk: Record<string, () => Promise<void>> = {
    'ends with exit code 3 if stdout is on a full disk': async () => {
      const full = openSync('/dev/full', 'w');
      const child = spawn(runner, [...program, 'mcp', 'serve'], {
        env: cleanEnvironment(home, env),
        stdio: ['pipe', full, 'pipe'],
      });
      closeSync(full);
      let stderr = '';
      child.stderr!.on('data', (text) => {
        stderr += text;
      });
      child.stdin!.write(hello);
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(3);
      expect(stderr).toContain("Can't write the output");
    },
    'does not mind if stderr is on a full disk': async () => {
      const full = openSync('/dev/full', 'w');
      const child = spawn(runner, [...program, 'mcp', 'serve', '-v'], {
        env: cleanEnvironment(home, env),
        stdio: ['pipe', 'pipe', full],
      });
      closeSync(full);
      let stdout = '';
      child.stdout!.on('data', (text) => {
        stdout += text;
        if (stdout.includes('"id":1')) child.stdin!.end();
      });
      child.stdin!.write(hello + call(1, 'users_me'));
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect(code).toBe(0);
      expectProtocol(stdout);
      expect(stdout).toContain('current_organization');
    },
  };

  few(1, {
    'ends when its client is killed': async () => {
      // The client starts the server, and is then killed together with its pipes.
      const script = `
      const { spawn } = require('node:child_process');
      const server = spawn(process.argv[1], JSON.parse(process.argv[2]), { stdio: ['pipe', 'pipe', 'ignore'] });
      server.stdout.once('data', () => console.log(server.pid));
      server.stdin.write(${JSON.stringify(hello)});
      process.stdin.resume();`;
      const args = ['-e', script, runner, JSON.stringify([...program, 'mcp', 'serve'])];
      const parent = spawn(process.execPath, args, { env: cleanEnvironment(home, env) });
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', (text) => resolve(String(text)))));
      expect(isAlive(pid)).toBe(true);
      parent.kill('SIGKILL');
      await until(() => !isAlive(pid));
    },
    'reports a keychain that fails as the error of the call': async () => {
      const own = temporaryHome();
      mkdirSync(join(own, '.config/sched'), { recursive: true, mode: 0o700 });
      const login = { store: 'keychain', issuer: sandbox.base_url, client: 'personal-access-token', user: 'U default' };
      const profiles = { default: { base_url: sandbox.base_url, login } };
      writeFileSync(
        join(own, '.config/sched/config.json'),
        JSON.stringify({ version: 1, current: 'default', profiles }),
        { mode: 0o600 },
      );
      const { child, said, ended, replied } = start([], { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }, own);
      child.stdin.write(hello);
      await replied(0);
      child.stdin.write(call(1, 'users_me'));
      await replied(1);
      child.stdin.end();
      expect((await ended).code).toBe(0);
      expectProtocol(said.stdout);
      const reply = said.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .find(({ id }) => id === 1);
      expect(reply.result.isError).toBe(true);
      expect(reply.result.structuredContent.error).toMatchObject({ code: 'environment', exit: 3 });
      expect(JSON.stringify(reply.result)).toContain('keychain');
    },
    ...Object.fromEntries(
      cases.map((each) => [
        `writes nothing but the protocol to stdout ${each.name}, and ends after ${each.end}`,
        () => writesOnlyProtocol(each),
      ]),
    ),
    ...(process.platform === 'linux' && onFullDisk),
  });
});
