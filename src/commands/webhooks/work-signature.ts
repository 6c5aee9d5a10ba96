import { createHmac, timingSafeEqual } from 'node:crypto';

export const defaultSignatureHeader = 'Webhook-Signature';

/** How far the time of a signature may be from now, in the past and in the future. */
// Assumed (webhooks.tolerance): the time of a signature may be 3 minutes off, in the past and in the future.
export const defaultToleranceMs = 3 * 60_000;

/** The header of a delivery that is signed at this time. */
export const signatureOf = (key: string, body: string, now: number): string => {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
};

/** The parts of a header `t=1763316000,v1=5f2b…`. */
export interface Signature {
  /** The time as it was sent, because it is part of the signed text. */
  time: string;
  /** There are several while the sender rotates its key. */
  values: Buffer[];
}

/** The result of a check. The time of the signature is known only if the signature is right. */
export type SignatureCheck =
  | { kind: 'ok' | 'too old'; signedAtMs: number }
  | { kind: 'forged' }
  | { kind: 'malformed'; why: string };

/** Reads the header, or returns why it can't be read. Unknown parts are ignored, so that a later `v2` does no harm. */
// Assumed (webhooks.signature): the header `Webhook-Signature` has a time as `t` and as `v1` the HMAC-SHA256 of that
// time, a dot and the body. While a key is rotated, it has one `v1` for each key.
export const readSignature = (header: string): Signature | string => {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?]);
  const valuesOf = (name: string) => parts.filter((part) => part[0] === name).map(([, value = '']) => value);
  const [time, ...others] = valuesOf('t');
  if (time === undefined || others.length > 0 || !/^\d{1,12}$/.test(time)) return 'it needs one time, t=SECONDS';
  const values = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/i.test(value));
  if (values.length === 0) return 'it needs a signature, v1= and 64 hexadecimal digits';
  return { time, values: values.map((value) => Buffer.from(value, 'hex')) };
};

/**
 * Checks who signed a body, and then when. R51: values are compared in constant time, and the age counts only if the
 * signature is right. `body` has the bytes as received: if it was parsed and written again, it has another signature.
 */
export const checkSignature = (
  { header, body }: { header: string; body: Uint8Array },
  { key, now, toleranceMs = defaultToleranceMs }: { key: string; now: number; toleranceMs?: number },
): SignatureCheck => {
  const signature = readSignature(header);
  if (typeof signature === 'string') return { kind: 'malformed', why: signature };
  const expectedDigest = createHmac('sha256', key).update(`${signature.time}.`).update(body).digest();
  if (!signature.values.some((value) => timingSafeEqual(value, expectedDigest))) return { kind: 'forged' };
  const signedAtMs = Number(signature.time) * 1000;
  // The sender rounds down to a second, so the difference is compared in seconds too.
  const seconds = Math.abs(Math.floor(now / 1000) - Number(signature.time));
  return { kind: seconds * 1000 > toleranceMs ? 'too old' : 'ok', signedAtMs };
};
