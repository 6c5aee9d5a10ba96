/** The command lines of a help text: those that begin with `sched`, put together where a backslash ends a line. */
export const commandLinesIn = (text: string): string[] => {
  const joined = text.replace(/ \\\n\s+/g, ' ');
  return joined
    .split('\n')
    .filter((line) => line.startsWith('  sched '))
    .map((line) => line.trim());
};
