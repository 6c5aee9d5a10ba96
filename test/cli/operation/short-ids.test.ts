import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { uniqueBeginnings } from '../../../src/base/uri.ts';
import { mostRemembered } from '../../../src/cli/session/recent-records.ts';
import type { HttpRequest } from '../../../src/http/message.ts';
import { createWorld, type Result, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
beforeEach(async () => {
  world = await createWorld();
  home = temporaryDirectory('short-ids');
});

const atTerminal = (line: string, more: WorldOptions = {}): Promise<Result> =>
  world.run(line, { terminals, home, stdin: '', ...more });

const idsOf = async (line: string): Promise<string[]> =>
  (await world.run(`${line} -o id`)).stdout
    .trim()
    .split('\n')
    .map((uri) => uri.split('/').at(-1)!);

const folder = () => join(home, '.cache/sched');
const remembered = (): string[] =>
  (existsSync(folder()) ? readdirSync(folder()) : []).filter((name) => /^shown-/.test(name));
const paths = (requests: HttpRequest[]) => requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);

test('the beginning of an ID that a terminal showed is enough for it', async () => {
  const ids = await idsOf('events list --limit 20');
  await atTerminal('events list --any-time --limit 20');
  const [id, short] = [...uniqueBeginnings(ids)][3]!;
  expect(short.length).toBeLessThan(id.length);
  const shown = await atTerminal(`events get ${short}`);
  expect(paths(shown.requests)).toContain(`GET /scheduled_events/${id}`);
  expect(shown.code).toBe(0);
  const [file] = remembered();
  expect(statSync(join(folder(), file!)).mode & 0o777).toBe(0o600);
  // Neither names nor addresses are stored.
  expect(readFileSync(join(folder(), file!), 'utf8')).toMatch(
    /^\{"records":\["[a-z_]+\/\w+"(,"[a-z_]+\/\w+")*\],"at":\d+\}$/,
  );
});

test('each of several arguments takes it', async () => {
  const ids = await idsOf('events list --limit 20');
  await atTerminal('events list --any-time --limit 20');
  const [one, other] = [...uniqueBeginnings(ids)];
  const { stdout } = await atTerminal(`events cancel ${one![1]} ${other![1]} --dry-run`);
  for (const [id] of [one!, other!]) expect(stdout).toContain(`/scheduled_events/${id}/cancellation`);
});

test('a flag takes it too', async () => {
  const [id] = await idsOf('event-types list');
  await atTerminal('event-types list');
  const { requests } = await atTerminal(`availability list --event-type ${id!.slice(0, 6)}`);
  expect(requests.some(({ url }) => new URL(url).searchParams.get('event_type')?.endsWith(`/${id}`))).toBe(true);
});

test('a beginning of several IDs is refused, and nothing is sent', async () => {
  const send = async (request: HttpRequest) => {
    const reply = await world.service(request);
    return { ...reply, body: reply.body.replaceAll(/scheduled_events\/..../g, 'scheduled_events/SAME') };
  };
  await atTerminal('events list --limit 5', { send });
  const { code, stderr, requests } = await atTerminal('events cancel SAME');
  expect(code).toBe(2);
  expect(stderr).toMatch(/IDs of events begin with "SAME": SAME\w+, SAME\w+/);
  expect(requests).toEqual([]);
});

test('a word that no such ID begins with is sent as it is', async () => {
  await atTerminal('events list --limit 5');
  expect(paths((await atTerminal('events get NONE1234')).requests)).toEqual(['GET /scheduled_events/NONE1234']);
  await atTerminal('groups list');
  expect((await atTerminal('groups get "customer team"')).code).toBe(0);
});

test.each<[string, string, WorldOptions]>([
  ['in a pipe', 'events list --limit 5', { terminals: ['stdin', 'stderr'] }],
  ['as JSON', 'events list --limit 5 --json', {}],
])('nothing is stored %s', async (_, line, more) => {
  await atTerminal(line, more);
  expect(remembered()).toEqual([]);
});

const typed: WorldOptions['terminals'] = ['stdin', 'stderr'];

test.each<[string, string, WorldOptions]>([
  ['in a pipe', 'get', { terminals: typed }],
  ['in a pipe, for a write that asks', 'cancel', { terminals: typed, stdin: 'y\n' }],
  ['in a pipe, for what a write would send', 'cancel --dry-run --yes', { terminals: typed }],
  ['on Windows in a pipe', 'get', { terminals: typed, platform: 'win32' }],
])('a beginning is enough for a person %s', async (_, verb, more) => {
  const env = { SCHED_CACHE_DIR: join(home, 'cache'), SCHED_STATE_DIR: join(home, 'state') };
  const [id] = await idsOf('events list --upcoming --status active --limit 1');
  await atTerminal('events list --upcoming --limit 1', { ...more, terminals, env });
  const { code, requests } = await atTerminal(`events ${verb} ${id!.slice(0, 4)}`, { ...more, env });
  expect(code).toBe(0);
  expect(paths(requests).join()).toContain(`/scheduled_events/${id}`);
});

test.each<[string, string, WorldOptions]>([
  ['in CI', 'get', { env: { CI: '1' } }],
  ['with --no-input', 'get', { env: { SCHED_NO_INPUT: '1' } }],
  ['without a terminal, as in cron', 'get', { terminals: [] }],
  ['if only the output is a terminal', 'get', { terminals: ['stdout', 'stderr'] }],
  ['if errors go to a file', 'get', { terminals: ['stdin', 'stdout'] }],
  ['for a write with --yes', 'cancel --yes', {}],
  ['for a write with --yes in a pipe', 'cancel --yes', { terminals: typed }],
])('a beginning is not enough %s, and the error names the whole ID', async (_, verb, more) => {
  const [id] = await idsOf('events list --upcoming --status active --limit 1');
  await atTerminal('events list --upcoming --limit 1');
  const short = id!.slice(0, 4);
  const { code, requests, stderr } = await atTerminal(`events ${verb} ${short}`, more);
  expect(code).toBe(6);
  expect(paths(requests).join()).toContain(`/scheduled_events/${short}`);
  expect(paths(requests).join()).not.toContain(id!);
  const where = verb.includes('--yes') ? 'without --yes' : 'on a terminal';
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    `"${short}" is the beginning of ${id}: four characters are only enough ${where}`,
  );
  expect(stderr).toContain(`try: sched events ${verb} ${id}\n`);
});

test('the line in the error writes out each of several beginnings', async () => {
  const ids = (await idsOf('events list --upcoming --status active --limit 2')) as [string, string];
  await atTerminal('events list --upcoming --limit 2');
  const [one, other] = ids.map((id) => id.slice(0, 4));
  const { code, stderr } = await atTerminal(`events cancel ${one} ${other} --yes --dry-run`, { terminals: [] });
  expect(code).toBe(6);
  expect(stderr).toContain(`"${one}" is the beginning of ${ids[0]}, and "${other}" is the beginning of ${ids[1]}: `);
  expect(stderr).toContain(`try: sched events cancel ${ids.join(' ')} --yes --dry-run\n`);
});

test('only the latest records are remembered, and a file that cannot be read does no harm', async () => {
  const [first] = await idsOf('events list --limit 1');
  const collection = Array.from({ length: mostRemembered + 50 }, (_, index) => ({
    uri: `http://x.test/users/U${index}`,
  }));
  const send = async (request: HttpRequest) => {
    const reply = await world.service(request);
    const isList = new URL(request.url).pathname === '/groups';
    return isList ? { ...reply, body: JSON.stringify({ collection, pagination: {} }) } : reply;
  };
  await atTerminal(`events get ${first}`);
  const file = join(folder(), remembered()[0]!);
  await atTerminal('groups list --all', { send });
  const { records } = JSON.parse(readFileSync(file, 'utf8'));
  expect(records).toHaveLength(mostRemembered);
  expect(records).not.toContain(`scheduled_events/${first}`);
  writeFileSync(file, '{"records":[{');
  expect((await atTerminal(`events get ${first!.slice(0, 8)}`)).code).toBe(6);
  expect((await atTerminal(`events get ${first}`)).code).toBe(0);
});
