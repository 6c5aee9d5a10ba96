/** Puts a text in single quotes for a POSIX shell. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes a word for a POSIX shell, if it needs quotes. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word));

/**
 * Quotes a word for PowerShell, if it needs quotes. cmd.exe reads most words alike, and never runs a part of one: there,
 * a backtick stays before the characters that PowerShell would expand.
 */
const windowsWord = (word: string): string => {
  // PowerShell splits words at commas, and flags at dots.
  if (/^(?!-.*\.)[\w+=:./\\-][\w@+=:./\\-]*$/.test(word)) return word;
  const text = word.replace(/[`$“”„]/g, '`$&').replaceAll('"', '""');
  return `"${text.replace(/\\+$/, '$&$&')}"`;
};

/** A command line with words for a POSIX shell, in the spelling for a Windows shell. */
export const windowsLine = <Line extends string>(line: Line): Line =>
  line.replace(/(?:'[^']*'|"[^"]*"|\\'|[^\s'"\\])+/g, (word) =>
    /^([^"]*'|[^"]*,[^"]+$)/.test(word) ? windowsWord(word.replace(/'([^']*)'|\\(')/g, '$1$2')) : word,
  ) as Line;

/** The names of the program. zsh has a builtin `sched`; no shell has a `scheds`. */
export type ProgramName = 'sched' | 'scheds';

/** Where somebody types commands. */
export interface Shell {
  platform: string;
  calledAs?: ProgramName;
}

/** A command line with the name that was typed, also after `&&`, in `$(…)`, and in a second line: `, or sched …`. */
const withName = <Line extends string>(line: Line, name: ProgramName = 'sched'): Line =>
  (name === 'sched' ? line : line.replace(/(^|&& |\| |\$\(|, (?:or|then) )(?:command )?sched /g, `$1${name} `)) as Line;

/** A command line as this person types it. */
export const typedLine = <Line extends string>(line: Line, { platform, calledAs }: Shell): Line => {
  const named = withName(line, calledAs);
  return platform === 'win32' ? windowsLine(named) : named;
};
