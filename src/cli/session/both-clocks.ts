import { isAnySandbox } from './connection.ts';
import type { Context } from './context.ts';

/**
 * The times of the service and of this machine, for commands that must be right although either clock may be wrong. At a
 * sandbox only its own counts, because people move it.
 */
export const bothClocks = async (context: Context): Promise<{ earlier: number; later: number }> => {
  const now = await context.askNow();
  const other = (await isAnySandbox(await context.connection())) ? now : context.runtime.clock.now();
  return { earlier: Math.min(now, other), later: Math.max(now, other) };
};
