/*
 * R12: no secret is printed, in any form that the service or our own code may give it. Case-insensitive and in any mix,
 * this finds: the text itself, hex, and base64 (both alphabets, at any offset in a longer text, so that `Bearer TOKEN`
 * and `user:TOKEN` are found too). Each character may be plain, percent-encoded (once or more often), quoted-printable,
 * a JSON or JavaScript escape (`\u0041`, `\x41`, `\/`), an HTML entity, or a doubled quote. The text may be broken over
 * lines, or cut off at a `…`.
 */

export interface Secrets {
  /** Redacts this text from now on. `kind` is printed in its place. */
  keep(secret: string, kind?: SecretKind): void;
  redact(text: string): string;
}

export type SecretKind = 'token' | 'refresh token' | 'code' | 'verifier' | 'password' | 'client secret' | 'signing key';

/** Shorter strings appear in any text by chance, and no real service has secrets this short. */
const shortest = 8;

/** The sandbox's ready-made tokens are public: help and documentation name them. */
const isPublic = /^sandbox_[a-z_]+$/;

/** A secret that was cut off is still redacted if at least this many of its characters are left. */
const shortestPart = 4;

/** Marks the end of a cut text, so that a secret cut in two is recognized by its first part. */
const cutMark = '…';

/** The mark, perhaps after the first part of an escape. */
const cutHere = /(?:[\\%=&#"'][\\%=&#"'\w{]{0,16})?…/y;

/** Cuts a text to `length` characters. Cut printed text only with this function: see `cutMark`. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}${cutMark}`;

/** The middle of a secret's base64 at an offset. The characters at its edges depend on the surrounding text. */
const inBase64 = (secret: string, offset: number): string => {
  const bytes = Buffer.from(`${'\0'.repeat(offset)}${secret}`);
  return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
};

const secretSpellings = (secret: string): string[] => {
  const base64 = [0, 1, 2].map((offset) => inBase64(secret, offset));
  const base64Url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([secret, Buffer.from(secret).toString('hex'), ...base64, ...base64Url])];
};

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const characterNamed = (name: string) => Object.keys(entities).find((char) => entities[char] === name.toLowerCase());

/** Source of a regular expression that matches exactly this text. */
const exactly = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** A line break added by a narrow screen or an encoding. */
const lineBreak = String.raw`(?:\r?\n[ \t]{0,200})?`;
/** A line break between two characters, which may be written as an escape. */
const anyBreak = String.raw`(?:(?:\\{1,8}r)?\\{1,8}n|${lineBreak})`;
const acrossLines = (text: string): string => [...text].join(lineBreak);

// The levels of escaping are limited, so that a service can't keep us busy by sending only backslashes.
const percentEscape = (digits: string): string => `[%=]${lineBreak}(?:${acrossLines('25')}${lineBreak}){0,4}${digits}`;
/** A character that starts or ends an escape. A URL may have percent-encoded it. */
const sign = (char: string): string =>
  `(?:\\${char}|${percentEscape(acrossLines(hexOf(char.charCodeAt(0), 2)))})${lineBreak}`;
const slash = `(?:${sign('\\')}){1,8}`;
const ampersand = `${sign('&')}(?:${acrossLines('amp')}${lineBreak}${sign(';')}){0,4}`;
const entity = (inner: string): string => `${ampersand}${inner}${lineBreak}${sign(';')}`;

/** CSV and YAML double a quote, JSON a backslash. A shell closes the string, escapes the quote and opens a new one. */
const doubled: Record<string, string> = {
  '"': String.raw`\\{0,8}""?`,
  "'": String.raw`\\{0,8}'(?:\\?''?)?`,
  '\\': String.raw`\\\\?`,
};

/** Source of a regular expression that matches all ways to write one character. */
const characterSource = (part: string): string => {
  const [char = '', ...more] = part;
  if (more.length > 0) return `(?:${characterSource(char)}){${part.length}}`;
  const code = char.codePointAt(0)!;
  const hex = acrossLines(hexOf(code, 1));
  const units = Array.from({ length: char.length }, (_, index) => acrossLines(`u${hexOf(char.charCodeAt(index), 4)}`));
  const bytes = [...Buffer.from(char)].map((byte) => percentEscape(acrossLines(hexOf(byte, 2))));
  const namedEntity = entities[char] === undefined ? '' : `|${acrossLines(entities[char])}`;
  const forms = [
    units.map((unit) => slash + unit).join(''),
    String.raw`${slash}(?:u\{0{0,6}${hex}\}|${acrossLines(`x${hexOf(code, 2)}`)})`,
    entity(`(?:${sign('#')}(?:0{0,6}${acrossLines(String(code))}|x0{0,6}${hex})${namedEntity})`),
    bytes.join(''),
    // Last, because the character itself may start an escape.
    doubled[char] ?? String.raw`\\{0,8}${exactly(char)}`,
  ];
  return `(?:${forms.join('|')})`;
};

interface Spelling {
  text: string;
  /** Its characters; a run of the same quote is one part. */
  characters: readonly string[];
  /** Lower-case codes of letters and digits, which are nearly always plain. −1 for characters that are often escaped. */
  codes: Int16Array;
  patterns: (RegExp | undefined)[];
  kind: SecretKind;
}

const lower = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

const spellSecret = (text: string, kind: SecretKind): Spelling => {
  // A run of quotes is one part: its pattern decides how many quotes of the text belong to each.
  const characters = text.match(/(["'\\])\1*|[\s\S]/gu) ?? [];
  const codes = Int16Array.from(characters, (char) => (/^[\w-]$/.test(char) ? lower(char.charCodeAt(0)) : -1));
  return { text, characters, codes, patterns: [], kind };
};

const patternAt = ({ characters, patterns }: Spelling, index: number): RegExp => {
  patterns[index] ??= new RegExp(`${anyBreak}${characterSource(characters[index]!)}`, 'iy');
  return patterns[index];
};

const escapeSigns = new Set([...'\\%=&'].map((sign) => sign.charCodeAt(0)));

const breakHere = new RegExp(lineBreak, 'y');
const afterBreak = (text: string, start: number): number => {
  breakHere.lastIndex = start;
  breakHere.test(text);
  return breakHere.lastIndex;
};

/** Where the secret that starts at `start` ends in this spelling, or undefined if the text there is different. */
const endOf = (spelling: Spelling, text: string, start: number): number | undefined => {
  const { codes } = spelling;
  // A secret may contain something that looks like an escape.
  if (text.startsWith(spelling.text, start)) return start + spelling.text.length;
  let end = start;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index]!;
    const at = lower(text.charCodeAt(end)) === code ? end : afterBreak(text, end);
    const next = lower(text.charCodeAt(at));
    if (next === code) {
      end = at + 1;
      continue;
    }
    // To compile a pattern takes long, and a letter that isn't plain can only be an escape.
    const pattern = code < 0 || escapeSigns.has(next) ? patternAt(spelling, index) : undefined;
    if (pattern !== undefined) pattern.lastIndex = end;
    if (!pattern?.test(text)) {
      cutHere.lastIndex = end;
      return index >= shortestPart && cutHere.test(text) ? end : undefined;
    }
    end = pattern.lastIndex;
  }
  return end;
};

/** Two characters as one number. Characters beyond ASCII collide with others, which only costs an extra check. */
const pairOf = (first: number, second: number): number => ((first & 127) << 7) | (second & 127);

const pairsOf = (firsts: string, seconds: string): number[] =>
  [...firsts].flatMap((first) => [...seconds].map((second) => pairOf(first.charCodeAt(0), second.charCodeAt(0))));

const bothCases = (char: string): string => char.toLowerCase() + char.toUpperCase();

interface SecretMatch {
  end: number;
  kind: SecretKind;
}

const longestOf = (
  spellings: readonly Spelling[] | undefined,
  text: string,
  start: number,
): SecretMatch | undefined => {
  let longest: SecretMatch | undefined;
  for (const spelling of spellings ?? []) {
    const end = endOf(spelling, text, start);
    if (end !== undefined && end > (longest?.end ?? 0)) longest = { end, kind: spelling.kind };
  }
  return longest;
};

const backslash = 0x5c;

/** Characters that may follow a plain character instead of the next one. */
const escapes = `\\%=&\r\n"'`;

/** The first two characters of an escape. If there are several backslashes, the last one counts. */
const escapeStarts = [
  ...pairsOf('\\', 'uUxX\r\n'),
  ...pairsOf('%=', '0123456789abcdefABCDEF\r\n'),
  ...pairsOf('&', '#%aglqAGLQ\r\n'),
];
const digit = `[0-9a-f]${lineBreak}`;
const anyEscape = new RegExp(
  [
    String.raw`${sign('\\')}(?:u((?:${digit}){4})|x((?:${digit}){2})|u\{0{0,6}((?:${digit}){1,6})\})`,
    entity(
      String.raw`(?:${sign('#')}(?:x0{0,6}((?:${digit}){1,6})|0{0,6}((?:\d${lineBreak}){1,7}))|(amp|lt|gt|quot|apos))`,
    ),
    percentEscape(`((?:${digit}){2})`),
    String.raw`\\(.)`,
  ].join('|'),
  'iy',
);

/** The code of the character escaped at `start`, or of its first byte. */
const escapedAt = (text: string, start: number): number | undefined => {
  anyEscape.lastIndex = start;
  const [, unit, byte, point, hex, decimal, name, percented, plain] = anyEscape.exec(text) ?? [];
  const numbers = unit ?? byte ?? point ?? hex ?? percented;
  if (numbers !== undefined) return Number.parseInt(numbers.replace(/\s/g, ''), 16);
  if (decimal !== undefined) return Number(decimal.replace(/\s/g, ''));
  return (name === undefined ? plain : characterNamed(name))?.charCodeAt(0);
};

export const createSecrets = (): Secrets => {
  const knownTexts = new Set<string>();
  // All output is scanned in pairs of characters. Only a pair that may start a secret is checked further.
  const mayBegin = new Uint8Array(1 << 14);
  for (const pair of escapeStarts) mayBegin[pair] = 1;
  const byPair = new Map<number, Spelling[]>();
  const byCharacter = new Map<number, Spelling[]>();

  const add = (spelling: Spelling): void => {
    const [first = '', second = ''] = spelling.text;
    for (const pair of new Set(pairsOf(bothCases(first), bothCases(second) + escapes))) {
      mayBegin[pair] = 1;
      byPair.set(pair, [...(byPair.get(pair) ?? []), spelling]);
    }
    if (/\W/.test(first)) mayBegin[pairOf(backslash, first.charCodeAt(0))] = 1;
    for (const code of new Set([...Buffer.from(bothCases(first))].concat(first.charCodeAt(0))))
      byCharacter.set(code, [...(byCharacter.get(code) ?? []), spelling]);
  };

  const secretAt = (text: string, start: number, pair: number): SecretMatch | undefined => {
    const plain = longestOf(byPair.get(pair), text, start);
    if (plain !== undefined || !escapeSigns.has(text.charCodeAt(start))) return plain;
    return longestOf(byCharacter.get(escapedAt(text, start) ?? -1), text, start);
  };

  /** Also removes backslashes before a secret: a remaining one would escape the replacement and break JSON. */
  const withoutEscape = (text: string): string => {
    let end = text.length;
    while (text[end - 1] === '\\') end -= 1;
    return text.slice(0, end);
  };

  const exactSources: string[] = [];
  /** Any spelling of any secret, in one expression: looking for each in turn takes several times as long. */
  let anySpelling: RegExp | undefined;
  let isQuoted = false;

  /** A quick check: without escapes and cuts, a secret can only appear as spelled, or broken over lines. */
  const mayHoldSecret = (text: string): boolean => {
    if (isQuoted || /[\\%=&…]/.test(text)) return true;
    anySpelling ??= new RegExp(exactSources.join('|'), 'i');
    return anySpelling.test(text.replace(/\r?\n[ \t]*/g, ''));
  };

  return {
    keep: (secret, kind = 'token') => {
      if (secret.length < shortest || isPublic.test(secret) || knownTexts.has(secret)) return;
      knownTexts.add(secret);
      // The quick check doesn't find doubled quotes.
      isQuoted ||= /["']/.test(secret);
      for (const text of secretSpellings(secret)) {
        exactSources.push(exactly(text));
        add(spellSecret(text, kind));
      }
      anySpelling = undefined;
    },
    redact: (text) => {
      if (knownTexts.size === 0 || !mayHoldSecret(text)) return text;
      let output = '';
      let from = 0;
      for (let at = 0; at < text.length - 1; at += 1) {
        const pair = pairOf(text.charCodeAt(at), text.charCodeAt(at + 1));
        if (mayBegin[pair] === 0) continue;
        const secret = secretAt(text, at, pair);
        if (secret === undefined) continue;
        output += `${withoutEscape(text.slice(from, at))}[${secret.kind}]`;
        from = secret.end;
        at = secret.end - 1;
      }
      return from === 0 ? text : output + text.slice(from);
    },
  };
};

/** As many characters of a secret as chance doesn't put into a text, except words. */
const tellingPart = 6;

const lettersAndDigits = (text: string): string => text.replace(/[^a-z0-9]/gi, '');

/** Random characters have digits, or letters of both cases. A word such as `refresh` in a token says nothing. */
const isTelling = (part: string): boolean => /\d/.test(part) || (/[a-z]/.test(part) && /[A-Z]/.test(part));

const secretParts = (secret: string): string[] =>
  Array.from({ length: Math.max(0, secret.length - tellingPart + 1) }, (_, at) => secret.slice(at, at + tellingPart));

/**
 * Whether a text repeats part of a secret, also in the other case or with signs in between. `redact` finds whole secrets
 * only, so text from someone who knows them needs this check.
 */
export const repeatsPart = (text: string, secrets: readonly string[]): boolean => {
  const whole = createSecrets();
  for (const secret of secrets) whole.keep(secret);
  const words = lettersAndDigits(whole.redact(text)).toLowerCase();
  const parts = secrets.flatMap((secret) => secretParts(lettersAndDigits(secret)));
  return parts.some((part) => isTelling(part) && words.includes(part.toLowerCase()));
};
