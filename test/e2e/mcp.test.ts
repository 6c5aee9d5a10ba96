import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import { type Answer, callTool, createClient } from '../support/mcp-client.ts';
import { spawn } from '../support/processes.ts';
import { few, isDeep, sample, times } from '../support/tier.ts';
import { until } from '../support/until.ts';
import {
  cleanEnvironment,
  commandsOn,
  farMonday,
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
  sandbox = await startSandbox(...(isDeep ? ['--data', ':memory:', '--seed', 'large:300'] : []));
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

/** Arguments of the tools that need some. */
const argumentsFor = async (reader: Client): Promise<Record<string, Record<string, unknown>>> => {
  const first = (tool: string, values?: Record<string, unknown>) => firstOf(reader, tool, values);
  const [event, type, group] = [await activeEvent(reader), await first('event_types_list'), await first('groups_list')];
  return {
    availability_list: { event_type: type },
    batch: { calls: [{ tool: 'users_me' }, { tool: 'events_get', arguments: { event } }] },
    config_diff: { file: 'sched: 1\nusers: { me: { webhooks: [] } }' },
    event_types_get: { event_type: type },
    event_types_hosts: { event_type: type },
    event_types_slots: { event_type: type },
    event_types_why: { event_type: type, time: farMonday() },
    events_get: { event },
    groups_events: { group },
    groups_get: { group },
    groups_members: { group },
    groups_relationship: { relationship: await first('groups_relationships') },
    invitees_get: { event, invitee: await first('invitees_list', { event }) },
    invitees_list: { event },
    members_get: { membership: await first('members_list') },
    webhooks_get: { webhook: await first('webhooks_list') },
    users_get: { user: 'me' },
  };
};

describe('mcp serve with the official client', () => {
  interface Write {
    name: string;
    flags: string[];
    answers?: ('yes' | 'no')[];
    isModern?: boolean;
    /** What becomes of the event with each call. */
    statuses: string[];
  }

  const writes: Write[] = [
    {
      name: 'after a yes and not after a no, with revision 2025-11-25',
      flags: ['--allow-writes=events.cancel'],
      answers: ['no', 'yes'],
      statuses: ['active', 'canceled'],
    },
    {
      name: 'after a yes and not after a no, with revision 2026-07-28',
      flags: ['--allow-writes=events.cancel'],
      answers: ['no', 'yes'],
      isModern: true,
      statuses: ['active', 'canceled'],
    },
    { name: 'not if the client can not ask', flags: ['--allow-writes'], statuses: ['active'] },
    { name: 'without a question with --yes', flags: ['--allow-writes', '--yes'], statuses: ['canceled'] },
  ];

  const cancels = async (write: Write) => {
    const questions: string[] = [];
    const answer: Answer = (question) => write.answers![questions.push(question) - 1]!;
    const client = await serving(write.flags, {
      ...(write.answers && { answer }),
      ...(write.isModern && { isModern: true }),
    });
    const event = await activeEvent(client);
    for (const status of write.statuses) {
      const { record, error } = await callTool(client, 'events_cancel', { event: [event], reason: 'The host is ill' });
      if (status === 'canceled') expect(record).toMatchObject({ status });
      else expect(error).toMatchObject({ code: 'confirmation-required', exit: 12, outcome: 'not-sent' });
      expect(await statusOf(event)).toBe(status);
    }
    expect(questions).toHaveLength(write.answers?.length ?? 0);
    for (const question of questions) expect(question).toMatch(/^Cancel "/);
  };

  // commands/mcp/serve.test.ts has them all in this process.
  few(1, {
    'lists its tools, and they can be called': async () => {
      const reader = await serving();
      const { tools } = await reader.listTools();
      expect(tools.length).toBeGreaterThan(25);
      const values = await argumentsFor(reader);
      const ofEachNoun = sample(tools, 1, ({ name }) => name.split('_')[0]);
      for (const { name } of ofEachNoun) {
        const { isError, error, bytes } = await callTool(reader, name, values[name]);
        expect([name, isError, error]).toEqual([name, false, undefined]);
        expect(bytes).toBeLessThanOrEqual(32 * 1024);
      }
    },
    'pages through hundreds of events, 20 at a time': async () => {
      const reader = await serving();
      const uris: unknown[] = [];
      let calls = 0;
      let cursor: string | undefined;
      do {
        const part = await callTool(reader, 'events_list', {
          org: 'current',
          ...(cursor === undefined ? {} : { cursor }),
        });
        calls += 1;
        uris.push(...part.items.map(({ uri }) => uri));
        cursor = part.next_cursor;
      } while (cursor !== undefined);
      const run = await commandsOn(sandbox);
      const all = (await run('events', 'list', '--org', 'current', '-o', 'id')).stdout.trim().split('\n');
      expect(all.length).toBeGreaterThan(times(200, 500));
      expect(uris).toEqual(all);
      expect(calls).toBeGreaterThanOrEqual(all.length / 20);
    },
    'has no tool for a write without permission': async () => {
      const reader = await serving();
      const event = await activeEvent(reader);
      await expect(callTool(reader, 'events_cancel', { event: [event] })).rejects.toThrow('No tool "events_cancel"');
      expect(await statusOf(event)).toBe('active');
    },
    ...Object.fromEntries(writes.map((write) => [`cancels ${write.name}`, () => cancels(write)])),
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
