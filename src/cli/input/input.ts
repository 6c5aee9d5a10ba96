import type { Invocation } from '../command.ts';
import type { How } from './kind.ts';

/** The world in which the values of a call are read. */
export const howOf = ({ context, typed }: Pick<Invocation, 'context' | 'typed'>): How => {
  const { settings, runtime, askNow } = context;
  return {
    settings,
    now: askNow,
    given: typed,
    isTerminal: runtime.stderr.isTerminal && runtime.keyboard.isTerminal,
  };
};
