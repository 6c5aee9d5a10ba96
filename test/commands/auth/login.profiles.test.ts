import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { loginTimeoutMs } from '../../../src/auth/login.ts';
import { createSandbox } from '../../../src/create-sandbox.ts';
import { type ProfileName, profileNames } from '../../../src/sandbox/oauth/profiles.ts';
import { heldClock } from '../../support/held-clock.ts';
import { createWorld, network, terminals } from '../../support/run.ts';
import { closeLater, temporaryDirectory, temporaryFile } from '../../support/temporary.ts';

type Flags = (url: string) => string[] | Promise<string[]>;

/** Logs in at a server of this kind. The browser shows a page only if the server refuses: then the person gives up. */
const logIn = async (profile: ProfileName, flagsAt: Flags = () => []) => {
  const sandbox = await createSandbox({ world: 'empty', limits: false, autoConsent: true, oauth: profile });
  closeLater(() => void sandbox.close());
  const world = await createWorld({ home: temporaryDirectory(), env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
  const clock = heldClock();
  const pages: string[] = [];
  const openBrowser = async (url: string) => {
    const reply = await fetch(url);
    const page = await reply.text();
    if (reply.status === 400) {
      pages.push(page);
      clock.end(loginTimeoutMs);
    }
    return true;
  };
  const flags = await flagsAt(sandbox.url);
  const id = flags.includes('--client-id') ? [] : ['--client-id', 'sched-cli'];
  const words = [
    'auth',
    'login',
    '--no-input',
    '--credential-store=file',
    '--base-url',
    sandbox.url,
    '--auth-url',
    sandbox.url,
  ];
  const { code, stderr } = await world.run([...words, ...id, ...flags], {
    terminals,
    send: network,
    openBrowser,
    clock,
  });
  const missed = (await sandbox.oauth()).flatMap((line) => line.missed ?? []);
  return { code, stderr, page: pages[0] ?? '', missed };
};

const secretFile = temporaryFile('client.secret');
writeFileSync(secretFile, 'sandbox_client_secret\n', { mode: 0o600 });

/** What a login needs at some servers, and why one without it fails. */
const needed: Partial<Record<ProfileName, { flags?: Flags; without: [stderr: string, page: string] }>> = {
  'dcr-only': {
    flags: async (url) => {
      const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${url}/oauth/register`, { method: 'POST', headers, body });
      return ['--client-id', ((await reply.json()) as { client_id: string }).client_id];
    },
    without: ["the server doesn't know the client ID", 'No registered application has this client_id'],
  },
  'cimd-only': { without: ["the server doesn't know the client ID", 'No registered application has this client_id'] },
  'strict-redirect': {
    flags: () => ['--port', '8910'],
    without: ['the redirect address with its port', 'This redirect_uri is not registered for sched'],
  },
  'basic-only': { flags: () => ['--client-secret-file', secretFile], without: ['--client-secret-file', ''] },
  'wrong-issuer': { flags: (url) => ['--issuer', `${url}/tenant`], without: ['/tenant"', ''] },
};

describe('auth login', () => {
  const passing = profileNames.filter((name) => name !== 'cimd-only');

  test.each(passing)('passes %s', async (profile) => {
    const { code, stderr, missed } = await logIn(profile, needed[profile]?.flags);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Logged in as Amara Lindqvist')]);
    expect(missed).toEqual([]);
    expect(stderr.includes('issued no refresh token')).toBe(profile === 'no-refresh');
  });

  test.each(Object.entries(needed))('fails at %s with the reason, if that is missing', async (profile, { without }) => {
    const [reason, page] = without;
    const result = await logIn(profile as ProfileName);
    expect([4, 13]).toContain(result.code);
    expect(result.stderr.replaceAll(/\s+/g, ' ')).toContain(reason);
    expect(result.page).toContain(page);
    // The sandbox knows what the client missed, unless the client left before.
    expect(result.missed).toHaveLength(profile === 'wrong-issuer' ? 0 : 1);
  });

  test('passes cimd-only with the URL of a document', async () => {
    const server = createServer((_, response) => {
      const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sched.json`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ client_id: id, redirect_uris: ['http://127.0.0.1/callback'] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeLater(() => server.close());
    const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sched.json`;
    expect(await logIn('cimd-only', () => ['--client-id', id])).toMatchObject({ code: 0, missed: [] });
  });
});
