import type { Env } from './system.ts';

/** The value of a variable. Windows reads its name in any case. */
const variable = (name: string, env: Env): string | undefined =>
  Object.entries(env).find(([each]) => each.toUpperCase() === name)?.[1];

/** The path of a program of Windows. Its name alone would also be searched in the current directory. */
export const systemProgram = (name: string, env: Env): string =>
  `${variable('SYSTEMROOT', env) ?? 'C:\\Windows'}\\System32\\${name}`;

type Exists = (path: string) => boolean;

/** How the names of programs end, in the order in which Windows tries them. */
const endings = ['.com', '.exe', '.bat', '.cmd'];

/** Finds a program like a shell, but never in the current directory, unless the name says so. */
const findWindowsProgram = (name: string, env: Env, exists: Exists): string => {
  const hasEnding = endings.some((ending) => name.toLowerCase().endsWith(ending));
  const names = hasEnding ? [name] : endings.map((ending) => name + ending);
  if (/[\\/:]/.test(name)) return names.find(exists) ?? name;
  const folders = (variable('PATH', env) ?? '').split(';').filter((folder) => /^([A-Za-z]:)?[\\/]/.test(folder));
  const paths = folders.flatMap((folder) => names.map((each) => `${folder}\\${each}`));
  return paths.find(exists) ?? systemProgram(name, env);
};

/**
 * Quotes a word for a batch file, which cmd.exe reads. Quotes take the meaning of all characters but two: a quote is
 * doubled, and after each percent sign comes `%cd:~,%`, which is empty, so that no name of a variable follows the sign.
 */
const batchWord = (word: string): string => {
  if (/[\0\r\n]/.test(word)) throw new Error("a batch file can't get a line break in an argument");
  if (/^[\w.:/@+-]+$/.test(word)) return word;
  // Programs read a backslash before a quote as an escape.
  const text = word.replace(/(\\*)("|$)/g, (_, slashes, quote) => slashes + slashes + quote + quote);
  return `"${text.replaceAll('%', '%%cd:~,%')}"`;
};

/** How to start a command on Windows. Batch files, such as npm.cmd, need cmd.exe, and words that are quoted already. */
export const windowsCommand = ([name = '', ...words]: readonly string[], env: Env, exists: Exists) => {
  const program = findWindowsProgram(name, env, exists);
  if (!/\.(bat|cmd)$/i.test(program)) return { program, words, windowsVerbatimArguments: false };
  const line = [program, ...words].map(batchWord).join(' ');
  return {
    program: variable('COMSPEC', env) ?? systemProgram('cmd.exe', env),
    words: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
};
