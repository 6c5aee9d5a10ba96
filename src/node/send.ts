import type { Send } from '../http/message.ts';
import { clock } from './clock.ts';

/** A command that sends this many requests will probably send more. */
const manyRequests = 3;

/** Keeps the heap small: no page of a long list outlives its turn, so a growing heap would only raise the peak. */
const keepSmall = (): void => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=60']) setFlagsFromString(flag);
};

const loadTransport = async (interrupted: AbortSignal): Promise<Send> => {
  // V8 would optimize the WebAssembly of the HTTP parser in the background, which takes 60 to 230 ms of CPU.
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag);
  const { createTransport } = await import('../http/transport.ts');
  return createTransport({ env: process.env, clock, interrupted });
};

/** Returns a `send` that the signal aborts. The first request loads the HTTP library. */
export const networkUntil = (signal: () => AbortSignal): Send => {
  let transport: Promise<Send> | undefined;
  let requests = 0;
  return async (request) => {
    requests += 1;
    if (requests === manyRequests) keepSmall();
    transport ??= loadTransport(signal());
    return (await transport)(request);
  };
};

/** A request passes our layers in one turn of the event loop. undici checks its connection in the next. */
export const afterSend = async (): Promise<void> => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
};
