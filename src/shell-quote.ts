/** Puts a text in single quotes for a POSIX shell. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes a word for a POSIX shell, if it needs quotes. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word));
