import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { pad, shorten, width } from '../../output/width.ts';
import type { Runtime, TextLengths } from '../../runtime.ts';
import { wallClock } from '../../time/show.ts';
import { exactClock } from '../../time/wall.ts';
import type { Alive, Notes } from './notes.ts';

/*
 * The screen of commands that run until they are stopped: a heading, a line for each thing that happens, and a last line
 * that says the command is alive.
 */

/** Something that happened. Its texts must be sanitized. */
export interface Happening {
  time: string;
  what: string;
  subject: string;
  /** How it ended, if that is known. */
  result?: string;
}

/** The usual widths of two columns. A longer result takes room from the subject. */
export interface LiveColumns {
  what: number;
  result: number;
}

/** Below this width, no column is wider than its text. */
const narrow = 60;
const leastSubject = 12;
const mostSubject = 60;

/** A time of day in the zone, with seconds. */
export const timeOfDay = (at: number, zone: string): string => exactClock(wallClock(zone)(at));

/** The line of a happening, cut to fit a terminal. For a screen reader, nothing is aligned or cut. */
export const liveLine = (
  { time, what, subject, result = '' }: Happening,
  { stdout, env }: Pick<Runtime, 'stdout' | 'env'>,
  columns: LiveColumns,
  isSpoken: boolean,
): string => {
  if (isSpoken) return [time, what, subject, result].join(' ').replace(/ +/g, ' ').trimEnd();
  const available = stdout.isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const start = `${time}  ${available < narrow ? what : pad(what, columns.what)}  `;
  const end = shorten(result, Math.max(columns.result, Math.floor(available / 3)));
  const rest = available - width(start) - 2 - Math.max(width(end), columns.result);
  const room = Math.min(Math.max(rest, leastSubject), mostSubject);
  const shortSubject = stdout.isTerminal ? shorten(subject, room) : subject;
  const text = end === '' ? `${start}${subject}` : `${start}${pad(shortSubject, room)}  ${end}`;
  const line = shorten(text, available);
  return stdout.isTerminal && needsAscii(env) ? asciiForm(line) : line;
};

/** How often a terminal that can't erase a line says that the command is alive. */
const plainEveryMs = 10 * 60_000;

/** Whether the last line says how to stop the command, so that nothing else needs to. */
export const hasLastLine = ({ status }: Pick<Runtime, 'status'>): boolean => status?.isPlain === false;

/** Keeps the last line of a terminal up to date. Returns a function that ends that. */
const showAlive = (
  { status, every, env }: Pick<Runtime, 'status' | 'every' | 'env'>,
  notes: Notes,
  text: () => Alive,
): (() => void) => {
  if (status === undefined) return () => {};
  const versions = (): TextLengths => {
    const { name, at, facts } = text();
    const short = [name, ...facts].join(' · ');
    const long = [at === undefined ? name : `${name} ${at}`, ...facts].join(' · ');
    const lines = status.isPlain ? [long] : [`${long} · Ctrl-C to stop`, `${short} · Ctrl-C to stop`, short];
    return needsAscii(env) ? lines.map(asciiForm) : lines;
  };
  if (status.isPlain) return every(plainEveryMs, () => notes.info(versions()[0]!));
  status.draw(versions);
  return () => status.draw(undefined);
};

/** Lets notes use the status line of a terminal, if there is one. */
export const useStatusLine = (notes: Notes, runtime: Pick<Runtime, 'status' | 'every' | 'env'>): void => {
  const { status } = runtime;
  if (status === undefined) return;
  notes.rows = status.rows;
  notes.countDown = status.countDown;
  notes.alive = (text) => showAlive(runtime, notes, text);
  notes.draw = (text) => {
    if (!status.isPlain) status.draw(text);
    return !status.isPlain;
  };
};
