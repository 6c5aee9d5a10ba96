import type { Output } from '../runtime.ts';
import { type BlockStyle, block, labelLines, leastWidth, longestValue, wrapSafely } from './block.ts';
import { cutLong, humanCell, isNothing } from './cells.ts';
import { valueAt } from './fields.ts';
import type { Pages } from './formats.ts';
import { gap } from './grid.ts';
import { headingLines } from './heading.ts';
import type { RowTally } from './machine-formats.ts';
import type { Page, PageLine, TimeStyle } from './view.ts';
import { width } from './width.ts';

/** A line with its sanitized texts, now and before a change. */
interface ShownLine {
  label: string;
  now: string[];
  was: string[];
  isStatus: boolean;
  isId: boolean;
  inAnswer: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const isBlankItem = (value: unknown): boolean => isNothing(value) || (typeof value === 'string' && value.trim() === '');

const textsOf = ({ value, as }: Omit<PageLine, 'label'>, record: object, time: TimeStyle): string[] => {
  const fieldValue = typeof value === 'string' ? valueAt(record, value) : value(record as Fields, time);
  return [fieldValue]
    .flat()
    .filter((item) => !isBlankItem(item))
    .map((item) => cutLong(humanCell(item, as, time), longestValue));
};

/** The title, and the lines that have a value now or had one before. */
const pageParts = ({ title: path, lines }: Page, record: object, before: object, time: TimeStyle) => {
  const shownLine = ({ label, ...line }: PageLine): ShownLine => ({
    label,
    now: textsOf(line, record, time),
    was: textsOf(line, before, time),
    isStatus: line.as === 'status',
    isId: line.as === 'id',
    inAnswer: line.inAnswer === true,
  });
  const name = path === undefined ? undefined : shownLine({ label: 'Name', value: path });
  const shownLines = lines.map(shownLine).filter(({ now, was }) => now.length + was.length > 0);
  // A record with none of the expected fields is printed with all of its own.
  if (shownLines.every(({ isId }) => isId) && (name?.now.length ?? 0) === 0) return undefined;
  const isRenamed = name !== undefined && isChanged(name);
  return { title: name?.now.join(', ') ?? '', isRenamed, lines: isRenamed ? [name, ...shownLines] : shownLines };
};

const isChanged = ({ now, was }: ShownLine): boolean => now.join('\n') !== was.join('\n');

const changeSigns = { both: (was: string, now: string) => `${was} → ${now}`, removed: '- ', added: '+ ', kept: '  ' };
/** Screen readers don't read signs well. */
const changeWords: typeof changeSigns = {
  both: (was, now) => `${now} (was ${was})`,
  removed: 'removed ',
  added: 'added ',
  kept: '',
};

/** The texts of a line. A change shows both values: `old → new`, or which lines were removed and added. */
const changeTexts = (line: ShownLine, { both, removed, added, kept }: typeof changeSigns): string[] => {
  const { now, was } = line;
  if (!isChanged(line)) return now;
  if (now.length < 2 && was.length < 2) return [both(was[0] ?? 'none', now[0] ?? 'none')];
  return [
    ...was.filter((text) => !now.includes(text)).map((text) => `${removed}${text}`),
    ...now.map((text) => `${was.includes(text) ? kept : added}${text}`),
  ];
};

/** The labels and texts that an answer to a write needs: what changed, or what is needed next of a new record. */
export const answerLines = (
  page: Page,
  record: object,
  before: object | undefined,
  isSpoken: boolean,
  time: TimeStyle,
): [label: string, text: string][] => {
  const { lines = [] } = pageParts(page, record, before ?? record, time) ?? {};
  return lines
    .filter((line) => (before === undefined ? line.inAnswer : isChanged(line)))
    .flatMap((line) =>
      changeTexts(line, isSpoken ? changeWords : changeSigns).map((text, index): [string, string] => [
        index === 0 || isSpoken ? line.label : '',
        text,
      ]),
    );
};

const pageText = (lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : lines.map((line) => `${line}\n`).join('');

/** Draws a record as a title and labeled lines. Undefined if the record has nothing that the page shows. */
export const drawPage = (
  page: Page,
  record: object,
  before: object | undefined,
  { time, paint, available, place }: BlockStyle,
): string | undefined => {
  const parts = pageParts(page, record, before ?? record, time);
  if (parts === undefined) return undefined;
  const { title, lines } = parts;
  const color = page.mark === undefined ? undefined : valueAt(record, page.mark);
  const mark = color === undefined ? '' : '● ';
  const heading = title === '' ? [] : headingLines(title, [], { paint, available: available - width(mark), place });
  const widest = lines.reduce((most, { label }) => Math.max(most, width(label)), 0);
  const beside = available - widest - gap.length;
  // Without room beside the labels, values go below them.
  const room = beside < leastWidth ? available - gap.length : beside;
  return pageText([
    ...heading.map((line, index) => (index === 0 && mark !== '' ? `${paint.mark(color, '●')} ${line}` : line)),
    ...lines.flatMap((line) => {
      const texts = changeTexts(line, changeSigns).flatMap((text) => wrapSafely(text, room));
      const paintText = (text: string) => (line.isStatus ? paint.status(text) : paint.link(text, text));
      return labelLines(line.label, widest, texts, { paint, available }, paintText);
    }),
  ]);
};

/** Writes the records of a list below each other, each with its own lines. */
export const writePages = async (
  screen: Output,
  page: Page,
  style: BlockStyle,
  title: string | undefined,
  pages: Pages,
  tally: RowTally,
): Promise<void> => {
  for await (const records of pages)
    for (const record of records) {
      if (tally.rows === 0 && title !== undefined) await screen.write(`${title}\n`);
      const text = drawPage(page, record, undefined, { ...style, place: () => '' }) ?? block(record, style);
      await screen.write(`${tally.rows === 0 && title === undefined ? '' : '\n'}${text}`);
      tally.rows += 1;
    }
};

/** The same for screen readers: nothing is aligned or wrapped, and each line has its label. */
export const spokenPage = (
  page: Page,
  record: object,
  before: object | undefined,
  time: TimeStyle,
): string | undefined => {
  const parts = pageParts(page, record, before ?? record, time);
  if (parts === undefined) return undefined;
  const { title, isRenamed, lines } = parts;
  return pageText([
    ...(title === '' || isRenamed ? [] : [`Name: ${title}`]),
    ...lines.flatMap((line) => changeTexts(line, changeWords).map((text) => `${line.label}: ${text}`)),
  ]);
};
