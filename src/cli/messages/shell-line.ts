/** One word as a shell reads it back. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Words behind `sched` as a line to copy. */
export const commandLine = (...words: readonly string[]): string => ['sched', ...words.map(quoted)].join(' ');
