import { setMaxListeners } from 'node:events';
import { shellWord } from '../src/base/shell-quote.ts';
import type { Clock } from '../src/base/system.ts';
import { commandLines } from '../src/cli/messages/command-lines.ts';
import { run } from '../src/main.ts';
import { clock as realClock } from '../src/node/clock.ts';
import { afterSend } from '../src/node/send.ts';
import { width } from '../src/output/width.ts';
import type { World } from '../src/runtime.ts';

/*
 * The picture of a terminal in README.md: what the program prints, with a fixed clock, zone, width and chance, so that
 * it is the same on any day and machine.
 */

const size = { width: 800, line: 20, left: 20, top: 66, bottom: 14 };
const columns = 90;
const now = Date.parse('2026-11-15T17:00:00Z');

const commands: readonly (readonly string[])[] = [
  ['events', 'list', '--limit', '3'],
  [
    ...['invitees', 'create', '--event-type', 'Support call', '--start', 'monday 14:00'],
    ...['--timezone', 'Europe/Paris', '--email', 'ada@example.com', '--name', 'Ada Byron'],
  ],
].map((words) => ['sched', '--sandbox', ...words]);

/** Nothing that waits is woken: no progress is drawn, and no time limit is reached, however slow the machine is. */
const clock: Clock = {
  now: () => now,
  sleep: (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
};

const worldIn = async (home: string, write: (text: string) => void): Promise<World> => {
  const interrupted = new AbortController().signal;
  // Nothing that waits is woken, so its listeners stay.
  setMaxListeners(0, interrupted);
  // The sandbox listens on the loopback address; that takes real time.
  const { createTransport } = await import('../src/http/transport.ts');
  const send = createTransport({ env: {}, clock: realClock, interrupted });
  // Too few rows for a draft, which is gone in the end.
  const terminal = { isTerminal: true, columns, rows: 5, write: async (text: string) => write(text) };
  return {
    env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    home,
    platform: 'linux',
    stdin: {
      isTerminal: true,
      bytes: async () => new Uint8Array(),
      stream: () => {
        throw new Error('the commands of the picture read no input');
      },
      line: async () => undefined,
    },
    keyboard: { isTerminal: true, line: async () => undefined },
    stdout: terminal,
    stderr: terminal,
    clock,
    every: () => () => {},
    systemZone: 'Europe/Paris',
    randomBytes: (count) => Uint8Array.from({ length: count }, (_, index) => (index * 89 + 41) % 256),
    send,
    sendToEnd: send,
    connectRedis: () => Promise.reject(new Error('The picture needs no Redis')),
    startChild: () => Promise.reject(new Error('The picture needs no keychain')),
    afterSend,
    interrupted,
    protect: (work) => work(),
    machine: {
      platform: 'linux',
      host: 'localhost',
      accountHome: home,
      pid: 1,
      executable: 'node',
      version: '20.19.0',
      isAlive: () => true,
    },
    openBrowser: async () => false,
  };
};

/** What a terminal shows of the commands, one after another. `home` is an empty directory. */
export const terminalText = async (home: string): Promise<string> => {
  let screen = '';
  const world = await worldIn(home, (text) => {
    screen += text;
  });
  for (const words of commands) {
    const typed = commandLines(words.map(shellWord).join(' '), columns - 2, '').join('\n');
    screen += `${screen === '' ? '' : '\n'}\x1b[36m$\x1b[39m \x1b[1m${typed}\x1b[22m\n`;
    const code = await run(words.slice(1), world);
    if (code !== 0) throw new Error(`${words.join(' ')} ended with exit code ${code}:\n${screen}`);
  }
  return screen;
};

const colors = ['red', 'green', 'yellow', 'cyan'];

/** The classes that a code of a terminal gives to the text behind it. Codes that end others have none. */
const styles: Readonly<Record<string, { adds?: string; ends: readonly string[] }>> = {
  '1': { adds: 'bold', ends: [] },
  '2': { adds: 'faint', ends: [] },
  '22': { ends: ['bold', 'faint'] },
  '31': { adds: 'red', ends: colors },
  '32': { adds: 'green', ends: colors },
  '33': { adds: 'yellow', ends: colors },
  '36': { adds: 'cyan', ends: colors },
  '39': { ends: colors },
};

/** A color of its own, such as that of an event type, is a class that begins with `#`. */
const isOwnColor = (name: string): boolean => name.startsWith('#');

const ownColor = (code: string): string | undefined => {
  const parts = /^38;2;(\d+);(\d+);(\d+)$/.exec(code)?.slice(1);
  return parts && `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
};

const restyled = (classes: readonly string[], code: string): string[] => {
  const own = ownColor(code);
  if (own !== undefined) return [...classes.filter((name) => !colors.includes(name) && !isOwnColor(name)), own];
  if (!Object.hasOwn(styles, code)) throw new Error(`the picture has no style for the code ${code}`);
  const { adds, ends } = styles[code]!;
  const isLeft = (name: string) => !ends.includes(name) && !(ends === colors && isOwnColor(name));
  return [...classes.filter(isLeft), ...(adds === undefined ? [] : [adds])];
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The width of a character, in pixels. Fonts differ a little, and in letters of other scripts a lot. */
const cell = 8.43;

/** Text in its style. What follows a gap begins at its own column, whatever the font makes of the text before. */
const spans = (text: string, styled: readonly string[], column: number, isAfterGap: boolean): string => {
  let at = column;
  return text
    .split(/(?<= {2,})(?! )/)
    .map((part, index) => {
      const start = at;
      at += width(part);
      return span(part, styled, index === 0 && !isAfterGap ? undefined : start);
    })
    .join('');
};

const span = (text: string, styled: readonly string[], column: number | undefined): string => {
  if (styled.length === 0 && column === undefined) return escaped(text);
  const [classes, [fill]] = [styled.filter((name) => !isOwnColor(name)), styled.filter(isOwnColor)];
  const attributes = [
    ...(column === undefined ? [] : [`x="${(size.left + column * cell).toFixed(1)}"`]),
    ...(classes.length === 0 ? [] : [`class="${classes.join(' ')}"`]),
    ...(fill === undefined ? [] : [`style="fill:${fill}"`]),
  ];
  return `<tspan ${attributes.join(' ')}>${escaped(text)}</tspan>`;
};

/** The lines of a terminal's text as SVG. Whatever a picture can't show is an error. */
export const svgLines = (text: string): string[] => {
  let classes: string[] = [];
  const svgLine = (line: string): string => {
    // Texts, with the code between two of them.
    const parts = line.split(/\x1b\[([\d;]+)m/);
    const plain = parts.filter((_, index) => index % 2 === 0).join('');
    if (width(plain) > columns || /[\x00-\x1f\x7f-\x9f]/.test(plain))
      throw new Error(`the picture can't show ${JSON.stringify(line)}`);
    let written = '';
    let column = 0;
    let isAfterGap = false;
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 1) classes = restyled(classes, part);
      else if (part !== '') {
        written += spans(part, classes, column, isAfterGap);
        column += width(part);
        isAfterGap = part.endsWith('  ');
      }
    }
    return written;
  };
  return text.trimEnd().split('\n').map(svgLine);
};

/** docs/terminal.svg */
export const terminalPicture = (text: string): string => {
  const lines = svgLines(text);
  const height = size.top + (lines.length - 1) * size.line + size.bottom + 6;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${height}" width="${size.width}" height="${height}" role="img" aria-labelledby="title desc">`,
    '<title id="title">sched in a terminal</title>',
    '<desc id="desc">Two commands with their output: the next events with their people, and a booking.</desc>',
    '<style>',
    'text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; fill: #d6dde6; white-space: pre; }',
    '.bold { font-weight: bold; fill: #ffffff; } .faint { fill: #8b97a5; } .title { fill: #8b97a5; text-anchor: middle; }',
    '.red { fill: #ff8a80; } .green { fill: #7ee2a0; } .yellow { fill: #f2d06b; } .cyan { fill: #79d4e8; }',
    '</style>',
    `<rect x="0.5" y="0.5" width="${size.width - 1}" height="${height - 1}" rx="9.5" fill="#161b22" stroke="#4a5563"/>`,
    `<path d="M1 34V10a9 9 0 0 1 9-9h${size.width - 20}a9 9 0 0 1 9 9v24z" fill="#262d37"/>`,
    '<circle cx="22" cy="18" r="6" fill="#ff6059"/><circle cx="42" cy="18" r="6" fill="#ffbd2e"/><circle cx="62" cy="18" r="6" fill="#28c941"/>',
    `<text class="title" x="${size.width / 2}" y="23">sched</text>`,
    ...lines.map((line, index) =>
      line === ''
        ? ''
        : `<text xml:space="preserve" x="${size.left}" y="${size.top + index * size.line - 6}">${line}</text>`,
    ),
    '</svg>',
  ]
    .filter((line) => line !== '')
    .join('\n')}\n`;
};
