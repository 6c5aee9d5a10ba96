/** Splits a line like a shell: words between spaces, with quoted text kept together. */
export const splitCommandLine = (line: string): string[] =>
  Array.from(line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g), ([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
