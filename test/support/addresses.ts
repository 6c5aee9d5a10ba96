import fc from 'fast-check';

const octets = (text: string): number => Buffer.byteLength(text);

/** RFC 6531's UTF8-non-ascii without invisible characters: spaces, controls, text directions, lone surrogates. */
const beyondAscii = fc
  .oneof(
    fc.constantFrom('ü', 'Ä', 'é', 'ñ', 'ß', 'д', 'あ', '用', '户', '한', 'ا', 'ש', '𝒜', '🎉', '\u200d'),
    fc.integer({ min: 0x80, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  )
  .filter((char) => /^[^\p{ASCII}\p{Z}\p{Cc}\p{Cs}\p{Bidi_Control}\u200B\uFEFF]$/u.test(char));

const from = (characters: string) => fc.constantFrom(...characters);
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const text = (unit: fc.Arbitrary<string>, maxLength: number, minLength = 1) =>
  fc.string({ unit, minLength, maxLength });

/** RFC 5322's atext. */
const atom = text(fc.oneof({ weight: 3, arbitrary: from(letters) }, from("!#$%&'*+-/=?^_`{|}~"), beyondAscii), 12);
const dotString = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('.'));

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const quotedString = text(
  fc.oneof(
    fc.constantFrom(...printable.filter((char) => char !== '"' && char !== '\\')),
    fc.constantFrom(...printable.map((char) => `\\${char}`)),
    beyondAscii,
  ),
  20,
  0,
).map((inside) => `"${inside}"`);

const label = fc
  .tuple(fc.oneof(from(letters), beyondAscii), text(from(`${letters}-`), 8, 0), from(letters))
  .map((parts) => parts.join(''));
const domain = fc.oneof(
  { weight: 4, arbitrary: fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')) },
  fc.ipV4().map((address) => `[${address}]`),
  fc.ipV6().map((address) => `[IPv6:${address}]`),
);

/** Addresses as RFC 5321 §4.1.2 and RFC 6531 §3.3 write them. */
export const anyAddress = fc
  .tuple(fc.oneof(dotString, quotedString), domain)
  .map((parts) => parts.join('@'))
  .filter((address) => octets(address) <= 254);

const blankOrControl = fc.constantFrom(
  ...' \t\n\r\0\x07\x1b\x7f\x85\xa0\u1680\u2003\u200b\u2028\u3000\u202e\u2066\ufeff',
);

/** Strings that are not addresses. */
export const noAddress = fc.oneof(
  // No `@` outside quotes.
  text(fc.oneof(from(letters), beyondAscii), 30, 0),
  atom.map((local) => `"${local}@x.example"`),
  // One side is empty.
  domain.map((each) => `@${each}`),
  dotString.map((each) => `${each}@`),
  // Two addresses on a line, or an unclosed quote.
  fc.tuple(anyAddress, domain).map(([address, other]) => `${address}@${other}`),
  fc.tuple(dotString, domain).map(([local, each]) => `"${local}@${each}`),
  // A space or a control character outside quotes, on either side.
  fc.tuple(atom, blankOrControl, atom, domain).map(([one, char, two, each]) => `${one}${char}${two}@${each}`),
  fc.tuple(dotString, label, blankOrControl, label).map(([local, one, char, two]) => `${local}@${one}${char}${two}`),
  // A control character inside quotes.
  fc.constantFrom(...'\t\n\r\0\x1b\x7f\x9b\u202e').map((char) => `"a${char}b"@x.example`),
  // A lone surrogate.
  fc.constantFrom('a\ud800b@x.example', '"\udc00"@x.example'),
  // 255 octets and more.
  fc
    .tuple(fc.constantFrom('a', 'ü', '用', '🎉'), fc.integer({ min: 0, max: 9 }))
    .map(([char, more]) => `${char.repeat(Math.ceil(247 / octets(char)) + more)}@x.example`)
    .filter((address) => octets(address) > 254),
);
