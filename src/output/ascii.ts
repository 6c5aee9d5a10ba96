import type { Env } from '../base/system.ts';

const asciiFor: Readonly<Record<string, string>> = {
  '▎': '|',
  '▶': '>',
  '×': 'x',
  '✔': '+',
  '✗': 'x',
  '●': '*',
  '→': '>',
  '·': '.',
  '–': '-',
  '…': '~',
  '▂': '-',
  '▄': '#',
  '▅': '=',
  '▌': '=',
  '█': '#',
  '░': '-',
  '▒': '=',
  '▓': '+',
};

const drawingCharacters = new RegExp(`[${Object.keys(asciiFor).join('')}]`, 'g');

/** The same text without the characters that pictures are drawn with. Its width stays the same. */
export const asciiForm = (text: string): string => text.replace(drawingCharacters, (char) => asciiFor[char]!);

/**
 * Whether the locale names an encoding that lacks block characters. Without any locale, as in many containers, the
 * terminal almost always shows UTF-8.
 */
export const needsAscii = (env: Env): boolean => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
};
