/** A text in single quotes, as a POSIX shell reads it back. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** One word as a POSIX shell reads it back, in quotes only where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word));
