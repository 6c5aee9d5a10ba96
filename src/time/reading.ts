import type { Sentence } from '../base/words.ts';
import { timestampOf } from './wall.ts';
import { offsetText } from './zoned.ts';

export type Reading =
  | {
      ok: true;
      /** RFC 3339 in UTC, with a fraction only if one was typed. */
      instant: string;
      /** The zone the time was read in, and in which to show it. */
      zone: string;
      /** Whether the instant depends on the zone, because the text had no offset. */
      local: boolean;
    }
  | {
      ok: false;
      problem: Sentence;
      /** Possible meanings as RFC 3339, ready to copy. */
      readings?: string[];
    };

/** A reading as RFC 3339 with its zone's offset. For a rejected one, its possible meanings. */
export const readingTexts = (reading: Reading): string[] =>
  reading.ok
    ? [offsetText(timestampOf(reading.instant)!, reading.zone, /\.\d+/.exec(reading.instant)?.[0])]
    : (reading.readings ?? []);

export type CheckResult<T> = { ok: true; value: T } | { ok: false; problem: string };
