import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freeTimes } from './free-times.ts';
import { besideWithCpu, type Figure, interleave, type Spent } from './measurement.ts';
import { cpuHook, type RunningSandbox, startSandbox } from './programs.ts';

const rounds = 15;

// biome-ignore lint/suspicious/noExplicitAny: the body of a reply
type Body = any;

const sender = ({ base_url: url, token, admin_token: secret }: RunningSandbox) => {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers };
    const reply = await fetch(url + path, { ...init, headers });
    if (!reply.ok) throw new Error(await reply.text());
    return reply;
  };
  const get = async (path: string): Promise<Body> => (await send(path)).json();
  const post = async (path: string, body: object, headers = {}): Promise<Body> =>
    (await send(path, { method: 'POST', body: JSON.stringify(body), headers })).json();
  const admin = (path: string, body = {}) => post(`/__sandbox/${path}`, body, { 'x-sandbox-admin': secret });
  return { send, get, post, admin };
};

/** Opens the desk's stream and reads until it has sent the whole desk. */
const deskReader = async ({ send, post, admin }: ReturnType<typeof sender>) => {
  const { url } = await admin('desk/keys');
  const { session } = await post('/__sandbox/desk/session', { key: new URL(url).hash.replace('#key=', '') });
  return async () => {
    const { body } = await send('/__sandbox/desk/stream', { headers: { 'x-sandbox-desk': session } });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('\n\n')) text += (await reader.read()).value;
    await reader.cancel();
  };
};

const mcpClient = async ({ base_url: url, token }: RunningSandbox): Promise<Client> => {
  const client = new Client({ name: 'bench', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
};

/** What people and programs do with a running sandbox, beside reading one of its records. */
export const measure = async (): Promise<Figure[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const hook = join(home, 'cpu.cjs');
  writeFileSync(hook, cpuHook);
  const sandbox = await startSandbox(home, hook, ['--data', join(home, 'sandbox.db'), '--no-limits']);
  const client = await mcpClient(sandbox);
  try {
    const asking = sender(sandbox);
    const { get, post, admin } = asking;
    /** The time until it is done, and the CPU time of the sandbox. */
    const spentOn = (work: () => Promise<unknown>, times = 10) => {
      return async (): Promise<Spent> => {
        const [before, started] = [await sandbox.used(), performance.now()];
        for (let each = 0; each < times; each += 1) await work();
        const wall = performance.now() - started;
        return { wall: wall / times, cpu: ((await sandbox.used()) - before) / times / 1000 };
      };
    };
    const { resource: me } = await get('/users/me');
    const types = await get(`/event_types?user=${encodeURIComponent(me.uri)}&count=100`);
    const type = types.collection.find(({ name }: { name: string }) => name === 'Intro call').uri;
    const free = freeTimes();
    const invitee = { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' };
    const took = await interleave(
      {
        read: spentOn(() => get('/users/me'), 40),
        book: spentOn(() => post('/invitees', { event_type: type, start_time: free.next().value, invitee })),
        // The desk has eight places, and one that was left is free within a second.
        desk: spentOn(await deskReader(asking), 2),
        tools: spentOn(() => client.listTools()),
        call: spentOn(() => client.callTool({ name: 'events_list', arguments: { limit: 1 } })),
      },
      rounds,
    );
    await admin('snapshots', { name: 'base' });
    const data = await interleave(
      {
        restore: spentOn(() => admin('snapshots/base/restore'), 1),
        reset: spentOn(() => admin('reset'), 1),
      },
      rounds,
    );
    return [
      besideWithCpu('sandbox: a booking, beside a read', 'ms', took.book, took.read),
      besideWithCpu(
        "sandbox: the desk's stream until the whole desk is sent, beside a read",
        'ms',
        took.desk,
        took.read,
      ),
      besideWithCpu('MCP: tools/list, beside a read', 'ms', took.tools, took.read),
      besideWithCpu('MCP: a call that lists one event, beside a read', 'ms', took.call, took.read),
      besideWithCpu('sandbox: restoring a snapshot, beside a reset', 'ms', data.restore, data.reset, { most: 0.5 }),
    ];
  } finally {
    await client.close();
    sandbox.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
