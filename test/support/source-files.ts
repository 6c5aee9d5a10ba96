import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'rolldown/utils';

/** Texts of files by path below a folder. */
export type Sources = Record<string, string>;

export interface Import {
  from: string;
  /** A path below the folder, or a package. */
  to: string;
  isType: boolean;
  isDynamic: boolean;
}

export const filesBelow = (folder: string, ending: string): Sources =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith(ending))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

interface Parsed extends Pick<ReturnType<typeof parseSync>, 'comments' | 'module' | 'program'> {
  withoutComments: string;
  /** Without comments and quoted text, so that words in them don't count as code. */
  code: string;
}

interface Span {
  type: string;
  start: number;
  end: number;
}

const without = (text: string, spans: readonly Span[]): string =>
  spans
    .toSorted((one, other) => other.start - one.start)
    .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text);

/** Where the quoted texts are. What is between two parts of a template is code. */
const textsIn = (node: unknown): Span[] => {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== 'object' || node === null) return [];
  const span = node as Span & { value?: unknown };
  if (span.type === 'TemplateElement' || (span.type === 'Literal' && typeof span.value === 'string')) return [span];
  return Object.values(node).flatMap(textsIn);
};

const parsed = new Map<string, Parsed>();

export const parse = (text: string): Parsed => {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { comments, module, program } = parseSync('source.ts', text);
  const withoutComments = without(text, comments);
  const code = without(text, [...comments, ...textsIn(program)]);
  const all = { withoutComments, code, comments, module, program };
  parsed.set(text, all);
  return all;
};

const target = (from: string, specifier: string) => {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
};

const allTypes = (entries: readonly { isType: boolean }[]) =>
  entries.length > 0 && entries.every((each) => each.isType);

export const importsOf = (sources: Sources): Import[] =>
  Object.entries(sources).flatMap(([from, text]) => {
    const { comments, module } = parse(text);
    const { staticImports, staticExports, dynamicImports } = module;
    const known = [
      ...staticImports.map(({ moduleRequest, entries }) => ({ moduleRequest, isType: allTypes(entries) })),
      ...staticExports.map(({ entries }) => ({ moduleRequest: entries[0]?.moduleRequest, isType: allTypes(entries) })),
    ].flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, isType, isDynamic: false }] : [],
    );
    // The parser lists no type such as `import('./a.ts').A`, so that what it doesn't list is one.
    const others = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)]
      .filter(({ index }) => !comments.some(({ start, end }) => start <= index && index < end))
      .map(({ index, 1: specifier = '' }) => {
        const isDynamic = dynamicImports.some(({ start }) => start === index);
        return { specifier, isType: !isDynamic, isDynamic };
      });
    return [...known, ...others].map(({ specifier, ...kind }) => ({ from, to: target(from, specifier), ...kind }));
  });
