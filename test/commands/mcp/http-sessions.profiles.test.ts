import { describe, expect, test } from 'vitest';
import { type ProfileName, profileNames } from '../../../src/sandbox/oauth/profiles.ts';
import { allowing, logInAndConnect, serveMcp } from '../../support/mcp-http.ts';

/** Why the official client, which has no document, no ID of its own and trusts metadata only, never gets to a login. */
const refused: Partial<Record<ProfileName, RegExp>> = {
  'cimd-only': /does not support dynamic client registration/,
  'preregistered-only': /does not support dynamic client registration/,
  'wrong-issuer': /Issuer mismatch/,
  'no-metadata': /Invalid OAuth error response|registration/i,
};

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
    expect(outcome).toBe(profile in refused ? 'refused' : 'works');
    if (profile in refused) expect(errors.join()).toMatch(refused[profile]!);
    // It sends a state only if its provider makes one, and the provider of the tests doesn't.
    expect(missed).toEqual(profile in refused ? [] : [expect.stringContaining('RFC 6749 §10.12: send state')]);
    expect(steps.includes('refresh')).toBe(profile === 'short-tokens' || profile === 'reuse-revokes');
  });
});
