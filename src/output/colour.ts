export interface ColourFacts {
  flag: 'auto' | 'always' | 'never';
  env: Readonly<Record<string, string | undefined>>;
  isTerminal: boolean;
}

const isOff = (value: string) => value === '0' || value === 'false';

/**
 * Whether to use color. The flag wins over the environment. NO_COLOR wins over variables that ask for color
 * (no-color.org), and forcing color wins over terminal detection (force-color.org, bixense.com/clicolors). Empty
 * variables count as unset.
 */
export const colourWanted = ({ flag, env, isTerminal }: ColourFacts): boolean => {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
};
