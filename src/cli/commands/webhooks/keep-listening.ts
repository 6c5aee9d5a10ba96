import { once } from 'node:events';
import { SchedError } from '../../../errors.ts';
import { counted } from '../../../numbers.ts';
import type { Runtime } from '../../../runtime.ts';
import type { Clock } from '../../../system.ts';
import type { Receiver } from '../../../webhooks/receiver.ts';
import type { Notes } from '../../messages/notes.ts';

/** Pauses before each attempt to listen again. */
const pausesMs = [1000, 2000, 4000, 8000, 16_000];

interface KeepListeningOptions {
  /** Opens the receiver at this port. */
  open(port: number): Promise<Receiver>;
  port: number;
  clock: Clock;
  over: AbortSignal;
  onOpen(receiver: Receiver): void;
  /** The receiver has stopped for this reason, and is opened again. */
  onLost(reason: string): void;
}

export const cannotListen = (error: NodeJS.ErrnoException, where: string): SchedError =>
  new SchedError('environment', `Can't listen on ${where}`, {
    reason:
      error.code === 'EADDRINUSE'
        ? 'the port is in use'
        : error.code === 'EADDRNOTAVAIL'
          ? 'this machine does not have that address'
          : error.code === 'EACCES'
            ? 'the system does not allow it'
            : error.message,
    hint: { flags: { port: '0' } },
  });

/** Opens the receiver again at the same port, because the sender knows only that one. */
const openAgain = async ({ open, clock, over }: KeepListeningOptions, port: number): Promise<Receiver> => {
  let problem: unknown;
  for (const pauseMs of pausesMs) {
    await clock.sleep(pauseMs, over);
    try {
      return await open(port);
    } catch (error) {
      problem = error;
    }
  }
  throw cannotListen(problem as NodeJS.ErrnoException, `port ${port}`);
};

/** Listens until `over` is aborted. R51: a lost socket is opened again, or the command ends with an error. */
export const keepListening = async (options: KeepListeningOptions): Promise<void> => {
  const { open, port, over, onOpen, onLost } = options;
  const ended = over.aborted ? undefined : once(over, 'abort');
  let receiver = await open(port).catch((error) => {
    throw cannotListen(error, `port ${port}`);
  });
  try {
    for (;;) {
      onOpen(receiver);
      const lost = await Promise.race([receiver.lost, ended]);
      if (!(lost instanceof Error) || over.aborted) return;
      await receiver.close();
      onLost(lost.message);
      receiver = await openAgain(options, receiver.port);
    }
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    await receiver.close();
  }
};

const tickMs = 5_000;

/** A busy machine may delay a tick by seconds, but hardly by a minute. */
const longestGapMs = 60_000;

/** Says when this machine was asleep, because nothing was received meanwhile. Returns a function that ends that. */
export const watchClock = ({ every, clock }: Pick<Runtime, 'every' | 'clock'>, notes: Notes): (() => void) => {
  let last = clock.now();
  return every(tickMs, () => {
    const gapMs = clock.now() - last;
    last = clock.now();
    if (gapMs < longestGapMs) return;
    const minutes = counted(Math.round(gapMs / 60_000), 'minute');
    notes.warn(
      `This machine was asleep for about ${minutes}. The service should repeat deliveries that failed during that time`,
    );
  });
};
