import { once } from 'node:events';
import { counted } from '../../base/numbers.ts';
import type { Clock } from '../../base/system.ts';
import { cannotListen } from '../../cli/messages/cannot-listen.ts';
import type { WorkNotes } from '../../cli/messages/notes.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { Receiver } from './work-receiver.ts';

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
  const end = over.aborted ? undefined : once(over, 'abort');
  let receiver = await open(port).catch((error) => {
    throw cannotListen(error, `port ${port}`);
  });
  try {
    for (;;) {
      onOpen(receiver);
      const failure = await Promise.race([receiver.lost, end]);
      if (!(failure instanceof Error) || over.aborted) return;
      await receiver.close();
      onLost(failure.message);
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
export const watchClock = (
  { every, clock }: Pick<HeadlessRuntime, 'every' | 'clock'>,
  notes: WorkNotes,
): (() => void) => {
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
