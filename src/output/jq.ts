import { SchedError } from '../base/errors.ts';
import { once } from '../base/once.ts';
import type { Env } from '../base/system.ts';
import { the, type Words, words } from '../base/words.ts';
import type { Output } from '../runtime.ts';
import { openJq, type RunJq } from './jq-thread.ts';
import { escapeJson, safe } from './sanitize.ts';

/*
 * Prints the same as `jq -r`: strings raw, everything else as indented JSON, or as one line like `jq -rc`.
 */

const loadJq = once(() => openJq());

interface Program {
  program: string;
  /** Value of `env` and `$ENV`; empty if undefined. */
  env?: Env | undefined;
  /** Print each result on one line. */
  compact?: boolean;
  /** Stops a program that never ends. */
  interrupted?: AbortSignal | undefined;
}

interface JqRun {
  /** JSON texts, each starting on a new line. `-r` is applied later, because the library would trim its output. */
  results: string;
  failure?: string;
  /** Output of `debug` and `stderr`. */
  messages: string[];
}

// jq doesn't support lone surrogates: it fails on some and replaces others, so all are replaced here.
const replaceLoneSurrogates = (json: string): string =>
  json.replace(/\\(?:\\|ud[89a-f][\da-f]{2})/g, (match) => (match === '\\\\' ? match : '\uFFFD'));

/** Put on the program's first line, so that `$__loc__` and line numbers in errors stay correct. */
const withEnvironment = '$__env as $ENV|def env:$ENV;';

/** The library has a fixed environment, so a program that uses `env` gets the real one as a variable. */
const jqEnvironment = ({ program, env = {} }: Program): { before: string; flags: string[] } =>
  /\benv\b/i.test(program)
    ? { before: withEnvironment, flags: ['--argjson', '__env', replaceLoneSurrogates(JSON.stringify(env))] }
    : { before: '', flags: [] };

const runProgram = async (ask: RunJq, json: string, program: Program): Promise<JqRun> => {
  const { before, flags: given } = jqEnvironment(program);
  const flags = [...(program.compact ? ['-c'] : []), ...given, '--'];
  const question = { json: replaceLoneSurrogates(json), program: `${before}${program.program}`, flags };
  const { stdout, stderr, exitCode } = await ask(question, program.interrupted);
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  if (exitCode === 0) return { results: stdout, messages: lines };
  return {
    results: stdout,
    failure: failureIn(lines, before.length) || `jq exited with code ${exitCode}`,
    messages: [],
  };
};

/** jq's error messages on one line, without file names and source excerpts. */
const failureIn = (lines: readonly string[], columnsBefore: number): string => {
  const isCompileError = lines.some((line) => /^jq: \d+ compile errors?$/.test(line));
  const messages = isCompileError ? lines.filter((line) => line.startsWith('jq: error')) : lines;
  return messages
    .map((line) =>
      line
        .replace(/^jq: error(?: \(at \/dev\/stdin:\d+\))?:? ?/, '')
        .replace(/( at <top-level>, line 1, column )(\d+):$/, (_, at, column) => `${at}${column - columnsBefore}:`)
        .replace(/ at <top-level>,(.*):$/, ' at$1'),
    )
    .join('; ');
};

/** The problem with a program, or undefined if it compiles. Called before anything is sent. */
export const jqProblem = async (program: string, interrupted?: AbortSignal): Promise<Words | undefined> => {
  const { failure } = await runProgram(await loadJq(), '', { program, interrupted });
  return failure === undefined ? undefined : words`${the('jq')}: ${failure}`;
};

/** Results as `jq -r` prints them. A line that starts with a quote is a string, because nested values are indented. */
const renderResults = (results: string, isTerminal: boolean): string => {
  if (results === '') return '';
  const lines = results.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeJson(line);
    const text = JSON.parse(line) as string;
    // Tabs are harmless, and @tsv is useless without them.
    return isTerminal ? text.split('\t').map(safe).join('\t') : text;
  });
  return `${lines.join('\n')}\n`;
};

interface JqFacts extends Program {
  stdout: Output;
  /** Receives the output of `debug`. */
  say?: ((line: string) => void) | undefined;
  /** Whether no request was sent to the service. */
  isUnsent?: boolean;
}

/** Runs all inputs at once, or one by one if that fails or the program reads inputs itself or ends early. */
async function* runInputs(ask: RunJq, program: Program, inputs: readonly string[]): AsyncGenerator<JqRun> {
  if (!/\b(?:inputs?|halt|halt_error)\b/.test(program.program)) {
    const together = await runProgram(ask, inputs.join('\n'), program);
    // The exit code covers only the last input.
    const isClean = together.failure === undefined && !together.messages.some((line) => line.startsWith('jq: error'));
    if (isClean) return yield together;
  }
  for (const json of inputs) yield await runProgram(ask, json, program);
}

/** Runs the program on each JSON text and prints the results. */
export const printJq = async (facts: JqFacts, inputs: readonly string[]): Promise<void> => {
  const { stdout, say } = facts;
  for await (const { results, failure, messages } of runInputs(await loadJq(), facts, inputs)) {
    for (const line of messages) say?.(line);
    const text = renderResults(results, stdout.isTerminal);
    if (text !== '') await stdout.write(text);
    // The request is already done; only printing its result failed.
    const outcome = facts.isUnsent ? 'not-sent' : 'applied';
    if (failure !== undefined)
      throw new SchedError('usage', words`The ${the('jq')} program failed`, { reason: failure, outcome });
  }
};
