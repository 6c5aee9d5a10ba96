import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compliance } from '../../src/api/compliance.ts';
import { foldAddress, isEmailAddress } from '../../src/api/email-address.ts';
import { invitees } from '../../src/api/invitees.ts';
import { isEmail } from '../../src/cli/operation/references.ts';
import { anyAddress, noAddress } from '../support/addresses.ts';
import { runs } from '../support/tier.ts';

/** Every place in the client that checks an address. */
const verdicts = (text: string): boolean[] => [
  isEmailAddress(text),
  isEmail(text),
  foldAddress(text) === text.toLowerCase(),
  compliance.delete.body!.safeParse({ emails: [text] }).success,
  invitees.list.query!.shape.email!.safeParse(text).success,
  invitees.create.body!.shape.invitee.safeParse({ email: text, name: 'A', timezone: 'UTC' }).success,
];

const everywhere = (verdict: boolean) => verdicts('').map(() => verdict);

describe('email address', () => {
  test('accepts every address of RFC 5321 and RFC 6531, everywhere', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(verdicts(address)).toEqual(everywhere(true));
      }),
      runs(500, 5000),
    );
  });

  test('rejects text without an @ in the middle, with spaces, control characters or 255 octets', () => {
    fc.assert(
      fc.property(noAddress, (text) => {
        expect(verdicts(text)).toEqual(everywhere(false));
      }),
      runs(500, 5000),
    );
  });

  test.each([
    ...'!%&/={}#$*+-?^_`|~'.split('').map((mark) => `a${mark}b@x.example`),
    ...['a@x', 'ü@bücher.example', '用户@例子.广告', '"john doe"@x.example', '""@x.example', '"a@b"@x.example'],
    ...[
      '"a\\"b"@x.example',
      '"mailto:a"@x.example',
      'a@[127.0.0.1]',
      'a@[IPv6:2001:db8::1]',
      "o'brien@x.example",
      'نامه\u200cای@x.example',
    ],
    `${'a'.repeat(244)}@x.example`,
    `${'ü'.repeat(122)}@x.example`,
  ])('accepts %s', (text) => {
    expect(verdicts(text)).toEqual(everywhere(true));
  });

  test.each([
    ...['', '@', 'a', '@x.example', 'a@', 'a b@x.example', 'a@x example', 'Ada <a@x.example>', 'a@@x.example'],
    ...['a@x.example,b@x.example', '"a@x.example', 'a"b@x.example', '"a b"', 'a@x.example"', 'a\u200b@x.example'],
    ...['a\u2028@x.example', 'a\u202e@x.example', 'a\ud800@x.example', '"a\tb"@x.example', 'a\xa0b@x.example'],
    ...[
      'mailto:a@x.example',
      'a@x.example?subject=b',
      '<a@x.example>',
      '(a@x.example)',
      'a@x.example;',
      'a@x.example,',
    ],
    ...['a,b@x.example', 'a@x.example>', 'a@x.example:25', 'a@x.example/b', '[a@x.example]', 'a@[127.0.0.1', 'a\\b@x'],
    `${'a'.repeat(245)}@x.example`,
    `${'ü'.repeat(123)}@x.example`,
  ])('rejects %j', (text) => {
    expect(verdicts(text)).toEqual(everywhere(false));
  });

  // Receipts store an HMAC of this form.
  test('is compared in lower case and otherwise unchanged', () => {
    expect(['Ada.B+x@X.Example', 'ÜBER@BÜCHER.example', '"A b"@X'].map(foldAddress)).toEqual([
      'ada.b+x@x.example',
      'über@bücher.example',
      '"a b"@x',
    ]);
  });
});
