import type { Layer } from './message.ts';

/** Calls the request's `beforeSend` right before it is sent: no layer below this one waits. */
export const callBeforeSend: Layer = (next) => async (request) => {
  await request.beforeSend?.();
  return next(request);
};
