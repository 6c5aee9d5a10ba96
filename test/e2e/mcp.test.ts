import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, callTool, createClient } from '../support/mcp-client.ts';
import { spawn } from '../support/processes.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  isStandalone,
  program,
  type RunningSandbox,
  runner,
  sched,
  startSandbox,
  temporaryHome,
} from './program.ts';
import { smallService } from './small-service.ts';

/** The official client with the built program. R52. */

let sandbox: RunningSandbox;
let env: Record<string, string>;
let home: string;

beforeAll(async () => {
  sandbox = await startSandbox('--data', ':memory:', '--seed', 'large:300');
  env = { SCHED_TOKEN: sandbox.token, SCHED_BASE_URL: sandbox.base_url, SCHED_MCP_URL: sandbox.mcp_url };
  home = temporaryHome();
  return () => sandbox.stop();
});

interface Options {
  answer?: Answer;
  isModern?: boolean;
  env?: Record<string, string>;
}

let client: Client | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
});

/** Starts the program as a client does. */
const serving = async (flags: string[] = [], { answer, isModern, env: own = env }: Options = {}) => {
  const transport = new StdioClientTransport({
    command: runner,
    args: [...program, 'mcp', 'serve', ...flags],
    env: cleanEnvironment(home, own),
    stderr: 'pipe',
  });
  client = createClient({ ...(answer && { answer }), ...(isModern && { isModern }) });
  await client.connect(transport);
  return { client, pid: transport.pid! };
};

const idOf = async (...args: string[]): Promise<string> =>
  (await sched([...args, '-o', 'id', '--limit', '1'], home, env)).stdout.trim();
const activeEvent = () => idOf('events', 'list', '--status', 'active', '--upcoming');
const statusOf = async (event: string): Promise<string> =>
  JSON.parse((await sched(['events', 'get', event, '--json'], home, env)).stdout).status;

/** Arguments of the tools that need some. */
const argumentsFor = async (): Promise<Record<string, Record<string, unknown>>> => {
  const [event, type, group] = [await activeEvent(), await idOf('event-types', 'list'), await idOf('groups', 'list')];
  return {
    availability_list: { event_type: type },
    event_types_get: { event_type: type },
    event_types_hosts: { event_type: type },
    event_types_slots: { event_type: type },
    events_get: { event },
    groups_events: { group },
    groups_get: { group },
    groups_members: { group },
    groups_relationship: { relationship: await idOf('groups', 'relationships') },
    invitees_get: { event: await idOf('invitees', 'list', event) },
    invitees_list: { event },
    members_get: { membership: await idOf('members', 'list') },
    webhooks_get: { webhook: await idOf('webhooks', 'list') },
    users_get: { user: 'me' },
  };
};

describe('mcp serve with the official client', () => {
  test('lists its tools, and every one can be called', async () => {
    const { client } = await serving();
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(25);
    const values = await argumentsFor();
    for (const { name } of tools) {
      const { isError, error, bytes } = await callTool(client, name, values[name]);
      expect([name, isError, error]).toEqual([name, false, undefined]);
      expect(bytes).toBeLessThanOrEqual(32 * 1024);
    }
  }, 60_000);

  test('pages through more than 500 events, 20 at a time', async () => {
    const { client } = await serving();
    const uris: unknown[] = [];
    let calls = 0;
    let cursor: string | undefined;
    do {
      const part = await callTool(client, 'events_list', {
        org: 'current',
        ...(cursor === undefined ? {} : { cursor }),
      });
      calls += 1;
      uris.push(...part.items.map(({ uri }) => uri));
      cursor = part.next_cursor;
    } while (cursor !== undefined);
    const all = (await sched(['events', 'list', '--org', 'current', '-o', 'id'], home, env)).stdout.trim().split('\n');
    expect(all.length).toBeGreaterThan(500);
    expect(uris).toEqual(all);
    expect(calls).toBeGreaterThanOrEqual(all.length / 20);
  }, 60_000);

  test('reads a list of a service that ignores how many rows are wanted', async () => {
    const service = await smallService();
    const who = { SCHED_USER: 'http://127.0.0.1/users/U', SCHED_ORG: 'http://127.0.0.1/organizations/O' };
    const { client } = await serving([], { env: { ...service.env, ...who } });
    const uris = new Set<unknown>();
    let cursor: string | undefined;
    for (let call = 0; call < 25; call += 1) {
      const part = await callTool(client, 'events_list', cursor === undefined ? {} : { cursor });
      expect(part.items).toHaveLength(20);
      for (const { uri } of part.items) uris.add(uri);
      cursor = part.next_cursor;
    }
    expect(uris.size).toBe(500);
    service.close();
  });

  test('has no tool for a write without permission', async () => {
    const event = await activeEvent();
    const { client } = await serving();
    await expect(callTool(client, 'events_cancel', { event: [event] })).rejects.toThrow('No tool "events_cancel"');
    expect(await statusOf(event)).toBe('active');
  });

  test.each([
    ['2025-11-25', false],
    ['2026-07-28', true],
  ])('cancels after a yes and not after a no, with revision %s', async (_, isModern) => {
    const event = await activeEvent();
    const said: ('yes' | 'no')[] = ['no', 'yes'];
    const questions: string[] = [];
    const answer: Answer = (question) => {
      questions.push(question);
      return said.shift()!;
    };
    const { client } = await serving(['--allow-writes=events.cancel'], { answer, isModern });
    const refused = await callTool(client, 'events_cancel', { event: [event] });
    expect(refused.error).toMatchObject({ code: 'confirmation-required', outcome: 'not-sent' });
    expect(await statusOf(event)).toBe('active');
    const canceled = await callTool(client, 'events_cancel', { event: [event], reason: 'The host is ill' });
    expect(canceled.record).toMatchObject({ status: 'canceled' });
    expect(await statusOf(event)).toBe('canceled');
    expect(questions).toHaveLength(2);
    expect(questions[0]).toMatch(/^Cancel "/);
  });

  test('refuses a write if the client can not ask, unless it was started with --yes', async () => {
    const event = await activeEvent();
    const { client: first } = await serving(['--allow-writes']);
    const { error } = await callTool(first, 'events_cancel', { event: [event] });
    expect(error).toMatchObject({ code: 'confirmation-required', exit: 12 });
    await first.close();
    const { client: second } = await serving(['--allow-writes', '--yes']);
    expect((await callTool(second, 'events_cancel', { event: [event] })).record.status).toBe('canceled');
  });

  // R30
  test('stays within 10 requests a minute, however many calls run at once', async () => {
    const service = await smallService({ limit: { limit: 10, windowMs: 60_000 } });
    const { client } = await serving(['--no-wait'], { env: service.env });
    const results = await Promise.all(Array.from({ length: 12 }, () => callTool(client, 'users_me')));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(10);
    const refused = results.filter(({ isError }) => isError);
    for (const { error } of refused) expect(error).toMatchObject({ code: 'rate-limited', exit: 8, retryable: true });
    expect(service.seen).toMatchObject({ answered: 10, refused: 0 });
    service.close();
  });
});

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
  test('ends when its client is killed', async () => {
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
  });

  test('ends with exit code 0 when stdin is closed', async () => {
    const { child, said, ended, replied } = start([], env);
    child.stdin.write(hello);
    await replied(0);
    child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expectProtocol(said.stdout);
  });

  test('ends with exit code 143 on SIGTERM', async () => {
    const { child, said, ended, replied } = start([], env);
    child.stdin.write(hello);
    await replied(0);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 143, signal: null });
    expectProtocol(said.stdout);
  });

  test.each<[string, string[], () => Record<string, string>, RegExp]>([
    ['with -v', ['-v'], () => env, /users_me: .*GET .*\/users\/me/],
    ['in the sandbox', ['--sandbox'], () => ({}), /users_me: sandbox/],
    ['without an account', [], () => ({}), /^$/],
    [
      'with a warning of Node',
      [],
      () => ({ ...env, NODE_OPTIONS: "--import=data:text/javascript,process.emitWarning('careful')" }),
      isStandalone ? /^/ : /Warning: careful/,
    ],
    ['with lines that are not the protocol', [], () => env, /protocol: /],
  ])('writes nothing but the protocol to stdout %s', async (name, flags, envOf, stderr) => {
    const { child, said, ended, replied } = start(flags, envOf());
    child.stdin.write(hello);
    await replied(0);
    if (name.includes('not the protocol')) child.stdin.write('hello?\n{"jsonrpc":"1"}\n');
    child.stdin.write(call(1, 'users_me'));
    await replied(1);
    child.stdin.end();
    expect((await ended).code).toBe(0);
    expectProtocol(said.stdout);
    expect(said.stderr).toMatch(stderr);
  });

  test('reports a keychain that fails as the error of the call', async () => {
    const own = temporaryHome();
    const flags = ['--with-token', '--credential-store', 'file', '--base-url', sandbox.base_url];
    await sched(['auth', 'login', ...flags], own, {}, `${sandbox.token}\n`);
    const config = join(own, '.config/sched/config.json');
    writeFileSync(config, readFileSync(config, 'utf8').replace(/("store": *)"file"/, '$1"keychain"'));
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
  });

  test.skipIf(process.platform !== 'linux')('ends with exit code 3 if stdout is on a full disk', async () => {
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
  });

  test.skipIf(process.platform !== 'linux')('does not mind if stderr is on a full disk', async () => {
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
  });
});
