/** Returns the command lines in a help text: those that start with `sched`. Joins lines that end with a backslash. */
export const commandLinesIn = (text: string): string[] => {
  const joined = text.replace(/ \\\n\s+/g, ' ');
  return joined
    .split('\n')
    .filter((line) => line.startsWith('  sched '))
    .map((line) => line.trim());
};
