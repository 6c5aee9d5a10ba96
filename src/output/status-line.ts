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

/**
 * The runtime of a command on a terminal. It has a status line: after a second of silence, the line says which service
 * the command waits for, or how many rows of a list have arrived. All requests and all output pass here, so no other
 * place needs to start, update or erase the line.
 */
export const withStatusLine = (world: Runtime, { isPlain, nameOf }: StatusOptions): Runtime => {
  const { clock, stderr, keyboard, openPager, spawn } = world;
  /** The hosts of the requests that wait for a reply, the oldest first. */
  const inFlight = new Set<{ host: string }>();
  let rows = 0;
  let wait: { until: number; text(seconds: number): TextLengths } | undefined;
  let ownText: Parameters<StatusLine['draw']>[0];
  /** When the terminal became silent, and when the last rows arrived. */
  let silentSince: number | undefined;
  let waitingSince: number | undefined;
  let isShown = false;
  /** The lines of a draft, which stand above the status line. */
  let draftLines = 0;
  let lastPlainAt: number | undefined;
  /** How many writes, prompts and other programs use the terminal. */
  let borrowers = 0;
  let stop: (() => void) | undefined;

  const erase = async (): Promise<void> => {
    if (!isShown) return;
    isShown = false;
    await stderr.write(clearLine);
  };
  const eraseAll = async (): Promise<void> => {
    if (draftLines === 0) return erase();
    const lines = draftLines;
    draftLines = 0;
    isShown = false;
    await stderr.write(`${upBy(lines)}${clearRest}`);
  };
  const restart = (): void => {
    silentSince = inFlight.size === 0 ? undefined : clock.now();
    waitingSince = silentSince;
    lastPlainAt = undefined;
  };

  const secondsSince = (start = clock.now()): number => Math.round((clock.now() - start) / 1000);

  const waitingTexts = (): TextLengths => {
    if (secondsSince(silentSince) < 1) return [];
    const [oldest] = inFlight;
    const count = `${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'}`;
    const countTexts = rows === 0 ? [] : [`${count}…`];
    const seconds = secondsSince(waitingSince);
    if (oldest === undefined || (rows > 0 && seconds < 1)) return countTexts;
    const waitingText = `waiting for ${nameOf(oldest.host)}… ${seconds} s`;
    return rows === 0 ? [waitingText, `waiting… ${seconds} s`] : [`${count}, ${waitingText}`, ...countTexts];
  };
  const texts = (): TextLengths => {
    if (wait !== undefined && wait.until <= clock.now()) wait = undefined;
    if (ownText !== undefined) return [ownText(wait?.until, stderr.columns)].flat();
    return wait === undefined ? waitingTexts() : wait.text(Math.ceil((wait.until - clock.now()) / 1000));
  };

  const show = async (versions: TextLengths): Promise<void> => {
    // The longest version is the whole sentence, which a plain line can always hold.
    const lines = versions.map(safe);
    if (isPlain) {
      if (lastPlainAt !== undefined && clock.now() - lastPlainAt < plainEveryMs) return;
      lastPlainAt = clock.now();
      return stderr.write(`${lines[0]}\n`);
    }
    const room = Math.max(stderr.columns - margin, 1);
    const line = lines.find((each) => each.length <= room) ?? lines.at(-1)!.slice(0, room);
    isShown = true;
    await stderr.write(`${clearLine}${line}`);
  };
  const update = (): void => {
    if (borrowers > 0) return;
    const versions = texts();
    // A closed stderr must not end the command.
    void (versions.length === 0 ? erase() : show(versions)).catch(() => {});
  };
  const start = (): void => {
    stop ??= world.every(tickMs, update);
  };

  const watchRequests =
    (send: Runtime['send']): Runtime['send'] =>
    async (request) => {
      const entry = { host: new URL(request.url).host };
      inFlight.add(entry);
      silentSince ??= clock.now();
      waitingSince ??= silentSince;
      start();
      try {
        return await send(request);
      } finally {
        inFlight.delete(entry);
      }
    };

  /** Overrides `write` only. All other properties are read from the original output. */
  const erasing = (output: Output): Output =>
    output.isTerminal
      ? Object.create(output, {
          write: {
            value: async (text: string) => {
              await lendFor(() => output.write(text));
              // The line stays the last one, also between two ticks.
              if (ownText !== undefined) update();
            },
          },
        })
      : output;

  /** Keeps the line away while a prompt or another program uses the terminal. */
  const lend = async (): Promise<() => void> => {
    borrowers += 1;
    await eraseAll().catch(() => {});
    return () => {
      borrowers -= 1;
      restart();
    };
  };
  const lendFor = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    const takeBack = await lend();
    try {
      return await work();
    } finally {
      takeBack();
    }
  };
  const pagerThatBorrows = async (open: NonNullable<typeof openPager>, command: readonly string[]) => {
    const takeBack = await lend();
    const pager = await open(command);
    if (pager === undefined) takeBack();
    const close = () => pager!.close().finally(takeBack);
    return pager && (Object.create(pager, { close: { value: close } }) as Pager);
  };

  const status: StatusLine = {
    isPlain,
    countDown: (until, text) => {
      if (wait === undefined || wait.until < until) wait = { until, text };
      lastPlainAt = undefined;
      start();
      update();
    },
    rows: (count) => {
      if (count > rows) waitingSince = clock.now();
      rows = count;
    },
    draw: (text) => {
      ownText = text;
      start();
      update();
    },
    draft: (lines) => {
      const room = (stderr.rows || defaultRows) - 2;
      if (isPlain || borrowers > 0 || room < leastDraft) return;
      const shown = lines.slice(0, room);
      const frame = `${upBy(draftLines)}${shown.map((line) => `${line}\x1b[K\n`).join('')}${clearRest}`;
      draftLines = shown.length;
      isShown = false;
      void stderr.write(frame).catch(() => {});
    },
    end: () => {
      stop?.();
      return erase().catch(() => {});
    },
  };
  const own: Partial<Runtime> = {
    status,
    send: watchRequests(world.send),
    sendToEnd: watchRequests(world.sendToEnd),
    stdout: erasing(world.stdout),
    stderr: erasing(stderr),
    keyboard: Object.create(keyboard, {
      line: { value: (options: Parameters<typeof keyboard.line>[0]) => lendFor(() => keyboard.line(options)) },
    }),
    ...(openPager && { openPager: (command) => pagerThatBorrows(openPager, command) }),
    ...(spawn && { spawn: (...words) => lendFor(() => spawn(...words)) }),
  };
  return Object.create(world, Object.getOwnPropertyDescriptors(own));
};
