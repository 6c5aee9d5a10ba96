import { codeOf, SchedError } from '../../base/errors.ts';
import type { Runtime } from '../../runtime.ts';

/** The text of the file that a variable names. */
export const textNamedIn = async (variable: string, { env, interrupted }: Runtime, most: number): Promise<string> => {
  const { readNamedFile } = await import('../../state/named-file.ts');
  const bytes = await readNamedFile(env[variable]!, interrupted, most).catch((error: unknown) => {
    interrupted.throwIfAborted();
    throw new SchedError('environment', `Can't read the file named in ${variable}`, { reason: codeOf(error) });
  });
  return bytes.toString('utf8');
};
