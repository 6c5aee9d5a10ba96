import { timestampOf } from './wall.ts';
import { offsetText } from './zoned.ts';

export type Reading =
  | {
      ok: true;
      /** RFC 3339 in UTC; with a fraction only if one was given. */
      instant: string;
      /** The zone it was read in, or in which to show it. */
      zone: string;
      /** It had no offset, so that another zone would have made it another instant. */
      local: boolean;
    }
  | {
      ok: false;
      problem: string;
      /** What may have been meant, as RFC 3339, ready to copy. */
      readings?: string[];
    };

/** A reading as RFC 3339 with its zone's offset; of a refused one, what may have been meant. */
export const readingTexts = (reading: Reading): string[] =>
  reading.ok
    ? [offsetText(timestampOf(reading.instant)!, reading.zone, /\.\d+/.exec(reading.instant)?.[0])]
    : (reading.readings ?? []);
