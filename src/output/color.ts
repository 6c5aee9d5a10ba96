import type { Env } from '../system.ts';
export type ColorFlag = 'auto' | 'always' | 'never';

export interface ColorFacts {
  flag: ColorFlag;
  env: Env;
  isTerminal: boolean;
}

const isOff = (value: string) => value === '0' || value === 'false';

/**
 * Whether to use color. The flag wins over the environment. NO_COLOR wins over variables that ask for color
 * (no-color.org), and forcing color wins over terminal detection (force-color.org, bixense.com/clicolors). Empty
 * variables count as unset.
 */
export const colorWanted = ({ flag, env, isTerminal }: ColorFacts): boolean => {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
};

/** The value of `--color` in the raw arguments, for text that is printed before or without parsing them. */
export const colorFlagIn = (argv: readonly string[]): ColorFlag => {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const values = words.map((word, index) => (word === '--color' ? words[index + 1] : /^--color=(.*)/.exec(word)?.[1]));
  return (values.find((value) => value === 'always' || value === 'never') ?? 'auto') as ColorFlag;
};
