import { chmodSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { usualServer } from '../../src/auth/auth-server.ts';
import { recordFromLogin } from '../../src/auth/credential.ts';
import { splitEntries } from '../../src/auth/split-value.ts';
import { createStore } from '../../src/auth/stores.ts';
import type { Vault } from '../../src/auth/vault.ts';
import type { Send } from '../../src/http/message.ts';
import { memoryEntries } from '../auth/support/memory.ts';
import { type Bookings, createBookings } from '../support/bookings.ts';
import type { TestWorld } from '../support/run.ts';
import { createWorld, someday } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { fieldsOf } from './facts.ts';

/*
 * Files written by a version of sched, in fixtures/VERSION/{config,state,cache,elsewhere}, and keychain.json. Later
 * versions must read them. Paths in them start with a placeholder (`anywhere`), because the files are copied first.
 */

export const fixtures = new URL('fixtures', import.meta.url).pathname;
export const anywhere = '/FIXTURE';

export const baseUrl = 'https://api.example.com';
export const authUrl = 'https://auth.example.com';
/** Fake tokens. A test fails if one of them is printed. */
export const tokens = {
  environment: 'canary-access-environment',
  personal: 'canary-access-personal',
  oauth: 'canary-access-oauth',
  refresh: 'canary-refresh-oauth',
  long: `canary-access-${'long-'.repeat(300)}end`,
};
export const people = {
  finished: ['ada@engine.example', 'grace@compiler.example'],
  unfinished: ['alan@machine.example', 'edsger@paths.example'],
  sandbox: ['barbara@types.example'],
  elsewhere: ['donald@art.example'],
};
/** The half-hour slot of each booking. */
export const slots = { booked: 0, refused: 1, open: 2, missed: 3, bookedInVersion1: 4, openInVersion1: 5 };

/** What `events follow` has met: each of these happens after the one before, and `old` before its first start. */
export const followed = ['old', 'told', 'canceled', 'open', 'told before a kill', 'not told'] as const;

/** A service with those bookings. */
export const followedBookings = (upTo: (typeof followed)[number], isCanceled: boolean): Bookings => {
  const bookings = createBookings();
  const minute = 60_000;
  for (const [index, name] of followed.slice(0, followed.indexOf(upTo) + 1).entries()) {
    const at = someday - 3_600_000 + index * minute;
    bookings.book(at, 7 * 24 * 3_600_000);
    if (name === 'canceled' && isCanceled) bookings.cancel(index, 0, at + minute / 2);
  }
  return bookings;
};

const inEnvironment = { SCHED_TOKEN: tokens.environment, SCHED_BASE_URL: baseUrl };
export const noToken = { SCHED_TOKEN: '', SCHED_BASE_URL: '' };

/** A world whose service accepts the tokens above as the owner's, with its files in this folder. */
export const worldIn = async (folder: string): Promise<TestWorld> => {
  const env = {
    ...Object.fromEntries(
      ['config', 'state', 'cache'].map((kind) => [`SCHED_${kind.toUpperCase()}_DIR`, join(folder, kind)]),
    ),
    ...inEnvironment,
  };
  // The times in the files are those of a machine whose clock was right.
  const world = await createWorld({ home: folder, env, clockAheadMs: 0 });
  const asOwner: Send = (request) => {
    const { authorization } = request.headers;
    const isOurs = Object.values(tokens).some((token) => authorization === `Bearer ${token}`);
    return world.service(
      isOurs ? { ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } } : request,
    );
  };
  const run: TestWorld['run'] = (line, more) => world.run(line, { send: asOwner, ...more });
  return { ...world, service: asOwner, run };
};

/** A copy of the files of a version, in a temporary directory. */
export const copyOf = (version: string, versions = fixtures): string => {
  const folder = temporaryDirectory('fixture');
  cpSync(join(versions, version), folder, { recursive: true });
  // Git doesn't keep modes: a checkout's depend on the umask.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  }
  for (const path of filesIn(folder).filter((each) => !each.endsWith('.gz')))
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(anywhere, folder));
  return folder;
};

export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();

export const deletionLine = (emails: readonly string[]) => `compliance delete ${emails.join(' ')} --yes --json`;

/** A store on top of keychain entries. */
export const keychainOf = (texts: Map<string, string>) => {
  const entries = splitEntries(memoryEntries(texts), (count) => new Uint8Array(count));
  const vault: Vault = { kind: 'keychain', describe: () => 'keychain', use: (work) => work(entries) };
  return createStore(vault, (count) => new Uint8Array(count));
};

export const oauthRecord = (accessToken: string) =>
  recordFromLogin(
    {
      accessToken,
      refreshToken: tokens.refresh,
      expiresInSeconds: 7200,
      scope: undefined,
      owner: `${baseUrl}/users/U`,
      organization: `${baseUrl}/organizations/O`,
    },
    {
      client: { server: usualServer(authUrl), id: 'client' },
      origin: baseUrl,
      scopes: ['users:read', 'scheduled_events:write'],
      now: someday,
    },
  );

export const ledgerIn = (folder: string): string => join(folder, 'state/bookings');

const fieldsIn = (line: string): string[] => {
  try {
    return [...new Set(fieldsOf(JSON.parse(line)))].sort();
  } catch {
    return ['text'];
  }
};

/**
 * The field names of each line, by file path. Version numbers in file names differ between runs, so they become N. Locks
 * mean nothing after the processes have ended.
 */
export const shapeOf = (folder: string): Record<string, string[]> =>
  Object.fromEntries(
    filesIn(folder)
      .filter((path) => !/\/\.?locks\//.test(path))
      .map((path) => {
        const text = readFileSync(path, 'utf8');
        const hasLines = path.endsWith('.jsonl') || path.includes('/follow/');
        const lines = hasLines ? text.trimEnd().split('\n') : [text];
        return [relative(folder, path).replace(/\/\d+$/, '/N'), lines.map((line) => fieldsIn(line).join(' '))];
      }),
  );
