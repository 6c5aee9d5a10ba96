import type { Layer } from './message.ts';

/** Does what a request asks for right before it leaves: here nothing is waited for any more. */
export const leaving: Layer = (next) => async (request) => {
  await request.beforeLeaving?.();
  return next(request);
};
