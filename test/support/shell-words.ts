/** Splits a line as a shell would: words between blanks, quotes kept together. */
export const splitCommandLine = (line: string): string[] =>
  Array.from(line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g), ([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
