import { usageError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { nearest } from '../../base/nearest.ts';
import { noTool } from './check-call.ts';
import type { Values } from './parameters.ts';
import { errorResult } from './result.ts';
import { cutText } from './shorten.ts';
import { describeTool, descriptionOf, type Tool } from './tools.ts';

/** Commands that a search returns. */
const mostFound = 5;

/** sched answers these calls itself. */
const local = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Any command can be behind the call, so the strictest hint of all commands counts. */
export const strictestHints = (tools: readonly Tool[]) => {
  const hints = tools.map((tool) => describeTool(tool, false).annotations);
  return {
    readOnlyHint: hints.every(({ readOnlyHint }) => readOnlyHint),
    destructiveHint: hints.some(({ destructiveHint }) => destructiveHint),
    idempotentHint: hints.every(({ idempotentHint }) => idempotentHint),
    openWorldHint: true,
  };
};

const command = { type: 'string', description: 'name of the command, such as events_list' };
const query = { type: 'string', description: 'words, such as free times or cancel event' };
const values = { type: 'object', description: 'as describe_command shows' };

/** A tool as `tools/list` describes it. Its first property is required. */
const compactTool = (name: string, description: string, properties: Record<string, object>, annotations: object) => {
  const required = Object.keys(properties).slice(0, 1);
  const inputSchema = { type: 'object' as const, properties, required, additionalProperties: false };
  return { name, description, inputSchema, annotations };
};

/** The tool for several calls, which is a command here. */
type Batch = { name: string } | undefined;

export const compactList = (tools: readonly Tool[], batch: Batch) => {
  const names = [...tools, ...(batch === undefined ? [] : [batch])].map(({ name }) => name).join(', ');
  const find = 'Find commands of the scheduling service by words. Returns name, summary and effect of each.';
  const describe = `Get the arguments of a command as JSON Schema. Commands: ${names}.`;
  const run = 'Run a command and get its records. If you do not know its arguments, use describe_command first.';
  return [
    compactTool('search_commands', find, { query }, local),
    compactTool('describe_command', describe, { command }, local),
    compactTool('call_command', run, { command, arguments: values }, strictestHints(tools)),
  ];
};

/** The words of a text that say something, without common endings: `bookings` finds `book`. */
const searchWords = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z]{4,}/g) ?? []).map((word) => word.replace(/(?<=...)(?:l?ed|ings?|s)$/, ''));

/** The commands that fit best, or all of them if none does. A word in the name counts once more. */
const search = (tools: readonly Tool[], text: string) => {
  const words = searchWords(text);
  const scoreOf = (tool: Tool): number => {
    const wordLists = [tool.name, descriptionOf(tool)].map(searchWords);
    return words.flatMap((word) => wordLists.filter((some) => some.includes(word))).length;
  };
  const scoredTools = tools.map((tool) => ({ tool, score: scoreOf(tool) })).filter(({ score }) => score > 0);
  const best = scoredTools.toSorted((one, other) => other.score - one.score).slice(0, mostFound);
  const listedTools = best.length === 0 ? tools : best.map(({ tool }) => tool);
  return {
    ...(best.length === 0 ? { note: 'Nothing matches. These are all commands' } : {}),
    commands: listedTools.map(({ name, facts }) => ({ command: name, summary: facts.summary, effect: facts.effect })),
  };
};

/** The tool of a command, which can also be written `events list` or `events.list`. */
const toolNamed = (tools: readonly Tool[], word: string): Tool => {
  const toolName = word.trim().replaceAll(/[ .-]/g, '_');
  const tool = tools.find(({ name }) => name === toolName);
  if (tool !== undefined) return tool;
  const names = tools.map(({ name }) => name);
  const meant = nearest(toolName.slice(0, 100), names);
  const advice = meant === undefined ? 'describe_command lists all commands' : `Did you mean "${meant}"?`;
  throw usageError([`No command "${cutText(word, 100)}". ${advice}`]);
};

/** Made by sched itself: no text of the service is in it. */
const jsonResult = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

interface Compact<Rest extends unknown[], Result> {
  tools: readonly Tool[];
  batch: Batch;
  hasOutputSchemas: boolean;
  /** Throws if values don't match a schema. */
  check(schema: object, values: Values): void;
  /** Calls a tool of the full set, with the same checks, questions and limits. */
  call(name: string, values: Values, ...rest: Rest): Promise<Result>;
}

/** Answers the three tools. */
export const compactCalls = <Rest extends unknown[], Result>(compact: Compact<Rest, Result>) => {
  const { tools, batch, hasOutputSchemas, check, call } = compact;
  const schemas = new Map(compactList(tools, batch).map(({ name, inputSchema }) => [name, inputSchema]));
  return async (name: string, input: Values, ...rest: Rest) => {
    const schema = schemas.get(name);
    if (schema === undefined) throw noTool(name);
    try {
      check(schema, input);
      if (name === 'search_commands') return jsonResult(search(tools, String(input.query).slice(0, 1000)));
      const one = batch?.name === input.command ? undefined : toolNamed(tools, String(input.command));
      if (name === 'describe_command') {
        const { title: _, ...description } = one ? describeTool(one, hasOutputSchemas) : { title: '', ...batch! };
        return jsonResult(description);
      }
      return await call((one ?? batch!).name, isObject(input.arguments) ? input.arguments : {}, ...rest);
    } catch (error) {
      return errorResult(error);
    }
  };
};
