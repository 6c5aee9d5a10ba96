import { once } from '../base/once.ts';

/*
 * Text from the network must never control a terminal (R43, R44). Characters that a terminal would act on or hide are
 * made visible. Only those that ordinary text needs are kept, and only in valid positions.
 */

/** Lone surrogates, line and paragraph separators, and invisible characters: bidi, zero-width, tags. */
const hiddenCharacters = String.raw`\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}`;
const unsafe = String.raw`[\p{Cc}${hiddenCharacters}]`;

const tags = (letters: string) => [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
const nations = ['gbeng', 'gbsct', 'gbwls'].map((nation) => tags(nation).join('')).join('|');
const pictograph = String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}]?`;

/** Scripts in which a joiner between two letters changes the spelling (Persian plurals, Indic conjuncts). */
const joiningScripts = [
  'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala',
  'Khmer Myanmar Tibetan',
]
  .join(' ')
  .split(' ');
const joiningLetter = String.raw`(?=[\p{L}\p{M}])[${joiningScripts.map((name) => String.raw`\p{Script_Extensions=${name}}`).join('')}]`;
/** Signs of canonical combining class 9. After them, RFC 5892 A.1 and A.2 also allow a joiner at the end of a word. */
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u103A\u17D2]`;

const harmlessSequences = [
  // The flags of England, Scotland and Wales, the only three written with tag characters.
  String.raw`\u{1F3F4}(?:${nations})\u{E007F}`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  // Families and professions. No emoji has more than three joiners, so a longer chain may hide text.
  String.raw`${pictograph}(?:\u200D${pictograph}){0,3}`,
  String.raw`(?<=${joiningLetter})[\u200C\u200D](?=${joiningLetter})`,
  String.raw`(?<=${virama})[\u200C\u200D]`,
  // Registered variants of characters in Japanese names, and Mongolian letter forms: one selector each.
  String.raw`(?<=\p{Ideographic})[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180B-\u180D\u180F]`,
].join('|');

// Made on first use: Unicode property classes take milliseconds to compile, and most text needs none.
const anyUnsafe = once(() => new RegExp(unsafe, 'u'));
const keptOrUnsafe = once(() => new RegExp(`(${harmlessSequences})|${unsafe}`, 'gu'));

/** Common characters, all of them safe: Latin, Greek, Cyrillic, Hebrew, dashes and quotes, CJK. */
const everyday = String.raw`\u00A0-\u00AC\u00AE-\u034E\u0370-\u05FF\u2010-\u2027\u20AC\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3`;
const rare = new RegExp(`[^ -~${everyday}]`);
/** Raw C0 controls in JSON are always layout, because JSON escapes them in strings. */
const rareInJson = new RegExp(`[^\\0-~${everyday}]`);

/** Everything but ASCII, with a character before it that may begin a keycap. Nothing else can be unsafe. */
const stretches = /[0-9#*]?[^ -~]+/g;
const stretchesInJson = /[0-9#*]?[^\0-~]+/g;

const replaceUnsafe = (stretch: string, write: (char: string) => string): string =>
  anyUnsafe().test(stretch)
    ? stretch.replace(keptOrUnsafe(), (match, keep: string | undefined) => keep ?? write(match))
    : stretch;

export const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const shortNames: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const visible = (char: string): string => {
  const code = char.codePointAt(0)!;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return shortNames[char] ?? (isControl ? `\\x${hex(code, 2)}` : `<U+${hex(code, 4).toUpperCase()}>`);
};

const jsonEscape = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${hex(char.charCodeAt(i), 4)}`).join('');

/** Makes untrusted text one line that can't control a terminal. */
export const safe = (text: string): string =>
  rare.test(text) ? text.replace(stretches, (stretch) => replaceUnsafe(stretch, visible)) : text;

/** Defuses a `::` at the start of a line. Not one regex: on millions of blanks, it would exhaust the stack. */
const withoutLeadingColons = (line: string): string => {
  const at = line.indexOf('::');
  if (at < 0) return line;
  // sched's own color codes can come before the first word.
  const before = line.slice(0, at);
  return /\S/.test(before.replace(/\x1b\[[\d;]*m/g, '')) ? line : `${before}: :${line.slice(at + 2)}`;
};

/** Defuses commands for CI runners (GitHub Actions, Azure Pipelines) in sanitized lines. */
export const safeForRunner = (text: string): string => {
  const safeText = text.replace(/##(?=\[|vso\[)/gi, '# #');
  return safeText.includes('::') ? safeText.split('\n').map(withoutLeadingColons).join('\n') : safeText;
};

/**
 * Escapes unsafe characters in the output of JSON.stringify. The result parses to exactly the same value. Commands for
 * CI runners are defused too, because JSON and YAML allow any character as an escape.
 */
export const escapeUnsafe = (json: string, write: (char: string) => string): string => {
  const escapedJson = rareInJson.test(json)
    ? json.replace(stretchesInJson, (stretch) => replaceUnsafe(stretch, write))
    : json;
  return escapedJson.includes('##') ? escapedJson.replace(/##(?=\[|vso\[)/gi, '#\\u0023') : escapedJson;
};

export const escapeJson = (json: string): string => escapeUnsafe(json, jsonEscape);
