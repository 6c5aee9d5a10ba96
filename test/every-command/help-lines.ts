/** Joins command lines that continue after a backslash. */
export const joinedLines = (text: string): string => text.replace(/ \\\n\s+/g, ' ');

/**
 * Returns the command lines in a help text: those that start with `sched`, without what a list says about them. Joins lines
 * that end with a backslash.
 */
export const commandLinesIn = (text: string): string[] => {
  return joinedLines(text)
    .split('\n')
    .filter((line) => line.startsWith('  sched '))
    .map((line) => line.trim().split(/ {2,}/)[0]!);
};
