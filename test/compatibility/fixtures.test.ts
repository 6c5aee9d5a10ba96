import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { credentialKey, credentialName } from '../../src/auth/credential.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import type { LedgerEntry } from '../../src/state/ledger-entry.ts';
import { serveBookings } from '../support/bookings.ts';
import { bookingLine, plainType, posts } from '../support/lost-replies.ts';
import type { Result, TestWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import {
  authUrl,
  baseUrl,
  copyOf,
  deletionLine,
  fixtures,
  followed,
  followedBookings,
  keychainOf,
  ledgerIn,
  noToken,
  oauthRecord,
  people,
  shapeOf,
  slots,
  tokens,
  worldIn,
} from './old-files.ts';
import { writeFixtures } from './write-fixtures.ts';

/** FIXTURES=write stores the files of this version for the tests of later versions. */
if (process.env.FIXTURES === 'write')
  test('writes the files of this version', async () => {
    const folder = join(fixtures, manifest.version);
    if (existsSync(folder)) throw new Error(`${folder} already exists; remove it if that version was not released`);
    mkdirSync(folder, { recursive: true });
    await writeFixtures(folder);
    expect(Object.keys(shapeOf(folder))).toContain('config/config.json');
  });

const inOrder = new Intl.Collator('en', { numeric: true });
const versions = existsSync(fixtures) ? readdirSync(fixtures).sort(inOrder.compare) : [];

test('this version writes files in the same format as the newest fixtures', async () => {
  const folder = temporaryDirectory('written');
  await writeFixtures(folder);
  expect(
    shapeOf(folder),
    'The format of the files on disk has changed. sched must still read the older ones: leave the existing fixtures as they are, and add new ones under a new version: FIXTURES=write npx vitest run test/compatibility/fixtures.test.ts',
  ).toEqual(shapeOf(join(fixtures, versions.at(-1)!)));
});

const hour = 3_600_000;

describe.each(sample(versions, 1))('files of version %s', (version) => {
  let folder: string;
  let world: TestWorld;
  let type: string;
  let heads: Record<keyof typeof people, { run: string; head: string }>;
  beforeAll(async () => {
    type = await plainType(await worldIn(copyOf(version)));
  });
  beforeEach(async () => {
    folder = copyOf(version);
    world = await worldIn(folder);
    heads = JSON.parse(readFileSync(join(folder, 'heads.json'), 'utf8'));
  });

  const jsonOf = ({ stdout }: Result) => JSON.parse(stdout);
  const bearers = ({ requests }: Result) => [...new Set(requests.map(({ headers }) => headers.authorization))];
  const paths = ({ requests }: Result) => requests.map(({ url }) => new URL(url).pathname);

  test('keep every setting of every profile in config.json', async () => {
    expect(jsonOf(await world.run('profiles list --json'))).toEqual([
      expect.objectContaining({ name: 'personal', current: true, base_url: baseUrl }),
      {
        name: 'work',
        current: false,
        base_url: baseUrl,
        auth_url: authUrl,
        mcp_url: `${baseUrl}/mcp`,
        client_id: 'client',
        issuer: authUrl,
        timezone: 'Europe/Paris',
        output: 'json',
        login: { store: 'file', issuer: authUrl, client: 'client', user: `${baseUrl}/users/U work` },
      },
    ]);
  });

  describe('with logins', () => {
    test.each([
      ['personal', tokens.personal],
      ['work', tokens.oauth],
    ])('use the login of %s', async (profile, token) => {
      const result = await world.run(`users me -p ${profile}`, { env: noToken });
      expect([result.code, bearers(result)]).toEqual([0, [`Bearer ${token}`]]);
    });

    test('refresh an expired login with the stored refresh token', async () => {
      await world.clock.sleep(3 * hour);
      const refreshed: string[] = [];
      const send: Send = async (request) => {
        if (!request.url.startsWith(authUrl)) return world.service(request);
        refreshed.push(request.url, new URLSearchParams(request.body).get('refresh_token')!);
        const body = { access_token: tokens.personal, token_type: 'Bearer', expires_in: 7200 };
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      };
      const { code } = await world.run('users me -p work', { env: noToken, send });
      // That version kept no addresses: it used fixed paths.
      expect([code, refreshed]).toEqual([0, [`${authUrl}/oauth/token`, tokens.refresh]]);
    });

    test('revoke the login where that version did', async () => {
      const send: Send = async () => ({ status: 200, headers: {}, body: '' });
      const result = await world.run('auth logout -p work', { env: noToken, send });
      expect([result.code, [...new Set(result.requests.map(({ url }) => url))]]).toEqual([
        0,
        [`${authUrl}/oauth/revoke`],
      ]);
    });

    // R22: processes of both versions may refresh it at the same time.
    test('keep the lock of the login under the same name', async () => {
      const { login } = JSON.parse(readFileSync(join(folder, 'config/config.json'), 'utf8')).profiles.work;
      const { store: _, ...key } = login;
      expect(credentialName(key)).toBe('f4aeddc7ad39bd3dfad80c05ddf993976d33bc80');
    });

    test('join a login that the keychain stores in parts', async () => {
      const texts = new Map<string, string>(
        Object.entries(JSON.parse(readFileSync(join(folder, 'keychain.json'), 'utf8'))),
      );
      const wanted = oauthRecord(tokens.long);
      expect(texts.size).toBeGreaterThan(1);
      expect(await keychainOf(texts).read(credentialKey(wanted))).toEqual(wanted);
    });
  });

  describe('with a booking ledger', () => {
    const entryOf = (slot: string): LedgerEntry => {
      const entries = readdirSync(ledgerIn(folder))
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(ledgerIn(folder), name), 'utf8')) as LedgerEntry);
      return entries.find(({ start_time }) => bookingLine('', slots[slot as keyof typeof slots]).includes(start_time))!;
    };
    const book = (slot: keyof typeof slots, send: Send = world.service) =>
      world.run(bookingLine(type, slots[slot]), { send });

    /** A service that shows the invitee of an entry. */
    const showing =
      ({ event, invitee }: LedgerEntry): Send =>
      async (request: HttpRequest) =>
        request.url.endsWith(`/invitees/${invitee!.split('/').at(-1)}`)
          ? { status: 200, headers: {}, body: JSON.stringify({ resource: { uri: invitee, event, status: 'active' } }) }
          : world.service(request);

    test.each(['booked', 'bookedInVersion1'] as const)('%s: send the same booking no second time', async (slot) => {
      const result = await book(slot, showing(entryOf(slot)));
      expect([posts(result.requests), jsonOf(result)]).toMatchObject([0, { uri: entryOf(slot).invitee }]);
    });

    test('refused: send the same booking as a second attempt', async () => {
      const result = await book('refused');
      expect([result.code, posts(result.requests)]).toEqual([0, 1]);
      const { digest } = entryOf('refused');
      expect(readdirSync(ledgerIn(folder)).filter((name) => name.includes(digest))).toHaveLength(2);
    });

    test.each(['open', 'missed', 'openInVersion1'] as const)(
      '%s: send nothing before the outcome is known',
      async (slot) => {
        const result = await book(slot);
        expect([result.code, posts(result.requests)]).toEqual([10, 0]);
      },
    );

    test.each(['open', 'missed', 'openInVersion1'] as const)(
      '%s: find the booking once the service shows it',
      async (slot) => {
        const elsewhere = await world.run(bookingLine(type, slots[slot]), {
          env: { SCHED_STATE_DIR: join(folder, 'other') },
        });
        const result = await book(slot);
        expect([elsewhere.code, result.code, posts(result.requests)]).toEqual([0, 0, 0]);
        expect(jsonOf(result)).toMatchObject({ uri: jsonOf(elsewhere).uri, _sched: { already: true } });
      },
    );

    test('missed: count from the first look-up, so that one more settles it', async () => {
      await world.clock.sleep(hour);
      // A newer booking, which shows that the list doesn't lag behind.
      expect((await world.run(bookingLine(type, 100))).code).toBe(0);
      const settled = jsonOf(await world.run('invitees reconcile --json')) as { start_time: string; verdict: string }[];
      const verdictOf = (slot: keyof typeof slots) =>
        settled.find(({ start_time }) => start_time === entryOf(slot).start_time)?.verdict;
      expect([verdictOf('missed'), verdictOf('open'), verdictOf('openInVersion1')]).toEqual([
        'not-booked',
        'unknown',
        'unknown',
      ]);
    });
  });

  describe('with receipts', () => {
    const verify = (name: keyof typeof people) =>
      world.run(`compliance verify ${heads[name].run} --head ${heads[name].head} --json`);
    const deleted = ({ requests }: Result): string[] =>
      requests
        .filter(({ url }) => url.endsWith('/invitee_deletion'))
        .flatMap(({ body }) => (JSON.parse(body!) as { emails: string[] }).emails);

    test('verify a finished receipt with its head, and prove an address with its key', async () => {
      expect(jsonOf(await verify('finished'))).toMatchObject({ status: 'ok', total: 2, accepted: 2 });
      const proof = await world.run(`compliance prove ${heads.finished.run} --email ${people.finished[1]} --json`);
      expect([proof.code, jsonOf(proof)]).toEqual([0, expect.objectContaining({ found: true, verdict: 'accepted' })]);
    });

    test('do not send a finished run again within 12 hours', async () => {
      await world.clock.sleep(hour);
      const result = await world.run(deletionLine(people.finished));
      expect([result.code, deleted(result), jsonOf(result).run]).toEqual([0, [], heads.finished.run]);
    });

    test('resume an unfinished run where it stopped', async () => {
      const result = await world.run(deletionLine(people.unfinished));
      expect([result.code, deleted(result)]).toEqual([0, [people.unfinished[1]]]);
      expect(jsonOf(result)).toMatchObject({ run: heads.unfinished.run, total: 2, accepted: 2 });
      expect((await world.run(`compliance verify ${heads.unfinished.run}`)).code).toBe(0);
    });

    test('do not accept a receipt from the sandbox as proof', async () => {
      const result = await verify('sandbox');
      expect([result.code, jsonOf(result).status]).toEqual([13, 'sandbox']);
    });

    test('find a receipt elsewhere by its run, and report it if it is missing', async () => {
      const receipt = join(folder, 'elsewhere/receipt.jsonl');
      expect(jsonOf(await verify('elsewhere'))).toMatchObject({ status: 'ok', receipt });
      rmSync(receipt);
      const runs = jsonOf(await world.run('compliance runs --json')) as { run: string; status: string }[];
      expect(runs.find(({ run }) => run === heads.elsewhere.run)).toMatchObject({ status: 'missing', receipt });
    });
  });

  test('show the rate budget: remaining requests, reset time and waiting commands', async () => {
    const [bucket] = readdirSync(join(folder, 'state/budget'));
    const last = readdirSync(join(folder, 'state/budget', bucket!))
      .sort(inOrder.compare)
      .at(-1)!;
    const { waiting } = JSON.parse(readFileSync(join(folder, 'state/budget', bucket!, last), 'utf8'));
    const [{ pid, since, until }] = waiting;
    await world.clock.sleep(since - world.clock.now());
    const [sinceThen, untilThen] = [since, until].map((time) => new Date(time).toISOString());
    expect(jsonOf(await world.run('ratelimit --json'))).toEqual([
      {
        window: 'requests a minute',
        limit: 10,
        remaining: 0,
        reset_at: untilThen,
        reset_s: 40,
        waiting: [{ pid, since: sinceThen, until: untilThen }],
      },
    ]);
  });

  // The first version had no `events follow`.
  test.runIf(existsSync(join(fixtures, version, 'state/follow')))(
    'follow bookings where that version stopped: nothing twice, nothing missing',
    async () => {
      const bookings = followedBookings('not told', true);
      const added = followed.length;
      bookings.book(world.clock.now(), 24 * hour);
      const send = serveBookings(bookings, { now: world.clock.now });
      const { code, stdout, stderr } = await world.run('events follow --once -o jsonl --jq .payload.uri', { send });
      expect(code, stderr).toBe(0);
      const events = [...stdout.matchAll(/scheduled_events\/E(\d+)\//g)].map(([, index]) => Number(index));
      expect(events.map((index) => followed[index] ?? index)).toEqual(['open', 'not told', added]);
    },
  );

  describe('with a cache', () => {
    test('save a request for the identity', async () => {
      expect(paths(await world.run('events list --limit 1'))).toEqual(['/scheduled_events']);
    });

    test('save a request for the plan', async () => {
      const asksPlan = async (slot: number) =>
        paths(await world.run(bookingLine(type, slot))).some((path) => path.startsWith('/organizations/'));
      // Only the second booking needs the plan.
      expect([await asksPlan(10), await asksPlan(11)]).toEqual([false, false]);
      for (const name of readdirSync(join(folder, 'cache')).filter((each) => each.startsWith('plan-')))
        rmSync(join(folder, 'cache', name));
      expect(await asksPlan(12)).toBe(true);
    });

    test('save a request for filters', async () => {
      const group = (await world.run('groups list --limit 1 -o id')).stdout.trim();
      expect(paths(await world.run(`groups events ${group} --limit 1`))).toEqual(['/scheduled_events']);
    });
  });
});
