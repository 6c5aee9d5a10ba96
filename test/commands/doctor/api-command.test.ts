import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readDialect } from '../../../src/cli/session/dialect-file.ts';
import type { ApiFinding } from '../../../src/commands/doctor/api-prober.ts';
import { shippedDialects } from '../../../src/dialects/read.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpReply, HttpRequest } from '../../../src/http/message.ts';
import { createWorld, type TestWorld, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const calendly = await readDialect({ place: 'calendly', text: shippedDialects.calendly! });

let world: TestWorld;
let home: string;
beforeEach(() => {
  home = temporaryDirectory('doctor-api');
});

const probe = async (flags: string[] = [], more: WorldOptions = {}) => {
  const result = await world.run(['doctor', '--api', '--json', ...flags], { home, ...more });
  const findings: ApiFinding[] = result.stdout === '' ? [] : JSON.parse(result.stdout);
  const withVerdict = (verdict: ApiFinding['verdict']) =>
    findings.filter((each) => each.verdict === verdict).map(({ check }) => check);
  return { ...result, findings, differ: withVerdict('differs'), unknown: withVerdict('unknown') };
};

const json = (status: number, body: unknown): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A service that replies to some requests in its own way. */
const except =
  (replyTo: (path: string, query: URLSearchParams, request: HttpRequest) => HttpReply | undefined) =>
  async (request: HttpRequest): Promise<HttpReply> => {
    const { pathname, searchParams } = new URL(request.url);
    return replyTo(pathname, searchParams, request) ?? world.service(request);
  };

describe('doctor --api at a service as the documentation has it', () => {
  beforeEach(async () => {
    world = await createWorld();
  });

  test('suggests no dialect for the sandbox, which would be that of a profile', async () => {
    const { stderr } = await probe(['--sandbox', '--only', 'lists', '--write-dialect', join(home, 'a.yaml')]);
    expect(stderr).toContain(`Wrote ${join(home, 'a.yaml')}"`);
    expect(stderr).not.toContain('profiles set');
  });

  test('says that all guesses hold, by reads only, and prints no record', async () => {
    const { code, findings, differ, unknown, requests, stdout, stderr } = await probe();
    expect([code, differ, unknown]).toEqual([0, [], []]);
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(requests.length).toBeGreaterThan(40);
    expect(requests.length).toBeLessThan(60);
    // Nobody is marked as no-show, so that read isn't tried.
    expect(stderr).toContain(`about ${requests.length + 1} requests, reads only`);
    expect(stdout).not.toMatch(/@|Ada|Intro call/);
    expect(findings.find(({ check }) => check === 'path.events.get')).toMatchObject({
      status: 'ok',
      seen: { method: 'GET', path: '/scheduled_events/{event}', status: 200 },
      source: 'documented',
    });
    expect(findings.find(({ check }) => check === 'path.groups.relationships')?.source).toBe('assumed');
  });

  test('shows people only what differs, and everything with --verbose', async () => {
    const options = { home, terminals: ['stdout' as const] };
    const few = await world.run('doctor --api --only lists', options);
    expect(few.stdout).toBe(`\nok · 5 passed, 0 failed, 0 unknown (${few.requests.length} requests)\n`);
    const narrow = await world.run('doctor --api --only lists', { ...options, columns: 40 });
    expect(narrow.stdout).toMatch(/^\nok · 5 passed, 0 failed, 0 unknown \(\d+\nrequests\)\n$/);
    const all = await world.run('doctor --api --only lists --verbose', options);
    expect(all.stdout).toMatch(/^ok {2}lists\.count {6}count=1 returns 1 record$/m);
  });

  test('writes the verdicts to a pipe, and how many requests it sent', async () => {
    const { stdout, requests } = await world.run('doctor --api --only lists -o table', { home });
    expect(stdout).toMatch(/^holds {2}lists\.count {6}count=1 returns 1 record$/m);
    expect(stdout).toContain(`5 hold, 0 don't, 0 unknown (${requests.length} requests)`);
    expect(stdout).not.toContain('path.');
  });

  test('counts what a token may not read as unknown', async () => {
    const { code, differ, unknown } = await probe([], {
      send: except((path) =>
        /^\/(groups|organization|routing|activity|webhook|invitees|scheduled_events\/)/.test(path)
          ? json(403, { title: 'Permission Denied', message: 'This needs another plan.' })
          : undefined,
      ),
    });
    expect([code, differ]).toEqual([0, []]);
    expect(unknown).toEqual(expect.arrayContaining(['path.groups.list', 'path.groups.get', 'filter.members.role']));
  });

  test('finds filters and orders that a lenient service ignores, and writes them down', async () => {
    const send = async (request: HttpRequest) => {
      const url = new URL(request.url);
      for (const name of ['group', 'sort', 'sched_probe']) url.searchParams.delete(name);
      return world.service({ ...request, url: url.href });
    };
    const file = join(home, 'lenient.yaml');
    const { code, differ, findings } = await probe(['--write-dialect', file], { send });
    expect([code, differ]).toEqual([0, ['lists.sort', 'filter.events.group']]);
    expect(findings.find(({ check }) => check === 'filter.events.group')?.fix).toBe(
      'events.list: { lacks: [sort, group] }',
    );
    expect(await probe(['--dialect', file], { send })).toMatchObject({ code: 0, differ: [], unknown: [] });
  });

  test('finds a filter that a strict service refuses like any unknown parameter', async () => {
    const send = async (request: HttpRequest) => {
      const reply = await world.service({ ...request, url: request.url.replace('invitee_email=', 'other=') });
      return { ...reply, body: reply.body.replaceAll('"other"', '"invitee_email"') };
    };
    const { code, differ, findings } = await probe(['--only', 'filter'], { send });
    expect([code, differ]).toEqual([3, ['filter.events.invitee_email']]);
    expect(findings.find(({ verdict }) => verdict === 'differs')).toMatchObject({
      finding: 'refused like a parameter that nobody knows',
      fix: 'events.list: { lacks: [invitee_email] }',
    });
  });

  test("doesn't know the paths of writes where wrong methods are like wrong paths", async () => {
    const send = async (request: HttpRequest) => {
      const reply = await world.service(request);
      return reply.status === 405 ? json(404, { message: 'Not Found' }) : reply;
    };
    const { code, unknown } = await probe(['--only', 'path'], { send });
    expect([code, unknown]).toEqual([0, expect.arrayContaining(['path.events.cancel', 'path.shares.create'])]);
    expect(unknown).toHaveLength(9);
  });

  test('calls a path unknown that closes the connection, and tries the rest', async () => {
    const closed = new NetworkFailure('127.0.0.1', 'connection reset', true);
    const send = except((path) => {
      if (/^\/(groups|shares)$/.test(path)) throw closed;
      return undefined;
    });
    const { code, differ, unknown, findings } = await probe(['--only', 'path'], { send });
    expect([code, differ]).toEqual([0, []]);
    expect(unknown).toEqual(expect.arrayContaining(['path.groups.list', 'path.shares.create']));
    expect(unknown).toHaveLength(3);
    expect(findings.find(({ check }) => check === 'path.groups.list')?.finding).toBe('no reply: the connection failed');
    // Also if all other replies are refusals: no three in a row are lost.
    let last = '';
    let turn = 0;
    const every = async (request: HttpRequest): Promise<HttpReply> => {
      const { pathname } = new URL(request.url);
      if (pathname === '/users/me') return world.service(request);
      if (pathname !== last) turn += 1;
      last = pathname;
      if (turn % 2 === 0) throw closed;
      return json(404, { message: 'Not Found' });
    };
    expect((await probe(['--only', 'path'], { send: every })).code).not.toBe(9);
    const gone = await probe(['--only', 'path'], { send: async () => Promise.reject(closed) });
    expect(gone.code).toBe(9);
  });

  test('names the writes that it does not try', async () => {
    const { stderr } = await probe(['--only', 'path']);
    const named = /only a write would show it: (.+)"/.exec(stderr)![1]!.split(', ');
    const alsoReads = ['availability.update-all', 'invitations.create'];
    const writes = ['event-types.create', 'event-types.update', 'members.remove', 'webhooks.create', 'webhooks.delete'];
    expect(named.sort()).toEqual([...writes, ...alsoReads].sort());
  });

  test('ends with the error of a token that the service refuses', async () => {
    const { code, requests } = await probe([], { env: { SCHED_TOKEN: 'wrong' } });
    expect(code).toBe(4);
    expect(requests.length).toBeLessThan(4);
  });

  test('refuses groups that it does not know, and its flags without --api', async () => {
    expect(await probe(['--only', 'paths'])).toMatchObject({ code: 2, requests: [] });
    expect((await world.run('doctor --only path')).code).toBe(2);
  });

  test('names fields that are missing, of another type or unknown, and never their values', async () => {
    const send = async (request: HttpRequest): Promise<HttpReply> => {
      const reply = await world.service(request);
      if (!new URL(request.url).pathname.endsWith('/users/me')) return reply;
      const { slug: _, ...user } = JSON.parse(reply.body).resource;
      return json(200, { resource: { ...user, timezone: 1, hobby: 'chess', 'a\u001b[31mb': 1 } });
    };
    const { findings, stdout } = await probe(['--only', 'path'], { send });
    expect(findings[0]?.finding).toMatch(
      /, 11 of 12 fields; missing: slug; of another type: timezone; unknown: hobby$/,
    );
    expect(stdout).not.toContain('chess');
  });
});

describe('doctor --api at a service with a dialect', () => {
  beforeEach(async () => {
    world = await createWorld({ dialect: { ...calendly, digest: '', place: '' } });
  });

  test('says what differs, with the form that works', async () => {
    const { code, differ, findings, requests, stderr } = await probe();
    expect([code, differ]).toEqual([
      3,
      [
        'path.availability.list',
        'path.invitations.list',
        'path.invitees.no-show',
        'path.availability.update',
        'path.invitations.create',
        'path.invitations.revoke',
        'path.compliance.delete',
      ],
    ]);
    expect(findings.find(({ check }) => check === 'path.invitations.list')).toMatchObject({
      status: 'problem',
      finding: '404, as for an unknown path',
      seen: { path: '/organization_invitations', status: 404 },
      fix: 'calendly has /organizations/{organization|id}/invitations, which works here (200, 8 records)',
    });
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(stderr).toContain('--write-dialect dialect.yaml');
  });

  test('writes a dialect with which all guesses hold, and never replaces a file', async () => {
    const file = join(home, 'Acme Inc.yaml');
    const written = await probe(['--write-dialect', file]);
    expect(written.code).toBe(0);
    expect(written.stderr).toContain(`To use it, set SCHED_DIALECT, or: sched profiles set dialect '${file}'`);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^name: "acme-inc"$/m);
    expect(text).toMatch(/^ {2}# seen: 200, 8 records, 2026-11-15\n {2}invitations\.list: /m);
    expect(text).toContain('# calendly also differs in events.cancel, invitees.create');
    expect(text).not.toContain('@');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Nobody is marked as no-show here, so a 404 may be about the record.
    const own = await probe(['--dialect', file]);
    expect(own).toMatchObject({ code: 0, differ: [], unknown: ['path.invitees.undo-no-show'] });
    const env = { SCHED_DIALECT: 'calendly' };
    const shipped = await probe([], { env });
    expect(shipped).toMatchObject({ code: 0, differ: [], unknown: ['path.invitees.get-no-show'] });
    expect(shipped.stderr).toMatch(/Not tried, because only a write would show it: .*invitees\.undo-no-show/);
    const again = await probe(['--write-dialect', file]);
    expect([again.code, again.requests]).toEqual([3, []]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('drops a list that has no form here, and leaves the rest to a comment', async () => {
    const gone = (path: string) => /^\/(group_relationships|users\/(?!me))/.test(path);
    const send = except((path) =>
      gone(path) ? json(404, { title: 'Resource Not Found', message: "The path doesn't exist." }) : undefined,
    );
    const file = join(home, 'acme.yaml');
    expect((await probe(['--write-dialect', file], { send })).code).toBe(3);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('groups.relationships: false');
    expect(readFileSync(file, 'utf8')).toContain('# not corrected: path.users.get: 404');
  });
});
