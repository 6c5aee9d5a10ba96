import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecrets, cut, repeatsPart } from '../../src/base/redact.ts';
import { leaksIn } from '../support/canary.ts';
import { runs, times } from '../support/tier.ts';

const token = 'Canary+token/0123456789~?="&\'\\';

const redactorOf = (...secrets: string[]) => {
  const { keep, redact } = createSecrets();
  for (const secret of secrets) keep(secret);
  return redact;
};
const redact = redactorOf(token);

const hex = (char: string, digits = 2) => char.charCodeAt(0).toString(16).padStart(digits, '0');
const each = (write: (char: string) => string) => (text: string) => [...text].map(write).join('');

/** Ways to write a secret. */
const forms: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  'in small letters': (text) => text.toLowerCase(),
  'percent-encoded': encodeURIComponent,
  'percent-encoded in small letters': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'percent-encoded letter by letter': each((char) => `%${hex(char)}`),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as a form': (text) => String(new URLSearchParams({ a: text })).slice(2),
  'quoted-printable': each((char) => `=${hex(char).toUpperCase()}`),
  'as JSON': (text) => JSON.stringify(text).slice(1, -1),
  'as JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'as JSON with escaped slashes': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'as JSON with every letter escaped': each((char) => `\\u${hex(char, 4)}`),
  'as JSON with every letter escaped, in JSON': each((char) => `\\\\u${hex(char, 4).toUpperCase()}`),
  'as JavaScript': each((char) => `\\x${hex(char)}`),
  'as JavaScript code points': each((char) => `\\u{${hex(char)}}`),
  'as HTML': (text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;').replaceAll('<', '&lt;'),
  'as decimal entities': each((char) => `&#${char.charCodeAt(0)};`),
  'as hexadecimal entities': each((char) => `&#x${hex(char)};`),
  'as CSV': (text) => `"${text.replaceAll('"', '""')}"`,
  'as TSV': (text) => text.replaceAll('\\', '\\\\'),
  'as YAML': (text) => `'${text.replaceAll("'", "''")}'`,
  'as a word of a shell': (text) => `'${text.replaceAll("'", "'\\''")}'`,
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in hex, in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 with a name': (text) => Buffer.from(`Bearer ${text}`).toString('base64'),
  'in base64 with a user': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'in base64 with another user': (text) => Buffer.from(`me:${text}\n`).toString('base64'),
  'in base64url': (text) => Buffer.from(`x-token:${text}`).toString('base64url'),
  'in base64 in a URL': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
  'in base64 as JSON': (text) => Buffer.from(text).toString('base64').replaceAll('/', '\\/'),
  'in base64 in lines': (text) =>
    Buffer.from(text)
      .toString('base64')
      .replace(/.{10}/g, (line) => `${line}\r\n`),
  'broken over lines': (text) => text.replace(/.{7}/gs, (line) => `${line}\n    `),
};

describe('repeatsPart (R12)', () => {
  const secrets = ['', 'refresh-SplxlOBe-ZQQYbYS6WxSbIA'];

  test.each([
    'code SplxlOBe is unknown',
    'code splxlo... is unknown',
    'S p l x l O B e Z Q Q',
    'Splx\u200blOBe_ZQQ',
    '"…S6WxSbIA"',
  ])('finds a part of a secret in %j', (text) => {
    expect(repeatsPart(text, secrets)).toBe(true);
  });

  test.each(['the refresh token is unknown', 'Splxl', '', `whole: ${secrets[1]} ${btoa(secrets[1]!)}`])(
    'finds none in %j',
    (text) => {
      expect(repeatsPart(text, secrets)).toBe(false);
    },
  );
});

describe('redact (R12)', () => {
  test.each(Object.keys(forms))('finds a secret %s', (form) => {
    const text = forms[form]!(token);
    const shown = redact(`it is ${text} here, and ${text} there`);
    expect(shown).toMatch(/^it is .{0,12}\[token\].{0,6} here, and .{0,12}\[token\].{0,6} there$/s);
    expect(leaksIn(shown, [token])).toEqual([]);
  });

  test("the tests' own search for secrets finds each of these forms too", () => {
    for (const [form, write] of Object.entries(forms))
      expect([form, leaksIn(write(token), [token])]).not.toEqual([form, []]);
  });

  test('finds any secret in any mix of forms, and leaves JSON valid', () => {
    // A backslash next to an escape is ambiguous. No token contains one (RFC 6750 §2.1).
    const letter = fc.constantFrom(
      ...Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter((char) => char !== '\\'),
    );
    const secrets = fc.array(letter, { minLength: 8, maxLength: 60 }).map((letters) => letters.join(''));
    const writers: ((char: string) => string)[] = [
      (char) => JSON.stringify(char).slice(1, -1),
      (char) => `%${hex(char)}`,
      (char) => `%25${hex(char)}`,
      (char) => `\\u${hex(char, 4)}`,
      (char) => `&#${char.charCodeAt(0)};`,
      (char) => (char === '/' ? '\\/' : `\\u${hex(char, 4).toUpperCase()}`),
    ];
    const mix = fc.array(fc.nat(writers.length - 1), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(secrets, mix, fc.string(), fc.string(), (secret, choice, before, after) => {
        const written = [...secret].map((char, index) => writers[choice[index]!]!(char)).join('');
        const inner = (text: string) => JSON.stringify(text).slice(1, -1);
        const shown = redactorOf(secret)(`{"name":"${inner(before)} ${written} ${inner(after)}"}`);
        expect(shown).toContain('[token]');
        expect(leaksIn(shown, [secret])).toEqual([]);
        JSON.parse(shown);
      }),
      runs(30, 500),
    );
  });

  test.each([
    ["abcdefg''h", "%61bcdefg''h"],
    ["abcdefg''h", "%61bcdefg''''h"],
    ['abcdefg""h', '%61bcdefg""h'],
    ["''abcdefgh", "''abcdefg%68"],
  ])('finds a secret with adjacent quotes: %s in %s', (secret, text) => {
    expect(redactorOf(secret)(`it is ${text} here`)).toBe('it is [token] here');
  });

  test('leaves JSON valid if a backslash comes before a secret', () => {
    const redact = redactorOf('needle-0123456789');
    for (const before of ['\\', '\n', 'a\\\\', '\\u0041', '"', '']) {
      const shown = redact(JSON.stringify({ a: `${before}needle-0123456789` }));
      expect(JSON.parse(shown).a).toContain('[token]');
    }
  });

  test('finds the rest of a secret that was cut off', () => {
    for (let length = 1; length < token.length; length += 1)
      expect(redact(`no: ${cut(`${token} is bad`, length + 1)}"`)).toBe(
        length < 4 ? `no: ${token.slice(0, length)}…"` : 'no: [token]…"',
      );
    expect(cut('as it is', 8)).toBe('as it is');
  });

  test.each([
    'percent-encoded letter by letter',
    'percent-encoded twice',
    'as JSON with every letter escaped, in JSON',
    'as JavaScript code points',
    'as decimal entities',
    'as hexadecimal entities',
  ])('finds the rest of a secret that was cut off inside an escape: %s', (form) => {
    const whole = forms[form]!(token);
    for (let length = 5 * 8; length < whole.length; length += 1)
      expect(redact(cut(`${whole} is bad`, length + 1))).toMatch(/^\[token\].{0,16}…$/);
  });

  test.each(['\\', '%25', '=', '&amp;', '\n  ', 'Ca', 'C\\', '\\u0043'])(
    'takes no longer for a reply that consists only of %j',
    (text) => {
      const long = text.repeat(times(200_000, 1_000_000) / text.length);
      expect(redact(long)).toBe(long);
    },
  );

  test('leaves everything else unchanged', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';
    const other = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ5b3UifQ.b3RoZXI';
    const text = `https://meet.example/?pwd=${other}&a=%20b \\n "Canary" ${token.slice(0, 12)} 100 % = 7`;
    expect(redactorOf(jwt, token)(text)).toBe(text);
    expect(redactorOf(jwt, `${jwt}x`)(`${jwt}x ${jwt}`)).toBe('[token] [token]');
  });

  test('does not redact short or empty secrets, or public sandbox tokens', () => {
    const text = 'sandbox_owner, 1234567 and ""';
    expect(redactorOf('', '1234567', 'sandbox_owner', 'sandbox_read_only')(text)).toBe(text);
    expect(redactorOf('sandbox_refresh_Zm9vYmFy')('sandbox_refresh_Zm9vYmFy')).toBe('[token]');
  });

  test('names the kind of secret', () => {
    const { keep, redact } = createSecrets();
    keep('0123456789', 'code');
    keep('password-of-a-proxy', 'password');
    expect(redact('0123456789 password-of-a-proxy')).toBe('[code] [password]');
  });
});
