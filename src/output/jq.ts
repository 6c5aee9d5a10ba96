import { SchedError } from '../errors.ts';
import type { Output } from '../runtime.ts';
import { type Ask, openJq } from './jq-thread.ts';
import { escapeJson, safe } from './sanitise.ts';

/*
 * What is printed is what `jq -r` prints: strings raw, anything else as JSON over several lines, or on one as `jq -rc`
 * does.
 */

let loading: Promise<Ask> | undefined;

const load = (): Promise<Ask> => {
  loading ??= openJq();
  return loading;
};

type Environment = Readonly<Record<string, string | undefined>>;

interface Program {
  program: string;
  /** What `env` and `$ENV` are; nothing where there is none. */
  env?: Environment | undefined;
  /** Every result on one line. */
  compact?: boolean;
  /** Ends a program that would run for ever. */
  interrupted?: AbortSignal | undefined;
}

interface Ran {
  /** JSON texts, each from the start of a line; not yet `-r`, whose output the library would trim. */
  results: string;
  failure?: string;
  /** What the program said with `debug` or `stderr`. */
  said: string[];
}

// jq holds no lone surrogate: it stops at one half and replaces the other, so both are replaced here.
const wellFormed = (json: string): string =>
  json.replace(/\\(?:\\|ud[89a-f][\da-f]{2})/g, (found) => (found === '\\\\' ? found : '\uFFFD'));

/** On the program's own first line, so that `$__loc__` and the lines of errors stay right. */
const withEnvironment = '$__env as $ENV|def env:$ENV;';

/** The library invents an environment and takes no other, so a program that asks for it gets ours as a variable. */
const environmentOf = ({ program, env = {} }: Program): { before: string; flags: string[] } =>
  /\benv\b/i.test(program)
    ? { before: withEnvironment, flags: ['--argjson', '__env', wellFormed(JSON.stringify(env))] }
    : { before: '', flags: [] };

const run = async (ask: Ask, json: string, asked: Program): Promise<Ran> => {
  const { before, flags: given } = environmentOf(asked);
  const flags = [...(asked.compact ? ['-c'] : []), ...given, '--'];
  const question = { json: wellFormed(json), program: `${before}${asked.program}`, flags };
  const { stdout, stderr, exitCode } = await ask(question, asked.interrupted);
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  if (exitCode === 0) return { results: stdout, said: lines };
  return { results: stdout, failure: failureIn(lines, before.length) || `it ended with code ${exitCode}`, said: [] };
};

/** jq's own words on one line, without what it says of files and where it points into the program. */
const failureIn = (lines: readonly string[], columnsBefore: number): string => {
  const isCompileError = lines.some((line) => /^jq: \d+ compile errors?$/.test(line));
  const told = isCompileError ? lines.filter((line) => line.startsWith('jq: error')) : lines;
  return told
    .map((line) =>
      line
        .replace(/^jq: error(?: \(at \/dev\/stdin:\d+\))?:? ?/, '')
        .replace(/( at <top-level>, line 1, column )(\d+):$/, (_, at, column) => `${at}${column - columnsBefore}:`)
        .replace(/ at <top-level>,(.*):$/, ' at$1'),
    )
    .join('; ');
};

/** What is wrong with a program, before anything is sent; nothing where it compiles. */
export const jqProblem = async (program: string, interrupted?: AbortSignal): Promise<string | undefined> => {
  const { failure } = await run(await load(), '', { program, interrupted });
  return failure === undefined ? undefined : `--jq: ${failure}`;
};

/** Results as `jq -r` prints them. A line that begins with a quote is a string: within objects all is indented. */
const rendered = (results: string, isTerminal: boolean): string => {
  if (results === '') return '';
  const lines = results.split('\n').map((line) => {
    if (!line.startsWith('"')) return escapeJson(line);
    const text = JSON.parse(line) as string;
    return isTerminal ? safe(text) : text;
  });
  return `${lines.join('\n')}\n`;
};

export interface JqFacts extends Program {
  stdout: Output;
  /** Hears what the program says with `debug`. */
  say?: ((line: string) => void) | undefined;
  /** Nothing was asked of the service. */
  isUnsent?: true;
}

/** All inputs at once where one run serves them all; one by one where it fails, asks for the next itself, or ends early. */
async function* runsOf(ask: Ask, program: Program, inputs: readonly string[]): AsyncGenerator<Ran> {
  if (!/\b(?:inputs?|halt|halt_error)\b/.test(program.program)) {
    const together = await run(ask, inputs.join('\n'), program);
    // The exit code tells of the last input only.
    const isClean = together.failure === undefined && !together.said.some((line) => line.startsWith('jq: error'));
    if (isClean) return yield together;
  }
  for (const json of inputs) yield await run(ask, json, program);
}

/** Runs the program over each of the JSON texts and prints what comes out. */
export const printJq = async (facts: JqFacts, inputs: readonly string[]): Promise<void> => {
  const { stdout, say } = facts;
  for await (const { results, failure, said } of runsOf(await load(), facts, inputs)) {
    for (const line of said) say?.(line);
    const text = rendered(results, stdout.isTerminal);
    if (text !== '') await stdout.write(text);
    // Whatever was asked of the service is done by now; only the showing failed.
    const outcome = facts.isUnsent ? 'not-sent' : 'applied';
    if (failure !== undefined) throw new SchedError('usage', 'The --jq program failed', { reason: failure, outcome });
  }
};
