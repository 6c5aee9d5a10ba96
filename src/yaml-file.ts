import * as yaml from 'yaml';
import type * as z from 'zod/mini';
import type { Field } from './api/field.ts';
import { inspect } from './api/inspect.ts';
import { dotted, plainErrors, problemOf } from './api/wording.ts';
import { nearest } from './base/nearest.ts';

/** A mistake in a file, with the place to look at. */
export interface FileProblem {
  /** `world.yaml:12:9` */
  place: string;
  message: string;
  /** The text of the line. */
  source: string;
}

type Path = ReadonlyArray<PropertyKey>;

/** A longer file isn't read. */
export const mostBytes = 1024 * 1024;

/** What to do about mistakes that YAML's own words describe badly. */
const parserMessages: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the same key is here twice: remove one',
  TAB_AS_INDENT: "tabs can't indent in YAML: use spaces",
  BAD_INDENT: 'the indentation is wrong, or a bracket above is not closed',
  MULTILINE_IMPLICIT_KEY: 'write a colon and a space after the key',
  MULTIPLE_DOCS: 'a second document begins here: remove the --- and what follows',
  BLOCK_AS_IMPLICIT_KEY: 'put text that contains ": " in quotes. A line among keys can\'t begin with "- "',
  TAG_RESOLVE_FAILED: 'tags such as !name are not supported: remove the tag',
};

const parserMessage = (code: string, message: string): string =>
  parserMessages[code] ?? (message.includes('call stack') ? 'the file is nested too deeply' : message);

/** The fields that an object at this path can have. */
const fieldsAt = (schema: Field, [first, ...rest]: Path): string[] => {
  const { fields, element, values, options = [] } = inspect(schema);
  if (options.length > 0)
    return options.flatMap((option) => fieldsAt(option, first === undefined ? [] : [first, ...rest]));
  if (first === undefined) return Object.keys(fields ?? {});
  const next = fields ? fields[String(first)] : typeof first === 'number' ? element : values;
  return next ? fieldsAt(next, rest) : [];
};

/** The value in words, for a message that says what it must be. */
const kindWords = (value: unknown): string => {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : JSON.stringify(value);
};

const contentAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);

interface FieldProblem {
  path: Path;
  message: string;
  /** The key is wrong, not its value. */
  isKey?: boolean;
}

/** What to do about a key that is not a field here, by the key. */
type KeyAdvice = Readonly<Record<string, string>>;

const fieldProblems = (issue: z.core.$ZodIssue, schema: Field, content: unknown, keys: KeyAdvice): FieldProblem[] => {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const names = fieldsAt(schema, path);
    return issue.keys.map((key) => {
      const suggestion = nearest(key, names);
      const other = suggestion === undefined ? `Fields: ${names.join(', ')}` : `Did you mean ${suggestion}?`;
      const advice = Object.hasOwn(keys, key) ? keys[key] : other;
      return { path: [...path, key], isKey: true, message: `"${key}" is not a field here. ${advice}` };
    });
  }
  if (issue.code === 'invalid_union') {
    // The option that the value was meant for is the one of its kind.
    const fitting = issue.errors.find(
      (errors) => !errors.some((each) => each.path.length === 0 && each.code === 'invalid_type'),
    );
    if (fitting)
      return fitting.flatMap((each) =>
        fieldProblems({ ...each, path: [...path, ...each.path] } as typeof issue, schema, content, keys),
      );
  }
  const value = contentAt(content, path);
  const message =
    issue.code === 'invalid_union'
      ? issue.errors
          .map(([first], index) => (index === 0 ? first!.message : first!.message.replace(/^must be/, 'or')))
          .join(' ')
      : issue.message;
  const choices = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const suggestion = choices.length > 1 ? nearest(String(value), choices) : undefined;
  const isLeftOut = choices.length === 1 && value === undefined;
  const isOtherKind = issue.code === 'invalid_type' || issue.code === 'invalid_union';
  const gotWords =
    isOtherKind && value !== undefined && message.startsWith('must be') ? `, not ${kindWords(value)}` : '';
  const isUnquoted =
    issue.code === 'invalid_type' && issue.expected === 'string' && /^(number|boolean)$/.test(typeof value);
  const other = isUnquoted ? '. Put it in quotes' : isLeftOut ? `: add ${String(path.at(-1))}: ${choices[0]}` : '';
  const advice = suggestion ? `. Did you mean ${suggestion}?` : other;
  const place = dotted(path) || 'the file';
  const problem = isLeftOut ? 'is missing' : message.replace('must be an object', 'must be a map');
  return [{ path, message: `${problemOf(place, problem)}${gotWords}${advice}` }];
};

/** The node to point to: the key of a map or list, the value of a text. A missing one is looked for in its parent. */
const nodeAt = (document: yaml.Document, path: Path, isKey = false): yaml.Node | undefined => {
  let node = document.contents as yaml.Node | null | undefined;
  let key: yaml.Node | undefined;
  for (const part of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) {
      const pair: yaml.Pair | undefined = node.items.find(
        (item) => String((item.key as { value?: unknown }).value) === String(part),
      );
      if (!pair) break;
      [key, node] = [pair.key as yaml.Node, pair.value as yaml.Node | null];
    } else if (yaml.isSeq(node)) {
      [key, node] = [undefined, node.items[Number(part)] as yaml.Node];
    } else break;
  }
  const isText = yaml.isScalar(node) && node.value !== null;
  return key && (isKey || !isText) ? key : (node ?? document.contents ?? undefined);
};

/** Keys that would not be what they look like. */
const refusedKeys = new Map([
  ['<<', 'merge keys (<<) are not supported: write the fields out'],
  ['__proto__', "__proto__ can't be a key: use another one"],
]);

/** Tags would run code of the reader, and aliases can stand for nothing. They are refused where they are. */
const refusedNodes = (document: yaml.Document): Array<{ node: yaml.Node; message: string }> => {
  const problems: Array<{ node: yaml.Node; message: string }> = [];
  const anchors: string[] = [];
  yaml.visit(document, {
    Pair(_, { key }) {
      const message = yaml.isScalar(key) ? refusedKeys.get(String(key.value)) : undefined;
      if (message !== undefined) problems.push({ node: key as yaml.Node, message });
    },
    Node(_, node) {
      if (node.tag !== undefined && !yaml.isAlias(node))
        problems.push({ node, message: parserMessages.TAG_RESOLVE_FAILED! });
      if ('anchor' in node && node.anchor) anchors.push(node.anchor);
    },
    Alias(_, node) {
      if (anchors.includes(node.source)) return;
      const suggestion = nearest(node.source, anchors);
      const advice =
        suggestion === undefined
          ? `Write &${node.source} before the value that it stands for`
          : `Did you mean *${suggestion}?`;
      problems.push({ node, message: `no anchor above is called "${node.source}". ${advice}` });
    },
  });
  return problems;
};

/** Reads a YAML or JSON file that a person wrote. Reports all mistakes at once, each with its place. */
export const readYaml = <Schema extends Field>(text: string, name: string, schema: Schema, keys: KeyAdvice = {}) => {
  const refuse = (...problems: FileProblem[]) => ({ ok: false as const, problems });
  if (Buffer.byteLength(text) > mostBytes)
    return refuse({ place: name, message: 'the file is larger than 1 MiB', source: '' });
  const lines = new yaml.LineCounter();
  const sources = text.split('\n');
  const problemAt = (offset: number, message: string): FileProblem => {
    const { line, col } = lines.linePos(offset);
    return { place: `${name}:${line}:${col}`, message, source: (sources[line - 1] ?? '').trimEnd().slice(0, 120) };
  };
  let document: yaml.Document;
  let content: unknown;
  try {
    const options = { version: '1.2', uniqueKeys: true, lineCounter: lines, prettyErrors: false } as const;
    document = yaml.parseDocument(text, options) as yaml.Document;
    // Each mistake makes the parser report others after it.
    const errors = document.errors
      .filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')
      .filter(({ code }, index) => index === 0 || code === 'DUPLICATE_KEY');
    const problems = [
      ...errors.map(({ code, pos, message }) => problemAt(pos[0], parserMessage(code, message))),
      ...refusedNodes(document).map(({ node, message }) => problemAt(node.range?.[0] ?? 0, message)),
    ];
    if (problems.length > 0) return refuse(...problems);
    content = document.toJS();
  } catch {
    return refuse({ place: name, message: 'its aliases stand for too much: write the values out', source: '' });
  }
  const offsetOf = (path: Path, isKey?: boolean) => nodeAt(document, path, isKey)?.range?.[0] ?? 0;
  const problem = (path: Path, message: string, isKey?: boolean) => problemAt(offsetOf(path, isKey), message);
  const lineOf = (path: Path) => lines.linePos(offsetOf(path)).line;
  const result = schema.safeParse(content, plainErrors as never);
  if (result.success) return { ok: true as const, value: result.data, problem, lineOf };
  const problems = result.error.issues.flatMap((issue) => fieldProblems(issue, schema, content, keys));
  return refuse(...problems.map(({ path, message, isKey }) => problem(path, message, isKey)));
};
