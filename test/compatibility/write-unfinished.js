/**
 * Writes a home directory in which work is unfinished: commands of a version of `sched` are killed in the middle of requests.
 *
 *   node test/compatibility/write-unfinished.js /path/to/that/version/bin/sched.js VERSION
 *
 * It needs `script` and redis-server. The sandbox that the commands wrote to is among the files, so that a newer version can
 * go on with both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as sendRequest } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

const [program = '', version = ''] = process.argv.slice(2);
const target = new URL(`unfinished/${version}/`, import.meta.url).pathname;
const home = join(tmpdir(), `sched-unfinished-${process.pid}`);
const [port, sandboxPort, redisPort, handlerPort] = [4010, 4011, 4012, 4013];
const baseUrl = `http://127.0.0.1:${port}`;
const redisUrl = `redis://127.0.0.1:${redisPort}`;
mkdirSync(home, { mode: 0o700 });

const world = `sandbox: 1
organization: { name: Small Team }
users:
  ada:
    name: Ada Owner
    timezone: UTC
    availability: { hours: [mon-sun 00:00-24:00] }
    event_types:
      review: { name: Review, duration: 30 }
      tour: { name: Tour, duration: 60 }
`;
writeFileSync(join(home, 'world.yaml'), world);

/** @type {Record<string, string>} */
const env = {
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  SCHED_CONFIG_DIR: join(home, 'config'),
  SCHED_STATE_DIR: join(home, 'state'),
  SCHED_CACHE_DIR: join(home, 'cache'),
  SCHED_BASE_URL: baseUrl,
  SCHED_TOKEN: 'sandbox_owner',
};

/** @param {import('node:stream').Readable} output @param {RegExp} wanted */
const said = async (output, wanted) => {
  let all = '';
  while (!wanted.test(all)) {
    const [chunk] = await once(output, 'data');
    all += chunk;
  }
};

/** @param {string[]} words @param {Record<string, string>} [more] @param {string} [input] */
const start = (words, more = {}, input = '') => {
  const child = spawn(process.execPath, [program, ...words], { env: { ...env, ...more }, cwd: home });
  const ended = once(child, 'close');
  child.stdin.write(input);
  // A client of tools stays until it has its answer.
  if (input.includes('jsonrpc')) void said(child.stdout, /"id":2/).then(() => child.stdin.end());
  else child.stdin.end();
  return { child, stdout: text(child.stdout), stderr: text(child.stderr), ended };
};

/** @param {string[]} words @param {Record<string, string>} [more] @param {string} [input] */
const run = async (words, more, input, wanted = 0) => {
  const { stdout, stderr, ended } = start(words, more, input);
  const [code] = await ended;
  if (code !== wanted) throw new Error(`sched ${words.join(' ')} ended with ${code}: ${await stderr}`);
  return stdout;
};

/** The request that a command is killed at: the nth with this method and path, before or after the service has it. */
/** @type {{ line: RegExp, nth: number, isAfter: boolean, kill: () => void } | undefined} */
let trap;

/** Whether the sandbox looks for invitees by address, or lists every event instead. */
let searches = true;

/** Whether the service refuses the next booking. */
let refuses = false;

/** The address of the proxy stands for that of the sandbox in everything that passes. */
const asSandbox = (/** @type {string} */ part) => part.replaceAll(`:${port}`, `:${sandboxPort}`);
const asProxy = (/** @type {string} */ part) => part.replaceAll(`:${sandboxPort}`, `:${port}`);

const proxy = createServer(async (incoming, reply) => {
  const body = asSandbox(await text(incoming));
  if (refuses && `${incoming.method} ${incoming.url}` === 'POST /invitees') {
    refuses = false;
    reply.writeHead(409, { 'content-type': 'application/json' }).end('{"title":"Conflict"}');
    return;
  }
  const isTrapped = trap?.line.test(`${incoming.method} ${incoming.url}`) && --trap.nth === 0;
  if (isTrapped && !trap?.isAfter) {
    trap?.kill();
    reply.destroy();
    return;
  }
  const { method, url = '' } = incoming;
  const asked = searches ? url : url.replace(/invitee_email=[^&]*&?/, '');
  const path = asked.replaceAll(`%3A${port}`, `%3A${sandboxPort}`);
  const { 'content-length': _, ...headers } = { ...incoming.headers, host: `127.0.0.1:${sandboxPort}` };
  const outgoing = sendRequest({ port: sandboxPort, host: '127.0.0.1', method, path, headers });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response');
  const content = asProxy(await text(answer));
  if (isTrapped) {
    trap?.kill();
    reply.destroy();
    return;
  }
  const { 'content-length': __, ...told } = answer.headers;
  reply.writeHead(answer.statusCode, told).end(content);
});
proxy.listen(port, '127.0.0.1');
await once(proxy, 'listening');

/**
 * Runs a command that is killed at a request.
 * @param {string[]} words @param {RegExp} line @param {{ isAfter?: boolean, nth?: number, env?: Record<string, string>, input?: string }} [how]
 */
const killed = async (words, line, { isAfter = false, nth = 1, env: more, input } = {}) => {
  const { child, stdout, stderr, ended } = start(words, more, input);
  trap = { line, nth, isAfter, kill: () => void child.kill('SIGKILL') };
  const [code, signal] = await ended;
  trap = undefined;
  if (signal !== 'SIGKILL') throw new Error(`sched ${words.join(' ')} ended with ${code}: ${await stderr}`);
  return stdout;
};

const data = join(home, 'sandbox.db');
const sandbox = start([
  'sandbox',
  'start',
  '--data',
  data,
  '--seed',
  'world.yaml',
  '--port',
  `${sandboxPort}`,
  '--no-limits',
]);
await said(sandbox.child.stdout, /SCHED_TOKEN/);
const redis = spawn('redis-server', ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', '', '--dir', home]);
process.on('exit', () => [sandbox.child, redis].map((child) => child.kill()));
await said(redis.stdout, /ready to accept connections/i);

const day = 24 * 3_600_000;
const midnight = Math.floor(Date.now() / day) * day;
/** @param {number} days @param {number} [hour] */
const at = (days, hour = 9) => new Date(midnight + days * day + hour * 3_600_000).toISOString().replace('.000', '');
/** @param {string} name @param {string} start @param {string} [type] */
const booking = (name, start, type = 'Review') => [
  ...['invitees', 'create', '--event-type', type, '--start', start, '--name', name],
  ...['--email', `${name.toLowerCase()}@example.com`, '--timezone', 'UTC', '--json'],
];
/** @param {string} name @param {string} start @returns {Promise<string>} */
const eventOf = async (name, start) =>
  JSON.parse(await run(booking(name, start)))
    .event.split('/')
    .at(-1);

/** @type {Record<string, unknown>} */
const facts = {};

/** The invitees that a command printed or sent, in deliveries. @param {string} lines */
const inviteesIn = (lines) => [...lines.matchAll(/"uri":"([^"]*\/invitees\/[^"]+)"/g)].map(([, uri]) => uri);

// A profile that asks before every write.
const profile = ['-p', 'prod'];
const noToken = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };
const login = ['auth', 'login', '--with-token', '--credential-store', 'file', '--base-url', baseUrl];
await run([...login, ...profile], noToken, 'sandbox_owner\n');
await run(['profiles', 'set', 'protected', 'yes', ...profile], noToken);

// Two people whose deletion has ended: they may still be there. The mirror has forgotten them.
for (const [index, name] of ['Tea', 'Uwe', 'Vio'].entries()) await run(booking(name, at(32, 9 + index)));
const follow = ['events', 'follow', '--once', '-o', 'jsonl'];
const followed = inviteesIn(await run([...follow, '--since', at(-1)]));
await run(['mirror', 'sync', '--yes']);
writeFileSync(join(home, 'gone.txt'), 'tea@example.com\nuwe@example.com\n');
const gone = ['compliance', 'delete', '--from', 'gone.txt', '--yes', '--confirm', '2', '--json'];
const { run: deleted, head } = JSON.parse(await run(gone));
facts.deletion = { run: deleted, head };

// Moves, each killed in another phase, and two that ended. The new time of two is refused, so the old one is booked again.
/** @type {[name: string, line: RegExp | undefined, isAfter: boolean, flags: string[]][]} */
const moves = [
  ['Planned', /^POST \/invitees/, false, []],
  ['Booked', /^POST \/invitees/, true, []],
  ['Canceling', /cancellation$/, false, []],
  ['Canceled', /cancellation$/, true, []],
  ['CancelFirst', /cancellation$/, true, ['--cancel-first']],
  ['Booking', /^POST \/invitees/, false, ['--cancel-first']],
  ['BookedLast', /^POST \/invitees/, true, ['--cancel-first']],
  ['Back', /^POST \/invitees/, true, ['--cancel-first']],
  ['Done', undefined, false, []],
  ['Ended', undefined, false, ['--cancel-first']],
];
/** @type {unknown[]} */
const moved = [];
for (const [index, [name, line, isAfter, flags]] of moves.entries()) {
  const [from, to] = [at(3 + index), at(3 + index, 15)];
  const event = await eventOf(name, from);
  const words = ['events', 'move', event, '--to', to, ...flags, '--yes'];
  refuses = name === 'Back' || name === 'Ended';
  if (line === undefined) await run(words, {}, '', refuses ? 7 : 0);
  else await killed(words, line, { isAfter });
  moved.push({ name, event, from, to, flags });
}
facts.moves = moved;

// What follows the bookings, each killed on its way through them.
followed.push(...inviteesIn(await killed(follow, /invitees(\?|$)/, { nth: 4 })));
facts.followed = followed;
writeFileSync(join(home, 'hooks.key'), 'a-key-that-signs-deliveries\n', { mode: 0o600 });
/** @type {string[]} */
const delivered = [];
/** @type {() => void} */
let onDelivery = () => {};
const handler = createServer(async (incoming, reply) => {
  const [uri = ''] = inviteesIn(await text(incoming));
  if (delivered.length === 3) return onDelivery();
  delivered.push(uri);
  reply.writeHead(204).end();
});
handler.listen(handlerPort, '127.0.0.1');
await once(handler, 'listening');
const backfill = start([
  ...['webhooks', 'backfill', '--since', at(-1), '--forward-to', `http://127.0.0.1:${handlerPort}/`],
  ...['--signing-key-file', 'hooks.key', '--yes'],
]);
onDelivery = () => void backfill.child.kill('SIGKILL');
await backfill.ended;
handler.closeAllConnections();
handler.close();
if (delivered.length !== 3) throw new Error(`the backfill ended early: ${await backfill.stderr}`);
facts.backfill = { since: at(-1), delivered };
searches = false;
await killed(['compliance', 'recheck', deleted, '--from', 'gone.txt'], /invitees(\?|$)/, { nth: 4 });
searches = true;

// Bulk bookings and a deletion, killed between two records.
const people = ['Fay', 'Gil', 'Hal'];
const rows = people.map((name, index) => `${name},${name.toLowerCase()}@example.com,${at(14, 9 + index)},UTC`);
writeFileSync(join(home, 'people.csv'), `name,email,start_time,timezone\n${rows.join('\n')}\n`);
const bulk = ['invitees', 'create', '--event-type', 'Review', '--from', 'people.csv', '--yes'];
await killed(bulk, /^POST \/invitees/, { isAfter: true, nth: 2 });
facts.bulk = { people, starts: people.map((_, index) => at(14, 9 + index)) };
writeFileSync(join(home, 'leave.txt'), 'ivy@example.com\njon@example.com\nkim@example.com\n');
for (const name of ['Ivy', 'Jon', 'Kim'])
  await run(booking(name, at(16, 9 + name.length + (name.charCodeAt(0) % 8)), 'Tour'));
await killed(['mirror', 'sync'], /invitees(\?|$)/, { nth: 4 });
const deletion = ['compliance', 'delete', '--from', 'leave.txt', '--batch-size', '1', '--yes', '--confirm', '3'];
await killed(deletion, /invitee_deletion/, { nth: 2 });

// A bulk cancellation, and a bulk move.
const visits = [await eventOf('Lea', at(18)), await eventOf('Max', at(18, 10)), await eventOf('Ned', at(18, 11))];
writeFileSync(join(home, 'cancel.txt'), `${visits.join('\n')}\n`);
await killed(['events', 'cancel', '--from', 'cancel.txt', '--yes'], /cancellation$/, { isAfter: true, nth: 2 });
const trips = [await eventOf('Oda', at(20)), await eventOf('Pia', at(20, 10))];
writeFileSync(
  join(home, 'moves.csv'),
  `event,to\n${trips.map((event, index) => `${event},${at(21, 9 + index)}`).join('\n')}\n`,
);
await killed(['events', 'move', '--from', 'moves.csv', '--yes'], /cancellation$/, { isAfter: true, nth: 1 });
facts.bulkMove = { events: trips, to: [at(21), at(21, 10)] };

// A configuration: one creation whose reply is lost, one that isn't sent, and a plan that waits to be confirmed.
/** @param {Record<string, [name: string, minutes: number]>} types */
const configOf = (types) =>
  ['sched: 1', 'users:', '  me:', '    event_types:']
    .concat(
      Object.entries(types).map(
        ([key, [name, minutes]]) => `      ${key}: { name: ${name}, duration: ${minutes}, active: true }`,
      ),
    )
    .join('\n');
writeFileSync(join(home, 'team.yaml'), configOf({ one: ['One', 15], two: ['Two', 15], three: ['Three', 15] }));
const create = ['config', 'apply', 'team.yaml', '--yes', '--allow', 'create'];
await killed(create, /^POST \/event_types/, { isAfter: true, nth: 2 });
writeFileSync(join(home, 'plan.yaml'), configOf({ tour: ['Tour', 90] }));
const planned = start(['config', 'diff', 'plan.yaml', '--json']);
facts.digest = JSON.parse(await planned.stdout).digest;
await planned.ended;

// Days off, after the first of two schedules has changed.
await killed(['availability', 'off', at(25).slice(0, 10), '--yes'], /^PATCH \/event_type_availability/, {
  isAfter: true,
});
facts.off = at(25).slice(0, 10);

// Tools that an AI client calls: one that ends, and one that doesn't.
/** @param {object} values */
const calling = (values) =>
  [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'event_types_update', arguments: values } },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('');
const serve = ['mcp', 'serve', '--allow-writes', '--log', 'mcp.log'];
await run(serve, {}, calling({ event_type: 'Tour', description: 'First' }));
const patch = /^PATCH \/event_types/;
await killed(serve, patch, { isAfter: true, input: calling({ event_type: 'Tour', description: 'Second' }) });

// What a terminal shows, and what completion asks for.
const line = [process.execPath, program, 'events', 'list', '--limit', '3'].join(' ');
await once(
  spawn('script', ['-qec', line, '/dev/null'], {
    env: { ...env, TERM: 'xterm' },
    stdio: ['ignore', 'ignore', 'ignore'],
  }),
  'close',
);
await run(['__complete', 'event-types', 'get', '']);

// A booking whose process is killed while it holds what it locks, and one that is only on Redis.
const shared = { SCHED_SHARED_STATE: redisUrl };
await killed(booking('Quin', at(28)), /^POST \/invitees/, { env: shared, isAfter: true });
facts.lostOnRedis = at(28);
const onRedis = await eventOf('Rex', at(30));
await killed(['events', 'move', onRedis, '--to', at(30, 15), '--yes'], /cancellation$/, { env: shared });
facts.moveOnRedis = { name: 'Rex', event: onRedis, from: at(30), to: at(30, 15), flags: [] };
await killed(booking('Sue', at(29)), /^POST \/invitees/, { isAfter: true });
facts.lost = at(29);

await run(['sandbox', 'snapshot', 'save', 'base', '--data', data]);
await run(['sandbox', 'export', '--data', data]).then((yaml) => writeFileSync(join(home, 'exported-world.yaml'), yaml));
facts.now = Date.now();

sandbox.child.kill('SIGINT');
await sandbox.ended;

/** All keys of Redis, as RESTORE takes them. */
const redisCli = async (/** @type {string[]} */ ...words) => {
  const child = spawn('redis-cli', ['-p', `${redisPort}`, '--raw', ...words]);
  return text(child.stdout);
};
/** @type {Record<string, { ttl: number, value: unknown }>} */
const keys = {};
for (const key of (await redisCli('KEYS', '*')).trim().split('\n').sort()) {
  const type = (await redisCli('TYPE', key)).trim();
  const value =
    type === 'zset'
      ? (await redisCli('ZRANGE', key, '0', '-1', 'WITHSCORES')).trim().split('\n')
      : (await redisCli('GET', key)).trimEnd();
  keys[key] = { ttl: Number(await redisCli('PTTL', key)), value };
}
redis.kill();
proxy.close();

/** Names of this machine, and what stands for them in the files. */
const names = [
  [home, '/FIXTURE'],
  [readFileSync('/etc/machine-id', 'utf8').trim(), 'MACHINE'],
  [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), 'BOOT'],
  [readlinkSync('/proc/self/ns/pid'), 'SPACE'],
  [`"host":"${hostname()}"`, '"host":"HOST"'],
];
const nameless = (/** @type {string} */ text) =>
  names.reduce((rest, [name = '', placeholder = '']) => rest.replaceAll(name, placeholder), text);

rmSync(target, { recursive: true, force: true });
for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' })) {
  const path = join(home, name);
  // Compiled code and rate budgets mean nothing an hour later, and the index of a log is made again.
  if (!statSync(path).isFile() || /^(cache\/compiled|state\/budget)|-shm$/.test(name)) continue;
  const isBinary = /\.db(-wal)?$/.test(name);
  const to = join(target, isBinary ? `${name}.gz` : name);
  mkdirSync(join(to, '..'), { recursive: true });
  writeFileSync(to, isBinary ? gzipSync(readFileSync(path), { level: 9 }) : nameless(readFileSync(path, 'utf8')));
}
writeFileSync(join(target, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
writeFileSync(
  join(target, 'redis.json'),
  `${JSON.stringify(keys, null, 2).replaceAll(JSON.stringify(`"host":"${hostname()}"`).slice(1, -1), JSON.stringify(`"host":"HOST"`).slice(1, -1))}\n`,
);
rmSync(home, { recursive: true });
