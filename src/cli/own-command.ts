/** One word as a shell reads it back. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Words behind `sched` as a line to copy. */
export const commandLine = (...words: readonly string[]): string => ['sched', ...words.map(quoted)].join(' ');

/** The command as it was typed, with another value behind a flag. */
export const withValue = (
  { name, words }: { name: string; words: readonly string[] },
  flag: string,
  value: string,
): string =>
  commandLine(
    ...name.split(' '),
    ...words.map((word) => (word.startsWith(`--${flag}=`) ? `--${flag}=${value}` : word)),
  );
