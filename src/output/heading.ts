import { stripVTControlCharacters } from 'node:util';
import { type BlockStyle, wrapSafely } from './block.ts';
import { width } from './width.ts';

/** Texts in as many lines as they need. None of them is split. */
export const fill = (texts: readonly string[], between: string, columns: number): string[] => {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)}${between}${text}`;
    if (lines.length > 0 && width(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(text);
  }
  return lines;
};

/** Where the records come from, as plain text: `sandbox`. */
export const placeIn = ({ place }: Pick<BlockStyle, 'place'>): string =>
  stripVTControlCharacters(place?.() ?? '').replace(/^ · /, '');

/**
 * The first line of a screen: what it shows, facts that it needs, and that it is the sandbox. What doesn't fit goes into
 * further lines.
 */
export const headingLines = (
  title: string,
  facts: readonly string[],
  { paint, available, place }: Pick<BlockStyle, 'paint' | 'available' | 'place'>,
): string[] => {
  const where = placeIn({ place });
  const titles = wrapSafely(title, available);
  const last = titles.pop()!;
  const [first, ...rest] = fill([last, ...facts, ...(where === '' ? [] : [where])], ' · ', available);
  const beside = first!.slice(last.length);
  return [
    ...titles.map(paint.heading),
    `${paint.heading(last)}${beside === '' ? '' : paint.faint(beside)}`,
    ...rest.map(paint.faint),
  ];
};
