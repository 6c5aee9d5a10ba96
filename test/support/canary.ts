import { readFileSync } from 'node:fs';
import { onceEach } from '../../src/base/once.ts';

/**
 * R12: searches the output of all commands for secrets: those that a command was given (SCHED_TOKEN, SCHED_TOKEN_FILE,
 * --with-token, --client-secret-file, the password in SCHED_SHARED_STATE and of SCHED_SHARED_STATE_PASSWORD_FILE) and those that a test adds. The sandbox's own tokens are public.
 */
const added = new Set<string>();

/** From now on, searches all output for this secret too, even if it belongs to a sandbox. */
export const addCanary = (secret: string): void => {
  added.add(secret);
};

export const canaryCount = (): number => added.size;

/** Tokens issued to logins in tests. No output needs them, and not even the sandbox prints them. */
const neverPrinted = /\b(?:canary-(?:access|refresh|code)-[\w-]{8,}|sandbox_refresh_[\w-]{20,})/g;

/** Ignores case, and characters that quoting doubles or escapes with a backslash. */
const bare = (text: string): string => text.toLowerCase().replace(/[\\"']/g, '');

/** Shorter strings appear in any text by chance. */
const shortest = 8;

/** The middle of a secret's base64 at an offset. The characters at its edges depend on the surrounding text. */
const inBase64 = (secret: string): string[] =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.from(`${'\0'.repeat(offset)}${secret}`);
    const whole = Math.floor((bytes.length * 8) / 6);
    return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole);
  });

const formsOf = onceEach((secret: string): [form: string, spellings: string[]][] => {
  const base64 = inBase64(secret);
  const forms: Record<string, string[]> = {
    plain: [secret],
    base64: [...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))],
    hex: [Buffer.from(secret).toString('hex')],
  };
  return Object.entries(forms).map(([form, spellings]) => [form, [...new Set(spellings.map(bare))]]);
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const character = (code: string, base: number) => {
  const number = Number.parseInt(code, base);
  return number <= 0x10ffff ? String.fromCodePoint(number) : '';
};

/** Decodes all escapes of JSON, JavaScript, URLs, email and HTML, and joins lines. */
const undoOnce = (text: string): string =>
  text
    .replace(/\r?\n[ \t]*|(?:\\+r)?\\+n/g, '')
    .replace(/\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\})/gi, (_, a, b, c) => character(a ?? b ?? c, 16))
    .replace(/[%=]([0-7][0-9a-f])/gi, (_, code) => character(code, 16))
    .replace(/&#(\d{1,6});/g, (_, code) => character(code, 10))
    .replace(/&#x([0-9a-f]{1,5});/gi, (_, code) => character(code, 16))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => entities[name]!);

const anyEscape = /\\|[%=][0-9a-f]{2}|&#?\w+;|\n/i;

/** The texts to search for a secret: the original, and the results of decoding its escapes repeatedly. */
const readings = (text: string): string[] => {
  if (!anyEscape.test(text)) return [bare(text)];
  const once = undoOnce(text);
  return [text, once, undoOnce(once)].map(bare);
};

/** The secrets in a text and their forms. A secret is named only by its length. */
export const leaksIn = (text: string, secrets: Iterable<string>): string[] => {
  const all = [...secrets];
  // Most commands have none, and decoding a long output takes a while.
  if (all.length === 0) return [];
  const [plain = '', ...undone] = readings(text);
  return all.flatMap((secret) =>
    formsOf(secret).flatMap(([form, spellings]) => {
      const told = `a secret of ${secret.length} characters, ${form}`;
      if (spellings.some((spelling) => plain.includes(spelling))) return [told];
      return undone.some((reading) => spellings.some((spelling) => reading.includes(spelling)))
        ? [`${told}, escaped`]
        : [];
    }),
  );
};

const fileText = (path: string | undefined): string => {
  try {
    return path ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
};

interface Given {
  /** The command line as words, or as one shell command. */
  line: readonly string[] | string;
  env: Readonly<Record<string, string | undefined>>;
  stdin?: string;
}

/** Each line of a secret, because a single line could leak. */
const secretsGiven = ({ line, env, stdin = '' }: Given): string[] => {
  const words = typeof line === 'string' ? [] : line;
  const isToken = words.includes('--with-token');
  const at = words.indexOf('--client-secret-file');
  const clientSecret = at === -1 ? '' : fileText(words[at + 1]);
  const [, password = ''] = /^rediss?:\/\/[^:@/]*:([^@/]*)@/.exec(env.SCHED_SHARED_STATE ?? '') ?? [];
  const passwords = [password, fileText(env.SCHED_SHARED_STATE_PASSWORD_FILE)];
  return [env.SCHED_TOKEN ?? '', fileText(env.SCHED_TOKEN_FILE), isToken ? stdin : '', clientSecret, ...passwords]
    .flatMap((text) => [text.trim(), ...text.split(/[\r\n\0]+/)])
    .filter((secret) => secret.length >= shortest && !secret.startsWith('sandbox_'));
};

/** `auth token` prints the secret on purpose. */
const answersWithSecret = (line: Given['line']): boolean =>
  typeof line === 'string'
    ? /\bauth token\b/.test(line.replaceAll("'", ''))
    : line
        .filter((word) => !word.startsWith('-'))
        .slice(0, 2)
        .join(' ') === 'auth token';

/** The secrets in the output of a command, and where they are. */
export const leaksOf = (given: Given, { stdout, stderr }: { stdout: string; stderr: string }): string[] => {
  const secrets = new Set([...added, ...secretsGiven(given)]);
  const found = (text: string) => leaksIn(text, [...secrets, ...new Set(text.match(neverPrinted) ?? [])]);
  const leaks = [
    ...found(stderr).map((leak) => `stderr holds ${leak}`),
    ...(answersWithSecret(given.line) ? [] : found(stdout).map((leak) => `stdout holds ${leak}`)),
  ];
  const words = typeof given.line === 'string' ? given.line : given.line.join(' ');
  return leaks.length === 0 ? [] : [`R12: sched ${words}: ${leaks.join('; ')}`];
};

/** Fails the test if its command printed a secret. */
export const expectNoSecret = (given: Given, out: { stdout: string; stderr: string }): void => {
  const [leak] = leaksOf(given, out);
  if (leak !== undefined) throw new Error(leak);
};
