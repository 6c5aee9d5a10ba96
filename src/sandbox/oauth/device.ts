import type * as z from 'zod/mini';
import { limits } from '../../api/limits.ts';
import type { DeviceGrant } from '../../api/oauth.ts';
import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import { type GrantContext, issueTokens, startFamily, type TokenGrant } from './grants.ts';
import { fingerprint } from './ready-tokens.ts';

interface DeviceCodeRow {
  hash: string;
  user_code: string;
  client: string;
  scopes: string;
  expires_at: string;
  pause_seconds: number;
  asked_at: string | null;
  decision: 'allow' | 'deny' | 'used' | null;
  user: string | null;
}

/** RFC 8628 §6.1: consonants only, so that a code is easy to type and spells no word. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

const userCodeFrom = (bytes: Uint8Array): string => {
  const word = [...bytes].map((byte) => letters[byte % letters.length]).join('');
  return `${word.slice(0, 4)}-${word.slice(4)}`;
};

/** RFC 8628 §3.2, §3.5: seconds between two token requests, and how much longer after one that came too early. */
const pauseSeconds = 5;

export const startDevice = (
  { store, now, randomBytes }: GrantContext,
  { client, scopes }: { client: string; scopes: readonly string[] },
) => {
  const device_code = `sandbox_device_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  const user_code = userCodeFrom(randomBytes(8));
  // A code that was already used for another login, which is very unlikely, replaces it.
  store.run(
    'INSERT OR REPLACE INTO device_codes (hash, user_code, client, scopes, expires_at, pause_seconds) VALUES (?, ?, ?, ?, ?, ?)',
    fingerprint(device_code),
    user_code,
    client,
    scopes.join(' '),
    timestamp(now + limits.deviceCodeSeconds * 1000),
    pauseSeconds,
  );
  return { device_code, user_code, expires_in: limits.deviceCodeSeconds, interval: pauseSeconds };
};

/** The device login with this code, as the user entered it, that waits for a decision. */
export const openDevice = (store: Store, entered: string, now: number): DeviceCodeRow | undefined => {
  const plain = entered.toUpperCase().replace(/[^A-Z]/g, '');
  return store.all<DeviceCodeRow>(
    'SELECT * FROM device_codes WHERE user_code = ? AND decision IS NULL AND expires_at > ?',
    `${plain.slice(0, 4)}-${plain.slice(4)}`,
    timestamp(now),
  )[0];
};

export const decideDevice = (store: Store, userCode: string, decision: 'allow' | 'deny', user: string | null): void => {
  store.run('UPDATE device_codes SET decision = ?, user = ? WHERE user_code = ?', decision, user, userCode);
};

export const findDevice = (store: Store, code: string): DeviceCodeRow | undefined =>
  store.all<DeviceCodeRow>('SELECT * FROM device_codes WHERE hash = ?', fingerprint(code))[0];

const isTooEarly = ({ asked_at, pause_seconds }: DeviceCodeRow, now: number): boolean =>
  asked_at !== null && now - Date.parse(asked_at) < pause_seconds * 1000;

/** RFC 8628 §3.5: the tokens, or why there are none yet. Refusals are returned: a throw would roll back the changes. */
export const redeemDevice = (
  world: GrantContext,
  grant: z.output<typeof DeviceGrant>,
  device: DeviceCodeRow,
): TokenGrant => {
  const { store, now } = world;
  if (device.decision === 'used') return { refused: 'The device code was already used.' };
  if (device.expires_at <= timestamp(now)) return { error: 'expired_token', refused: 'The device code has expired.' };
  const isEarly = isTooEarly(device, now);
  const pause = device.pause_seconds + (isEarly ? pauseSeconds : 0);
  const update = 'UPDATE device_codes SET asked_at = ?, pause_seconds = ? WHERE hash = ?';
  store.run(update, timestamp(now), pause, device.hash);
  if (isEarly) return { error: 'slow_down', refused: `Wait ${pause} seconds between two requests.` };
  if (device.decision === null) return { error: 'authorization_pending', refused: 'The user has not decided yet.' };
  if (device.decision === 'deny') return { error: 'access_denied', refused: 'The user denied the request.' };
  store.run("UPDATE device_codes SET decision = 'used' WHERE hash = ?", device.hash);
  return issueTokens(world, startFamily(world, { ...device, user: device.user! }), grant.device_code);
};
