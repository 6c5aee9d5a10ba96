import { createForward, type Forward } from '../../../webhooks/forward.ts';
import type { Invocation } from '../../command.ts';
import type { Context } from '../../session/context.ts';

/** The handler in `--forward-to`. */
export const readTarget = ({ typed, problems }: Invocation): URL | undefined => {
  if (typed['forward-to'] === undefined) return undefined;
  const text = String(typed['forward-to']);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '') return url;
  problems.value(
    'forward-to',
    text,
    '--forward-to must be an http or https URL without a user, such as http://127.0.0.1:3000/hooks',
  );
  return undefined;
};

/** The handler's address for people. A query may have a secret. */
export const nameOf = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** Says once when the handler goes down, and once when it answers again. */
const announceHandler = ({ notes }: Context, name: string) => {
  let isDown = false;
  return {
    down: (problem: string) => {
      if (!isDown)
        notes.warn(`The handler at ${name} is down (${problem}). sched tries each delivery for a few seconds`);
      isDown = true;
    },
    up: () => {
      if (isDown) notes.info(`The handler at ${name} answers again`);
      isDown = false;
    },
  };
};

export const forwardTo = (context: Context, target: URL, over: AbortSignal): Forward => {
  const { send, clock } = context.runtime;
  const handler = announceHandler(context, nameOf(target));
  const forward = createForward({ url: target.href, send, clock, over, onRetry: handler.down });
  return async (delivery) => {
    const forwarded = await forward(delivery);
    if (forwarded.problem === undefined) handler.up();
    else handler.down(forwarded.problem);
    return forwarded;
  };
};
