import { describe, expect, test } from 'vitest';
import { type ProfileName, profileNames } from '../../../src/sandbox/oauth/profiles.ts';
import { allowing, logInAndConnect, serveMcp } from '../../support/mcp-http.ts';

/**
 * Why the official client, which has no document, no ID of its own and trusts metadata only, never gets to a login: in
 * its words, and the rule that the sandbox names.
 */
const refused: Partial<Record<ProfileName, { error: RegExp; rule?: string }>> = {
  'cimd-only': {
    error: /does not support dynamic client registration/,
    rule: 'Client ID metadata documents §3: the client ID must be the URL of a document',
  },
  'preregistered-only': {
    error: /does not support dynamic client registration/,
    rule: 'RFC 6749 §2.2: use a client ID that the server has given',
  },
  // It is right to stop here.
  'wrong-issuer': { error: /Issuer mismatch/ },
  'no-metadata': {
    error: /Invalid OAuth error response|registration/i,
    rule: 'RFC 8414 §3: without metadata, use addresses that the user sets',
  },
};

// It sends a state only if its provider makes one, and the provider of the tests doesn't.
const ruleOfALogin = 'RFC 6749 §10.12: send state';

/** Logs in, calls, waits a minute, in which short tokens expire, and calls again. */
const run = async (profile: ProfileName) => {
  const { mcp, admin, clock, stop } = await serveMcp(['--oauth', profile, '--no-limits']);
  const errors: string[] = [];
  const outcome = await logInAndConnect(mcp, allowing(), undefined, (error) => errors.push(error.message)).then(
    async ({ client, transport }) => {
      await client.listTools();
      clock.time += 60_000;
      await client.listTools();
      await transport.close();
      return 'works';
    },
    () => 'refused',
  );
  const { oauth } = (await admin('GET', 'oauth')) as { oauth: { step: string; missed: string | null }[] };
  await stop();
  return { outcome, errors, missed: oauth.flatMap(({ missed }) => missed ?? []), steps: oauth.map(({ step }) => step) };
};

describe('the official MCP client', () => {
  test.each(profileNames)('at %s', async (profile) => {
    const { outcome, errors, missed, steps } = await run(profile);
    const refusal = refused[profile];
    expect(outcome).toBe(refusal ? 'refused' : 'works');
    if (refusal) expect(errors.join()).toMatch(refusal.error);
    const rule = refusal ? refusal.rule : ruleOfALogin;
    expect(missed).toEqual(rule === undefined ? [] : [expect.stringContaining(rule)]);
    expect(steps.includes('refresh')).toBe(profile === 'short-tokens' || profile === 'reuse-revokes');
  });
});
