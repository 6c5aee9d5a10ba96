import type { Send } from '../http/message.ts';
import { clock } from './clock.ts';

/** A command with so many requests goes on for a while. */
const manyRequests = 3;

/** Nothing of a page outlives it, so a long listing gains nothing from a heap with room to grow but a larger peak. */
const keepSmall = (): void => {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=60']) setFlagsFromString(flag);
};

const loadTransport = async (interrupted: AbortSignal): Promise<Send> => {
  if (process.versions.node.startsWith('20.')) {
    // On Node 20 the HTTP parser's WebAssembly is recompiled at exit, which takes 200 ms; one tier is enough.
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--liftoff-only');
  }
  const { createTransport } = await import('../http/transport.ts');
  return createTransport({ env: process.env, clock, interrupted });
};

/** The network until a signal; the HTTP library is loaded by the first request. */
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

/** In one turn of the event loop a request passes the layers, in the next undici makes sure that the connection is good. */
export const afterSend = async (): Promise<void> => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
};
