import type { Layer } from './message.ts';

/** Does what a request asks for right before it leaves: here nothing is waited for any more. */
export const callBeforeSend: Layer = (next) => async (request) => {
  await request.beforeSend?.();
  return next(request);
};
