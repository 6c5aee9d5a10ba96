import type { Output, Pager, Runtime } from '../runtime.ts';

type PagerWorld = Pick<Runtime, 'stdout' | 'env' | 'platform' | 'openPager'>;

/** Whether a person at the terminal can page through a text. */
export const isInteractive = ({ stdout, env }: Pick<PagerWorld, 'stdout' | 'env'>): boolean =>
  stdout.isTerminal && !env.CI && env.TERM !== 'dumb';

/** The pager command as words, or undefined if paging is off or stdout is not an interactive terminal. */
export const pagerCommand = (world: PagerWorld): string[] | undefined => {
  const { env, platform } = world;
  if (!isInteractive(world)) return undefined;
  const command = env.PAGER ?? (platform === 'win32' ? '' : 'less');
  const words = command.split(/\s+/).filter((word) => word !== '');
  return words.length === 0 || words[0] === 'cat' ? undefined : words;
};

export type OpenPager = () => Promise<Pager | undefined>;

export const pagerOf = (world: PagerWorld): OpenPager | undefined => {
  const command = pagerCommand(world);
  const { openPager } = world;
  return command && openPager && (() => openPager(command));
};

const ansi = /\x1b\[[\d;]*m/g;

/** The number of screen lines a text needs. Lines wider than the screen count several times. */
const heightOf = (text: string, columns: number): number =>
  text
    .replace(ansi, '')
    .split('\n')
    .slice(0, -1)
    .reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / columns)), 0);

/**
 * Buffers one screenful. Shorter output is printed directly. Longer output goes to a pager as a stream, or to stdout
 * if the pager can't be started.
 */
export const pagedScreen = (stdout: Output, open: OpenPager): Pager => {
  const columns = stdout.columns || 80;
  // The shell prompt needs a line too.
  let left = (stdout.rows || 24) - 1;
  let held = '';
  let target: Output | undefined;
  let pager: Pager | undefined;
  const release = async (): Promise<void> => {
    const text = held;
    held = '';
    if (text !== '') await (target ?? stdout).write(text);
  };
  return {
    isTerminal: stdout.isTerminal,
    columns: stdout.columns,
    write: async (text) => {
      if (target !== undefined) return target.write(text);
      held += text;
      left -= heightOf(text, columns);
      if (left >= 0) return;
      pager = await open();
      target = pager ?? stdout;
      await release();
    },
    close: async () => {
      await release();
      await pager?.close();
    },
  };
};

/** Prints through a pager what is longer than the screen. Without `open`, there is none. */
export const throughPager = async <Value>(
  stdout: Output,
  open: OpenPager | undefined,
  print: (screen: Output) => Promise<Value>,
): Promise<Value> => {
  if (open === undefined) return print(stdout);
  const screen = pagedScreen(stdout, open);
  try {
    return await print(screen);
  } finally {
    await screen.close();
  }
};

export const showText = (world: PagerWorld, text: string): Promise<void> =>
  throughPager(world.stdout, pagerOf(world), (screen) => screen.write(text));
