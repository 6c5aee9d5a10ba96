import type { Output, Pager, Runtime } from '../runtime.ts';

type PagerWorld = Pick<Runtime, 'stdout' | 'env' | 'platform' | 'openPager'>;

/** Whether a person at the terminal can page through a text. */
export const isInteractive = ({ stdout, env }: Pick<PagerWorld, 'stdout' | 'env'>): boolean =>
  stdout.isTerminal && !env.CI && env.TERM !== 'dumb';

export type OpenPager = () => Promise<Pager | undefined>;

/** Opens the user's pager. Undefined if paging is off or stdout is not an interactive terminal. */
export const pagerOf = (world: PagerWorld): OpenPager | undefined => {
  const { env, platform, openPager } = world;
  const command = env.PAGER ?? (platform === 'win32' ? '' : 'less');
  const words = command.split(/\s+/).filter((word) => word !== '');
  if (!isInteractive(world) || openPager === undefined || words.length === 0 || words[0] === 'cat') return undefined;
  return () => openPager(words);
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
 * Prints through a pager what is longer than the screen. Without `open`, there is none. Buffers one screenful: shorter
 * output is printed directly. Longer output goes to the pager as a stream, or to stdout if the pager can't be started.
 */
export const throughPager = async <Value>(
  stdout: Output,
  open: OpenPager | undefined,
  print: (screen: Output) => Promise<Value>,
): Promise<Value> => {
  if (open === undefined) return print(stdout);
  const { isTerminal, columns } = stdout;
  // The shell prompt needs a line too.
  let rowsLeft = (stdout.rows || 24) - 1;
  let buffer = '';
  let pager: Pager | undefined;
  let target: Output | undefined;
  const write = async (text: string): Promise<void> => {
    if (target !== undefined) return target.write(text);
    buffer += text;
    rowsLeft -= heightOf(text, columns || 80);
    if (rowsLeft >= 0) return;
    pager = await open();
    target = pager ?? stdout;
    await target.write(buffer);
  };
  try {
    return await print({ isTerminal, columns, write });
  } finally {
    if (target === undefined && buffer !== '') await stdout.write(buffer);
    await pager?.close();
  }
};

export const showText = (world: PagerWorld, text: string): Promise<void> =>
  throughPager(world.stdout, pagerOf(world), (screen) => screen.write(text));
