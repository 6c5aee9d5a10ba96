import { commandLines, paragraph, termRows, usualWidth } from './lay-out.ts';

/** The help of a command before it is laid out, as plain data: it can be written down when the program is built. */
export interface HelpPage {
  usage: string;
  summary: string;
  sections: { heading: string; rows: [term: string, meaning: string][] }[];
  examples: string[];
  paragraphs: string[];
}

/** Where the second column would be narrower than this, lines are left as long as they are. */
const narrowest = 12;

/** A page as wide as the screen but no wider than reads well. */
export const layOutPage = ({ usage, summary, sections, examples, paragraphs }: HelpPage, columns: number): string => {
  const wide = Math.min(columns || usualWidth, 100);
  const terms = sections.flatMap(({ rows }) => rows.map(([term]) => term.length));
  const indent = Math.max(0, ...terms) + 4;
  const rowsOf = (rows: HelpPage['sections'][number]['rows']) =>
    termRows(rows, wide - indent < narrowest ? Number.POSITIVE_INFINITY : wide, indent);
  const blocks = [
    `Usage: ${usage}`,
    wide < narrowest ? summary : paragraph(summary, wide),
    ...sections.map(({ heading, rows }) => [`${heading}:`, ...rowsOf(rows)].join('\n')),
    ['Examples:', ...examples.flatMap((example) => commandLines(`sched ${example}`, wide))].join('\n'),
    ...paragraphs.map((text) => paragraph(text, wide)),
  ];
  return `${blocks.join('\n\n')}\n`;
};
