import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readKey } from '../../../src/commands/bulk/work-receipt-key.ts';
import { type ConnectOptions, callTool, connect } from '../../support/mcp-client.ts';
import { connectWith, serveMcp } from '../../support/mcp-http.ts';
import { createWorld, isWrite, type TestWorld, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const hex = 'ab'.repeat(32);
const booking = {
  event_type: 'Intro call',
  first_free: true,
  name: 'Zoe\u001b[31m\n{"type":"done"}',
  email: 'zoe@secret.example',
  timezone: 'UTC',
};

let world: TestWorld;
let log: string;
let keyFile: string;
beforeEach(async () => {
  const directory = temporaryDirectory('call-log');
  keyFile = join(directory, 'receipt.key');
  writeFileSync(keyFile, `${hex}\n`, { mode: 0o600 });
  log = join(directory, 'mcp.log');
  world = await createWorld({ home: directory, env: { SCHED_RECEIPT_KEY_FILE: keyFile } });
});

const serving = (options: ConnectOptions = {}, flags = '') =>
  connect(world, `--allow-writes --log ${log} ${flags}`, options);
type Line = Record<string, unknown>;
const linesOf = (): Line[] =>
  readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
/** What is said of each call, without times and hashes. */
const saidOf = () =>
  linesOf()
    .filter(({ type }) => type === 'call' || type === 'done')
    .map(({ type, call, tool, confirmed, outcome }) => [call, type === 'call' ? tool : `${confirmed}: ${outcome}`]);
const verify = async (flags = '') => {
  const result = await world.run(`compliance verify ${log} --json ${flags}`);
  return { ...result, record: JSON.parse(result.stdout) as Line };
};

it('has a line before each write and one after it, with who confirmed, and nothing about people', {
  timeout: 60_000,
}, async () => {
  const answers: ('yes' | 'no')[] = ['yes', 'no'];
  const { client, close } = await serving({ answer: () => answers.shift()! });
  await callTool(client, 'event_types_list', {});
  await callTool(client, 'invitees_create', booking);
  const cancel = { event: ['JW6SHQTS78SH7TS8'], reason: 'zoe is ill' };
  await callTool(client, 'events_cancel', cancel);
  await callTool(client, 'events_cancel', { event: ['XEFT95ZZDW9SPL93'] });
  await callTool(client, 'event_types_update', { event_type: 'NOSUCHTYPE000000', name: 'x' });
  await close();
  expect(saidOf()).toEqual([
    [1, 'invitees_create'],
    [1, 'nobody: done'],
    [2, 'events_cancel'],
    [2, 'nobody: asked'],
    [3, 'events_cancel'],
    [3, 'person: done'],
    [4, 'events_cancel'],
    [4, 'nobody: asked'],
    [5, 'events_cancel'],
    [5, 'nobody: confirmation-required'],
    [6, 'event_types_update'],
    [6, 'nobody: not-found'],
  ]);
  const text = readFileSync(log, 'utf8');
  for (const part of ['zoe', 'Zoe', 'secret', 'Intro', '\u001b', 'JW6SHQTS78SH7TS8']) expect(text).not.toContain(part);
  const sorted = JSON.stringify({ event: cancel.event, reason: cancel.reason });
  expect(linesOf().find(({ call }) => call === 2)!.arguments).toBe(readKey(hex)!.mac(sorted));

  const { code, record } = await verify('--sandbox');
  expect([code, record]).toEqual([
    0,
    expect.objectContaining({ status: 'ok', total: 6, accepted: 2, rejected: 2, skipped: 2, unknown: 0, run: null }),
  ]);
});

it('shows against an earlier head whether lines were cut off its end', async () => {
  const write = async (name: string) => {
    const { client, close } = await serving();
    await callTool(client, 'event_types_create', { name, duration: 25 });
    await close();
    const { record } = await verify('--sandbox');
    expect(record.finding).toBe(
      'ok: no line was changed, moved, or removed before the last one, and each call has an outcome',
    );
    return String(record.head);
  };
  const heads = [await write('Chat'), await write('Talk')];
  for (const head of heads) expect((await verify(`--sandbox --head ${head}`)).record.status).toBe('ok');
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  writeFileSync(log, `${lines.slice(0, -3).join('\n')}\n`);
  const statuses = [];
  for (const head of heads) statuses.push((await verify(`--sandbox --head ${head}`)).record.status);
  expect(statuses).toEqual(['ok', 'rewritten']);
});

it('says that a flag confirmed, and is no receipt of a deletion', async () => {
  const { client, close } = await serving({}, '--yes');
  await callTool(client, 'events_cancel', { event: ['XEFT95ZZDW9SPL93'] });
  await close();
  expect(saidOf().at(-1)).toEqual([1, 'flag: done']);
  expect((await verify()).record.status).toBe('ok');
  expect((await world.run(`compliance prove ${log} --email a@b.example --sandbox`)).stderr).toContain(
    'is not from a deletion',
  );
});

it('knows after a kill between the lines that a write may have been made, and continues', async () => {
  let atKill = Buffer.alloc(0);
  const first = await serving({
    send: async (request) => {
      // What is on the disk when the request goes out: a kill leaves just that.
      if (isWrite(request)) atKill = readFileSync(log);
      return world.service(request);
    },
  });
  await callTool(first.client, 'event_types_create', { name: 'Chat', duration: 25 });
  await first.close();
  for (const torn of ['', '{"prev":"00']) {
    writeFileSync(log, Buffer.concat([atKill, Buffer.from(torn)]));
    const killed = await verify('--sandbox');
    expect([killed.code, killed.record.status]).toEqual([11, 'incomplete']);
    const next = await serving();
    await callTool(next.client, 'event_types_create', { name: 'Talk', duration: 25 });
    await next.close();
    expect(saidOf()).toEqual([
      [1, 'event_types_create'],
      [2, 'event_types_create'],
      [2, 'nobody: done'],
    ]);
    expect(linesOf()[2]).toMatchObject({ type: 'opened', repaired: torn.length });
    expect((await verify('--sandbox')).record).toMatchObject({ status: 'incomplete', total: 2, unknown: 1 });
  }
});

it('starts with no log that was changed or is something else, and leaves it as it is', async () => {
  const { client, close } = await serving();
  await callTool(client, 'event_types_create', { name: 'Chat', duration: 25 });
  await close();
  const whole = readFileSync(log, 'utf8');
  const lines = whole.trimEnd().split('\n');
  const without = [...lines.slice(0, 1), ...lines.slice(2)];
  for (const text of [whole.replace('"done"', '"gone"'), `${without.join('\n')}\n`, '{"a":1}\n', '']) {
    writeFileSync(log, text);
    const { code, stderr } = await world.run(`mcp serve --allow-writes --log ${log}`, { stdin: '' });
    expect([code, stderr]).toEqual([13, expect.stringContaining('is damaged: edited at line')]);
    expect(readFileSync(log, 'utf8')).toBe(text);
    if (text !== '') expect((await verify('--sandbox')).record.status).toBe('edited');
  }
});

it('lets one server at a time write a log, and refuses another one at its start', async () => {
  const { client, close } = await serving();
  const link = `${log}-link`;
  symlinkSync(dirname(log), link);
  for (const path of [log, join(link, 'mcp.log')]) {
    const { code, stderr } = await world.run(`mcp serve --allow-writes --log ${path}`, { stdin: '' });
    expect([code, stderr]).toEqual([7, expect.stringContaining(`Another server is writing to the log ${path}`)]);
    expect(stderr).toContain('give each server a log of its own');
  }
  const booked = await callTool(client, 'event_types_create', { name: 'Chat', duration: 25 });
  expect(booked).not.toHaveProperty('error');
  await close();
  const next = await serving();
  await callTool(next.client, 'event_types_create', { name: 'Talk', duration: 25 });
  await next.close();
  expect((await verify('--sandbox')).record).toMatchObject({ status: 'ok', total: 2 });
});

it('sends nothing when the log can no longer be written', async () => {
  const { client, close } = await serving();
  appendFileSync(log, 'another server\n');
  const refused = await callTool(client, 'event_types_create', { name: 'Chat', duration: 25 });
  expect(JSON.stringify(refused)).toContain('Another process is writing');
  expect(await callTool(client, 'event_types_list', {})).not.toHaveProperty('error');
  expect(writes(await close())).toEqual([]);
});

it('sends nothing when another server has taken over the log', async () => {
  const { client, close } = await serving();
  rmSync(join(dirname(log), '.local/state/sched/locks'), { recursive: true });
  const refused = await callTool(client, 'event_types_create', { name: 'Chat', duration: 25 });
  expect(refused.error).toMatchObject({ code: 'conflict', outcome: 'not-sent' });
  expect(refused.error.message).toContain('Another server writes to the log');
  expect(writes(await close())).toEqual([]);
  expect(saidOf()).toEqual([]);
});

it('records the writes at /mcp of a sandbox too', async () => {
  const { mcp } = await serveMcp(['--no-limits', '--mcp-log', log], { SCHED_RECEIPT_KEY_FILE: keyFile });
  const { client } = await connectWith(mcp, 'sandbox_owner', {});
  await callTool(client, 'event_types_list', {});
  await callTool(client, 'event_types_create', { name: 'Chat', duration: 25 });
  await client.close();
  expect(saidOf()).toEqual([
    [1, 'event_types_create'],
    [1, 'nobody: done'],
  ]);
  expect((await verify('--sandbox')).record.status).toBe('ok');
  expect((await verify()).record.status).toBe('sandbox');
});
