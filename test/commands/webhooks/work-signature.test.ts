import { describe, expect, test } from 'vitest';
import { checkSignature, readSignature } from '../../../src/commands/webhooks/work-signature.ts';

const key = 'whk_5f0c1d9e7b3a';
const body = Buffer.from('{"event":"invitee.created","n":"Zoë"}');
const time = 1_763_229_600;
/** Made with openssl: printf '%s' 'TIME.BODY' | openssl dgst -sha256 -hmac KEY */
const v1 = 'a71247d84358969bef032da717b9f6c9b1eaf99c0d7e000ca645b82834df4367';
const other = 'ab'.repeat(32);

const kindOf = (header: string, { at = time, bytes = body as Uint8Array, secret = key } = {}) =>
  checkSignature({ header, body: bytes }, { key: secret, now: at * 1000 }).kind;

describe('signature', () => {
  test('accepts what openssl signed', () => {
    expect(checkSignature({ header: `t=${time},v1=${v1}`, body }, { key, now: time * 1000 + 999 })).toEqual({
      kind: 'ok',
      signedAtMs: time * 1000,
    });
  });

  test.each([
    ['another value', `t=${time},v1=${other}`],
    ['another time', `t=${time + 1},v1=${v1}`],
    ['the same time written differently', `t=0${time},v1=${v1}`],
  ])('reports a forged signature: %s', (_, header) => {
    expect(kindOf(header)).toBe('forged');
  });

  test('reports a forged signature: another body or key', () => {
    const header = `t=${time},v1=${v1}`;
    expect(kindOf(header, { bytes: Buffer.concat([body, Buffer.from(' ')]) })).toBe('forged');
    expect(kindOf(header, { secret: `${key}x` })).toBe('forged');
  });

  test('accepts three minutes, in both directions, and no second more', () => {
    const header = `t=${time},v1=${v1}`;
    const kinds = [-181, -180, 180, 181].map((seconds) => kindOf(header, { at: time + seconds }));
    expect(kinds).toEqual(['too old', 'ok', 'ok', 'too old']);
  });

  test('reports an old forged signature as forged', () => {
    expect(kindOf(`t=${time},v1=${other}`, { at: time + 10_000 })).toBe('forged');
  });

  test('accepts another tolerance', () => {
    const at = (time + 600) * 1000;
    const check = (toleranceMs: number) =>
      checkSignature({ header: `t=${time},v1=${v1}`, body }, { key, now: at, toleranceMs }).kind;
    expect([check(600_000), check(599_000), check(0)]).toEqual(['ok', 'too old', 'too old']);
  });

  test('accepts several values, as while a key is rotated', () => {
    expect(kindOf(`t=${time},v1=${other},v1=${v1}`)).toBe('ok');
    expect(kindOf(`t=${time},v1=${other},v1=${other}`)).toBe('forged');
  });

  test('ignores unknown parts, blanks and the case of hexadecimal digits', () => {
    expect(kindOf(` v0=zz, t=${time} ,v1=${v1.toUpperCase()},v2=abc,,k`)).toBe('ok');
  });

  test.each([
    '',
    'nonsense',
    `v1=${v1}`,
    `t=,v1=${v1}`,
    `t=now,v1=${v1}`,
    `t=-5,v1=${v1}`,
    `t=1e9,v1=${v1}`,
    `t=${time},t=${time},v1=${v1}`,
    `t=${'9'.repeat(40)},v1=${v1}`,
    `t=${time}`,
    `t=${time},v1=`,
    `t=${time},v1=${v1.slice(1)}`,
    `t=${time},v1=${v1}00`,
    `t=${time},v1=${'zz'.repeat(32)}`,
    `t=${time},v2=${v1}`,
  ])('reports a malformed header: %s', (header) => {
    expect(readSignature(header)).toMatch(/^it needs/);
    expect(kindOf(header)).toBe('malformed');
  });
});
