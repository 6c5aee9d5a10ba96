import type { Sentence } from '../../base/words.ts';
import type { BlockStyle } from '../../output/block.ts';
import type { Paint } from '../../output/paint.ts';

/*
 * What only people see of an answer.
 */

/** How a picture looks on its screen. */
export interface PictureStyle extends BlockStyle {
  /** One person sees the picture and all notes. */
  isWatched: boolean;
}

/** A picture, and the same in words for a screen reader. */
export interface Picture {
  /** `hidden` are columns that had no room. */
  draw(style: PictureStyle): { picture: string; hidden?: readonly string[] };
  /** Without them, a screen reader gets what others get. */
  words?(style: PictureStyle): string;
  footers?: readonly Sentence[];
}

/** Where a picture will be shown. */
export interface Screen {
  /** A screen reader reads it in words. */
  isSpoken: boolean;
  /** Shows a picture until the whole one is made. */
  draft(draw: (style: BlockStyle) => string): Promise<void>;
}

/** Rows as people read them: each in lines of its own, and a last line about all of them. */
export interface Report {
  /** A screen reader gets them as rows. */
  rows: readonly object[];
  /** `columns` is infinite if the lines go nowhere with a width. */
  lines(columns: number): string;
  paint(line: string, paint: Paint): string;
  summary?: string | undefined;
}
