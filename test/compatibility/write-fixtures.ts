import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentialKey } from '../../src/auth/credential.ts';
import { createStore, fileVault } from '../../src/auth/stores.ts';
import type { Clock } from '../../src/base/system.ts';
import { bookingDigest } from '../../src/commands/booking/work-attempt.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { type Bookings, serveBookings } from '../support/bookings.ts';
import { filesWith } from '../support/files-world.ts';
import { bookingLine, breaking, faults, plainType } from '../support/lost-replies.ts';
import type { Result, TestWorld, WorldOptions } from '../support/run.ts';
import {
  anywhere,
  authUrl,
  baseUrl,
  deletionLine,
  filesIn,
  followed,
  followedBookings,
  keychainOf,
  ledgerIn,
  noToken,
  oauthRecord,
  people,
  slots,
  tokens,
  worldIn,
} from './old-files.ts';

const must = async (result: Promise<Result>, code = 0): Promise<Result> => {
  const found = await result;
  if (found.code !== code) throw new Error(`ended with ${found.code}, not ${code}: ${found.stderr}`);
  return found;
};

const writeLogins = async (folder: string, { run }: TestWorld): Promise<void> => {
  const login = 'auth login --with-token --credential-store file -p personal';
  await must(run(`${login} --base-url ${baseUrl}`, { env: noToken, stdin: `${tokens.personal}\n` }));
  await must(
    run(`profiles add work --base-url ${baseUrl} --auth-url ${authUrl} --client-id client --mcp-url ${baseUrl}/mcp`),
  );
  for (const [key, value] of [
    ['timezone', 'Europe/Paris'],
    ['output', 'json'],
    ['issuer', authUrl],
  ])
    await must(run(`profiles set ${key} ${value} -p work`));
  const record = oauthRecord(tokens.oauth);
  const key = credentialKey(record, `${record.owner} work`);
  const zeros = (count: number) => new Uint8Array(count);
  await createStore(fileVault(join(folder, 'config'), filesWith()), zeros).write(key, record);
  const path = join(folder, 'config/config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  config.profiles.work.login = { store: 'file', ...key };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
  const texts = new Map<string, string>();
  const long = oauthRecord(tokens.long);
  await keychainOf(texts).write(credentialKey(long), long);
  writeFileSync(join(folder, 'keychain.json'), `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`);
};

/** Turns the last entry into a version 1 entry, whose digest includes the origin. */
const asVersion1 = (folder: string, before: readonly string[]): void => {
  for (const name of readdirSync(ledgerIn(folder)).filter((each) => !before.includes(each))) {
    const path = join(ledgerIn(folder), name);
    const { organization: _, ...entry } = JSON.parse(readFileSync(path, 'utf8'));
    const digest = bookingDigest({ version: 1, origin: baseUrl }, entry, 'ada@engine.example');
    writeFileSync(path.replace(entry.digest, digest), JSON.stringify({ ...entry, version: 1, digest }));
    rmSync(path);
  }
};

const writeLedger = async (folder: string, world: TestWorld): Promise<void> => {
  const { run } = world;
  const type = await plainType(world);
  const lost = { send: breaking(world, faults['reset before commit']) };
  // The look-up gets no reply, either.
  const away: WorldOptions = {
    send: async (request) =>
      request.url.includes('/scheduled_events') ? faults['reset before commit']() : lost.send(request),
  };
  await must(run(bookingLine(type, slots.booked)));
  const refused: Send = breaking(world, async () => ({ status: 409, headers: {}, body: '{"title":"Conflict"}' }));
  await must(run(bookingLine(type, slots.refused), { send: refused }), 7);
  await must(run(bookingLine(type, slots.open), away), 10);
  await must(run(bookingLine(type, slots.missed), lost), 10);
  for (const [slot, how, code] of [
    [slots.bookedInVersion1, {}, 0],
    [slots.openInVersion1, away, 10],
  ] as const) {
    const before = readdirSync(ledgerIn(folder));
    await must(run(bookingLine(type, slot), how), code);
    asVersion1(folder, before);
  }
};

/** The files of a process that is killed during its second request. */
const cutAfterSecondSending = (path: string): void => {
  const lines = readFileSync(path, 'utf8').split('\n');
  const second = lines.findIndex((line) => line.includes('"type":"sending","batch":2,'));
  writeFileSync(path, `${lines.slice(0, second + 1).join('\n')}\n`);
};

const writeReceipts = async (folder: string, { run, clock, token }: TestWorld): Promise<void> => {
  const heads: Record<string, { run: string; head: string }> = {};
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  const ways: Record<string, [more: string, env: Record<string, string>]> = {
    finished: ['', {}],
    unfinished: ['--batch-size 1', {}],
    sandbox: ['', { SCHED_TOKEN: token, SCHED_BASE_URL: 'http://127.0.0.1:4010' }],
    elsewhere: [`--receipt ${elsewhere}/receipt.jsonl`, {}],
  };
  for (const [name, [more, env]] of Object.entries(ways)) {
    await clock.sleep(1000);
    const { stdout } = await must(run(`${deletionLine(people[name as keyof typeof people])} ${more}`, { env }));
    const { run: id, head, receipt } = JSON.parse(stdout);
    if (name === 'unfinished') cutAfterSecondSending(receipt);
    heads[name] = { run: id, head };
  }
  writeFileSync(join(folder, 'heads.json'), `${JSON.stringify(heads, null, 2)}\n`);
};

/** The state of `events follow` after a process that was killed before its last line. */
const writeFollow = async ({ run, clock }: TestWorld): Promise<void> => {
  const follow = (bookings: Bookings, more: WorldOptions = {}, quirks: object = {}) =>
    must(
      run('events follow --once -o jsonl', { send: serveBookings(bookings, { now: clock.now, ...quirks }), ...more }),
    );
  await follow(followedBookings('old', false));
  const { stdout } = await follow(followedBookings('canceled', false));
  await follow(followedBookings('canceled', true));
  const open = `E${followed.indexOf('open')}`;
  const invitees = (event: string) => (event === open ? { status: 404 } : undefined);
  await follow(followedBookings('open', true), {}, { invitees });
  await follow(followedBookings('not told', true), { closeAfter: stdout.indexOf('\n') + 1 }, { invitees });
};

/** The budget while a command waits, before it returns unused permits. */
const writeBudget = async (folder: string, { run, clock, service }: TestWorld): Promise<void> => {
  const budget = join(folder, 'state/budget');
  const kept = join(folder, 'kept');
  rmSync(budget, { recursive: true });
  const copying: Clock = {
    now: clock.now,
    sleep: async (milliseconds) => {
      cpSync(budget, kept, { recursive: true });
      await clock.sleep(milliseconds);
    },
  };
  let isFirst = true;
  const send = (request: HttpRequest) => {
    if (!isFirst) return service(request);
    isFirst = false;
    const headers = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '40' };
    return Promise.resolve({ status: 429, headers, body: '{}' });
  };
  await must(run('users me', { clock: copying, send }));
  rmSync(budget, { recursive: true });
  renameSync(kept, budget);
};

/** Writes the files of this version by running its commands. */
export const writeFixtures = async (folder: string): Promise<void> => {
  const world = await worldIn(folder);
  await writeLogins(folder, world);
  await writeLedger(folder, world);
  await writeReceipts(folder, world);
  const group = (await must(world.run('groups list --limit 1 -o id'))).stdout.trim();
  await must(world.run(`groups events ${group}`));
  await writeFollow(world);
  await writeBudget(folder, world);
  for (const path of filesIn(folder)) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(folder, anywhere));
  }
  world.close();
};
