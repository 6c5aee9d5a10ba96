import { wrap } from '../../src/output/width.ts';

/** Matches a comment: consecutive line comments count as one, like the lines of a block comment. */
const comment = /(?:^[ \t]*\/\/.*\n)+|^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm;

const textOf = (found: string): string =>
  found
    .replace(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/)|\*\/[ \t]*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Starts an assumption. It ends where the next one starts, or with its comment. */
const mark = /\bAssumed \(([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)\): /;

interface Assumption {
  /** `area.name`, where the area is the noun or the subject. */
  id: string;
  text: string;
  file: string;
}

/** The assumptions in comments, in the order of files. `sources` are the files of src/ by path. */
export const assumptionsIn = (sources: Readonly<Record<string, string>>): Assumption[] =>
  Object.entries(sources).flatMap(([file, source]) =>
    [...source.matchAll(comment)].flatMap(([found]) => {
      const [, ...parts] = textOf(found).split(mark);
      return parts.flatMap((id, index) => (index % 2 === 0 ? { id, text: parts[index + 1]!.trim(), file } : []));
    }),
  );

const introduction = `# Assumptions about the service

The documentation of the service leaves some things open. Where \`sched\` or its sandbox makes an assumption, a comment
in the source starts with \`Assumed\` and an ID. This page lists those comments by ID, with the file each is in. If the
real service behaves differently, change the code and its comment. \`npm run generate\` writes this page.
`;

const areaOf = ({ id }: Assumption): string => id.slice(0, id.indexOf('.'));

/** `docs/assumptions.md`. */
export const assumptionsPage = (sources: Readonly<Record<string, string>>): string => {
  const all = assumptionsIn(sources);
  const areas = [...new Set(all.map(areaOf))].sort();
  const sections = areas.map((area) => {
    const own = all.filter((assumption) => areaOf(assumption) === area).sort((a, b) => (a.id < b.id ? -1 : 1));
    const items = own.map(({ id, text, file }) => wrap(`- \`${id}\` (${file}): ${text}`, 118).join('\n  '));
    return `## ${area}\n\n${items.join('\n')}\n`;
  });
  return [introduction, ...sections].join('\n');
};
