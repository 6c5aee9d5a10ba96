import { usageError } from '../../../errors.ts';
import { isObject } from '../../../json.ts';
import { nearest } from '../../../nearest.ts';
import { noTool } from './check-call.ts';
import { cutText } from './fit.ts';
import type { Values } from './parameters.ts';
import { errorResult } from './result.ts';
import { describeTool, type Tool } from './tools.ts';

/** Commands that a search returns. */
const mostFound = 5;

/** sched answers these calls itself. */
const local = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Any command can be behind the call, so the strictest hint of all commands counts. */
const strictestHints = (tools: readonly Tool[]) => {
  const hints = tools.map((tool) => describeTool(tool, false).annotations);
  return {
    readOnlyHint: hints.every(({ readOnlyHint }) => readOnlyHint),
    destructiveHint: hints.some(({ destructiveHint }) => destructiveHint),
    idempotentHint: hints.every(({ idempotentHint }) => idempotentHint),
    openWorldHint: true,
  };
};

const command = { type: 'string', description: 'name of the command, such as events_list' };

const inputOf = (properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object' as const,
  properties,
  required,
  additionalProperties: false,
});

/** The three tools as `tools/list` describes them. */
export const compactList = (tools: readonly Tool[]) => [
  {
    name: 'search_commands',
    title: 'Find commands',
    description: 'Find commands of the scheduling service by words. Returns name, summary and effect of each.',
    inputSchema: inputOf({ query: { type: 'string', description: 'words, such as free times or cancel event' } }, [
      'query',
    ]),
    annotations: local,
  },
  {
    name: 'describe_command',
    title: 'Describe a command',
    description: `Get the arguments of a command as JSON Schema. Commands: ${tools.map(({ name }) => name).join(', ')}.`,
    inputSchema: inputOf({ command }, ['command']),
    annotations: local,
  },
  {
    name: 'call_command',
    title: 'Run a command',
    description: 'Run a command and get its records. If you do not know its arguments, use describe_command first.',
    inputSchema: inputOf({ command, arguments: { type: 'object', description: 'as describe_command shows' } }, [
      'command',
    ]),
    annotations: strictestHints(tools),
  },
];

/** The words of a text without common endings, so that `bookings` finds `book`. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).map((word) => word.replace(/(?<=...)(?:l?ed|ings?|s)$/, ''));

/** How well a command fits the words: its name counts more than its summary, and that more than its arguments. */
const scoreOf = ({ name, facts, parameters }: Tool, words: readonly string[]): number => {
  const texts = [parameters.map(({ property, description }) => `${property} ${description}`).join(' '), facts.summary];
  return [...texts, name.replaceAll('_', ' ')]
    .map((text, place) => {
      const known = new Set(wordsOf(text));
      return words.filter((word) => known.has(word)).length * 3 ** place;
    })
    .reduce((sum, score) => sum + score);
};

/** The commands that fit best, or all of them if none does. */
const search = (tools: readonly Tool[], query: string) => {
  const words = wordsOf(query);
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) })).filter(({ score }) => score > 0);
  const found = scored.toSorted((one, other) => other.score - one.score).slice(0, mostFound);
  const shown = found.length === 0 ? tools : found.map(({ tool }) => tool);
  return {
    ...(found.length === 0 ? { note: 'Nothing matches. These are all commands' } : {}),
    commands: shown.map(({ name, facts }) => ({ command: name, summary: facts.summary, effect: facts.effect })),
  };
};

/** The tool of a command, which can also be written `events list` or `events.list`. */
const toolNamed = (tools: readonly Tool[], word: string): Tool => {
  const wanted = word.trim().replaceAll(/[ .-]/g, '_');
  const tool = tools.find(({ name }) => name === wanted);
  if (tool !== undefined) return tool;
  const names = tools.map(({ name }) => name);
  const meant = nearest(wanted.slice(0, 100), names);
  const advice = meant === undefined ? 'describe_command lists all commands' : `Did you mean "${meant}"?`;
  throw usageError([`No command "${cutText(word, 100)}". ${advice}`]);
};

const jsonResult = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

interface Compact<Rest extends unknown[], Result> {
  tools: readonly Tool[];
  hasOutputSchemas: boolean;
  /** Throws if values don't match a schema. */
  check(schema: object, values: Values): void;
  /** Calls a tool of the full set, with the same checks, questions and limits. */
  call(name: string, values: Values, ...rest: Rest): Promise<Result>;
}

/** Answers the three tools. */
export const compactCalls = <Rest extends unknown[], Result>(compact: Compact<Rest, Result>) => {
  const { tools, hasOutputSchemas, check, call } = compact;
  const schemas = new Map(compactList(tools).map(({ name, inputSchema }) => [name, inputSchema]));
  return async (name: string, values: Values, ...rest: Rest) => {
    const schema = schemas.get(name);
    if (schema === undefined) throw noTool(name);
    try {
      check(schema, values);
      if (name === 'search_commands') return jsonResult(search(tools, String(values.query).slice(0, 1000)));
      const tool = toolNamed(tools, String(values.command));
      if (name === 'describe_command') {
        const { title: _, ...described } = describeTool(tool, hasOutputSchemas);
        return jsonResult(described);
      }
      return await call(tool.name, isObject(values.arguments) ? values.arguments : {}, ...rest);
    } catch (error) {
      return errorResult(error);
    }
  };
};
