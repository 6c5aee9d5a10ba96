import type { Env } from '../base/system.ts';

export type ColorFlag = 'auto' | 'always' | 'never';

interface ColorFacts {
  flag: ColorFlag;
  env: Env;
  isTerminal: boolean;
}

const isOff = (value: string) => value === '0' || value === 'false';

/** What the terminal can show: 16 colors (1), 256 (2) or all (3), and links. */
export interface Color {
  depth: 1 | 2 | 3;
  hasLinks: boolean;
}

const modern = ['iTerm.app', 'WezTerm', 'ghostty', 'vscode'];

const colorOf = ({ COLORTERM = '', TERM = '', TERM_PROGRAM = '', WT_SESSION, VTE_VERSION }: Env): Color => {
  const isModern = WT_SESSION !== undefined || modern.includes(TERM_PROGRAM) || /^xterm-(kitty|ghostty)$/.test(TERM);
  const hasAll = isModern || /^(truecolor|24bit)$/i.test(COLORTERM) || TERM.endsWith('-direct');
  return { depth: hasAll ? 3 : TERM.includes('256') ? 2 : 1, hasLinks: isModern || Number(VTE_VERSION) >= 5000 };
};

/**
 * The color to use, or undefined for none. The flag wins over the environment. NO_COLOR wins over variables that ask for color
 * (no-color.org), and forcing color wins over terminal detection (force-color.org, bixense.com/clicolors). Empty
 * variables count as unset.
 */
export const colorWanted = (facts: ColorFacts): Color | undefined => (isWanted(facts) ? colorOf(facts.env) : undefined);

const isWanted = ({ flag, env, isTerminal }: ColorFacts): boolean => {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return !isOff(env.FORCE_COLOR);
  if (env.CLICOLOR_FORCE && !isOff(env.CLICOLOR_FORCE)) return true;
  return isTerminal && env.TERM !== 'dumb' && env.CLICOLOR !== '0';
};

/** `--color` as given. A wrong value is reported by the command. */
export const colorFlagOf = (value: unknown): ColorFlag => (value === 'always' || value === 'never' ? value : 'auto');
