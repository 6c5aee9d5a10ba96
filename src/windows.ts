import type { Env } from './system.ts';

/** The path of a program of Windows. Its name alone would also be searched in the current directory. */
export const systemProgram = (name: string, env: Env): string =>
  `${env.SystemRoot ?? 'C:\\Windows'}\\System32\\${name}`;
