import type { Context } from '../../cli/session/context.ts';
import { createForward, type Forward } from './work-forward.ts';

/** The handler's address for people. A query may have a secret. */
export const targetName = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** Forwards to the handler. Says once when it goes down, and once when it answers again. */
export const forwardTo = ({ runtime, notes }: Context, target: URL, over: AbortSignal): Forward => {
  const { send, clock } = runtime;
  const name = targetName(target);
  let isDown = false;
  const onDown = (problem: string): void => {
    if (!isDown) notes.warn(`The handler at ${name} is down (${problem}). sched tries each delivery for a few seconds`);
    isDown = true;
  };
  const forward = createForward({ url: target.href, send, clock, over, onRetry: onDown });
  return async (delivery) => {
    const forwarded = await forward(delivery);
    if (forwarded.problem !== undefined) onDown(forwarded.problem);
    else if (isDown) {
      notes.info(`The handler at ${name} answers again`);
      isDown = false;
    }
    return forwarded;
  };
};
