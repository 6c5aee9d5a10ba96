/** Matches a comment: consecutive line comments count as one, like the lines of a block comment. */
const comment = /(?:^[ \t]*\/\/.*\n)+|^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm;

const textOf = (found: string): string =>
  found
    .replace(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/)|\*\/[ \t]*$/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The constant, type, property or function named in a line. `assumed: true` only marks an operation. */
const nameIn = (line: string): string | undefined =>
  (/^\s*(?:export )?(?:const|type|interface|function) (\w+)/.exec(line) ??
    /^\s*(?!assumed:)'?([\w-]+)'?\??[:(]/.exec(line))?.[1];

/** One list item for each comment with the word `Assumed:`, without the text before that word. */
const itemsOf = (source: string): string[] =>
  [...source.matchAll(comment)].flatMap((match) => {
    const [, ...assumptions] = textOf(match[0]).split(/\bAssumed: /);
    const name = nameIn(source.slice(match.index + match[0].length).split('\n', 1)[0]!);
    return assumptions.map((text) => `- ${name === undefined ? '' : `\`${name}\`: `}${text.trim()}`);
  });

const introduction = `# Assumptions about the service

The documentation of the service leaves some things open. Where \`sched\` or its sandbox makes an assumption, a comment
in the source starts with \`Assumed:\`. This page lists those comments by file, with the name of the code that follows.
If the real service behaves differently, change the code and its comment. \`npm run generate\` writes this page.
`;

/** `docs/assumptions.md`. `sources` are the files of src/ by path. */
export const assumptionsPage = (sources: Readonly<Record<string, string>>): string => {
  const sections = Object.keys(sources)
    .sort()
    .map((path) => ({ path, items: itemsOf(sources[path]!) }))
    .filter(({ items }) => items.length > 0)
    .map(({ path, items }) => `## ${path}\n\n${items.join('\n')}\n`);
  return [introduction, ...sections].join('\n');
};
