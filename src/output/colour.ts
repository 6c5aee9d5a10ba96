export interface ColourFacts {
  flag: 'auto' | 'always' | 'never';
  env: Readonly<Record<string, string | undefined>>;
  isTerminal: boolean;
}

const isOff = (value: string) => value === '0' || value === 'false';

/**
 * The flag decides, then the environment. A wish for no colour beats a wish for colour (no-color.org); being forced
 * beats what we know of the terminal (force-color.org, bixense.com/clicolors). An empty variable counts as unset.
 */
export const colourWanted = ({ flag, env, isTerminal }: ColourFacts): boolean => {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
};
