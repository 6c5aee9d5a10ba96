import { formatNumber } from '../base/numbers.ts';
import type { Output, Pager, Runtime, StatusLine, TextLengths } from '../runtime.ts';
import { safe } from './sanitize.ts';

/** Moves to the first column and erases the line (ECMA-48 §8.3.41). */
const clearLine = '\r\x1b[K';

/** Moves up to the first of some lines, and erases the rest of the screen (ECMA-48 §8.3.22, §8.3.39). */
const upBy = (lines: number): string => (lines > 0 ? `\r\x1b[${lines}A` : '\r');
const clearRest = '\x1b[J';

const tickMs = 1000;
/** The time between two plain lines, which nothing erases. */
const plainEveryMs = 10_000;
/** Room for the `^C` that a terminal echoes, and for the last column, after which it would start a new line. */
const margin = 3;
/** The height of a terminal that doesn't tell it. */
const defaultRows = 24;
/** On a smaller screen, a draft of fewer lines says nothing. */
const leastDraft = 4;

interface StatusOptions {
  isPlain: boolean;
  nameOf(host: string): string;
}

/** The status line of a terminal, and the lines of a draft above it. */
class TerminalLine {
  readonly #isPlain: boolean;
  readonly #nameOf: StatusOptions['nameOf'];
  readonly #world: Runtime;
  /** The hosts of the requests that wait for a reply, the oldest first. */
  readonly #inFlight = new Set<{ host: string }>();
  #rows = 0;
  #wait: { until: number; text(seconds: number): TextLengths } | undefined;
  #ownText: Parameters<StatusLine['draw']>[0];
  /** When the terminal became silent, and when the last rows arrived. */
  #silentSince: number | undefined;
  #waitingSince: number | undefined;
  #isShown = false;
  #draftLines = 0;
  #lastPlainAt: number | undefined;
  /** How many writes, prompts and other programs use the terminal. */
  #borrowers = 0;
  #stop: (() => void) | undefined;

  constructor(world: Runtime, { isPlain, nameOf }: StatusOptions) {
    this.#world = world;
    this.#isPlain = isPlain;
    this.#nameOf = nameOf;
  }

  countDown(seconds: number, text: (seconds: number) => TextLengths): void {
    const until = this.#now + seconds * 1000;
    if (this.#wait === undefined || this.#wait.until < until) this.#wait = { until, text };
    this.#lastPlainAt = undefined;
    this.#start();
    this.#update();
  }

  setRows(count: number): void {
    if (count > this.#rows) this.#waitingSince = this.#now;
    this.#rows = count;
  }

  draw(text: Parameters<StatusLine['draw']>[0]): void {
    this.#ownText = text;
    this.#start();
    this.#update();
  }

  draft(lines: readonly string[]): void {
    const { stderr } = this.#world;
    const room = (stderr.rows || defaultRows) - 2;
    if (this.#isPlain || this.#borrowers > 0 || room < leastDraft) return;
    const shown = lines.slice(0, room);
    const frame = `${upBy(this.#draftLines)}${shown.map((line) => `${line}\x1b[K\n`).join('')}${clearRest}`;
    this.#draftLines = shown.length;
    this.#isShown = false;
    void stderr.write(frame).catch(() => {});
  }

  end(): Promise<void> {
    this.#stop?.();
    return this.#erase().catch(() => {});
  }

  /** Sends requests that the line tells of while they wait for a reply. */
  watch(send: Runtime['send']): Runtime['send'] {
    return async (request) => {
      const entry = { host: new URL(request.url).host };
      this.#inFlight.add(entry);
      this.#silentSince ??= this.#now;
      this.#waitingSince ??= this.#silentSince;
      this.#start();
      try {
        return await send(request);
      } finally {
        this.#inFlight.delete(entry);
      }
    };
  }

  async writeAbove(output: Output, text: string): Promise<void> {
    await this.lendFor(() => output.write(text));
    // The line stays the last one, also between two ticks.
    if (this.#ownText !== undefined) this.#update();
  }

  /** Keeps the line away while a prompt or another program uses the terminal. */
  async lend(): Promise<() => void> {
    this.#borrowers += 1;
    await this.#eraseAll().catch(() => {});
    return () => {
      this.#borrowers -= 1;
      this.#restart();
    };
  }

  async lendFor<Value>(work: () => Promise<Value>): Promise<Value> {
    const takeBack = await this.lend();
    try {
      return await work();
    } finally {
      takeBack();
    }
  }

  get #now(): number {
    return this.#world.clock.now();
  }

  #secondsSince(start = this.#now): number {
    return Math.round((this.#now - start) / 1000);
  }

  #start(): void {
    this.#stop ??= this.#world.every(tickMs, () => this.#update());
  }

  #restart(): void {
    this.#silentSince = this.#inFlight.size === 0 ? undefined : this.#now;
    this.#waitingSince = this.#silentSince;
    this.#lastPlainAt = undefined;
  }

  #update(): void {
    if (this.#borrowers > 0) return;
    const versions = this.#texts();
    // A closed stderr must not end the command.
    void (versions.length === 0 ? this.#erase() : this.#show(versions)).catch(() => {});
  }

  #texts(): TextLengths {
    if (this.#wait !== undefined && this.#wait.until <= this.#now) this.#wait = undefined;
    if (this.#ownText !== undefined) return [this.#ownText(this.#wait?.until, this.#world.stderr.columns)].flat();
    if (this.#wait === undefined) return this.#waitingTexts();
    return this.#wait.text(Math.ceil((this.#wait.until - this.#now) / 1000));
  }

  #waitingTexts(): TextLengths {
    if (this.#secondsSince(this.#silentSince) < 1) return [];
    const [oldest] = this.#inFlight;
    const rows = this.#rows;
    const count = `${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'}`;
    const countTexts = rows === 0 ? [] : [`${count}…`];
    const seconds = this.#secondsSince(this.#waitingSince);
    if (oldest === undefined || (rows > 0 && seconds < 1)) return countTexts;
    const waitingText = `waiting for ${this.#nameOf(oldest.host)}… ${seconds} s`;
    return rows === 0 ? [waitingText, `waiting… ${seconds} s`] : [`${count}, ${waitingText}`, ...countTexts];
  }

  async #show(versions: TextLengths): Promise<void> {
    const { stderr } = this.#world;
    // The longest version is the whole sentence, which a plain line can always hold.
    const lines = versions.map(safe);
    if (this.#isPlain) {
      if (this.#lastPlainAt !== undefined && this.#now - this.#lastPlainAt < plainEveryMs) return;
      this.#lastPlainAt = this.#now;
      return stderr.write(`${lines[0]}\n`);
    }
    const room = Math.max(stderr.columns - margin, 1);
    const line = lines.find((each) => each.length <= room) ?? lines.at(-1)!.slice(0, room);
    this.#isShown = true;
    await stderr.write(`${clearLine}${line}`);
  }

  async #erase(): Promise<void> {
    if (!this.#isShown) return;
    this.#isShown = false;
    await this.#world.stderr.write(clearLine);
  }

  async #eraseAll(): Promise<void> {
    if (this.#draftLines === 0) return this.#erase();
    const lines = this.#draftLines;
    this.#draftLines = 0;
    this.#isShown = false;
    await this.#world.stderr.write(`${upBy(lines)}${clearRest}`);
  }
}

/** Overrides `write` only. All other properties are read from the original output. */
const erasing = (line: TerminalLine, output: Output): Output =>
  output.isTerminal
    ? Object.create(output, { write: { value: (text: string) => line.writeAbove(output, text) } })
    : output;

const pagerThatBorrows = async (
  line: TerminalLine,
  open: NonNullable<Runtime['openPager']>,
  command: readonly string[],
) => {
  const takeBack = await line.lend();
  const pager = await open(command);
  if (pager === undefined) takeBack();
  const close = () => pager!.close().finally(takeBack);
  return pager && (Object.create(pager, { close: { value: close } }) as Pager);
};

/**
 * The runtime of a command on a terminal. It has a status line: after a second of silence, the line says which service
 * the command waits for, or how many rows of a list have arrived. All requests and all output pass here, so no other
 * place needs to start, update or erase the line.
 */
export const withStatusLine = (world: Runtime, options: StatusOptions): Runtime => {
  const { keyboard, openPager, spawn } = world;
  const line = new TerminalLine(world, options);
  const own: Partial<Runtime> = {
    // Functions that can be passed on alone.
    status: {
      isPlain: options.isPlain,
      countDown: (seconds, text) => line.countDown(seconds, text),
      rows: (count) => line.setRows(count),
      draw: (text) => line.draw(text),
      draft: (lines) => line.draft(lines),
      end: () => line.end(),
    },
    send: line.watch(world.send),
    sendToEnd: line.watch(world.sendToEnd),
    stdout: erasing(line, world.stdout),
    stderr: erasing(line, world.stderr),
    keyboard: Object.create(keyboard, {
      line: { value: (how: Parameters<typeof keyboard.line>[0]) => line.lendFor(() => keyboard.line(how)) },
    }),
    ...(openPager && { openPager: (command) => pagerThatBorrows(line, openPager, command) }),
    ...(spawn && { spawn: (...words) => line.lendFor(() => spawn(...words)) }),
  };
  return Object.create(world, Object.getOwnPropertyDescriptors(own));
};
