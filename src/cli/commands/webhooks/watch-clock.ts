import { counted } from '../../../numbers.ts';
import type { Runtime } from '../../../runtime.ts';
import type { Notes } from '../../messages/notes.ts';

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
