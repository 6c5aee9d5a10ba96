import { leftOutText, linesText, makePlan, type Plan } from '../../../jobs/batch-plan.ts';
import { BadInput, type Entry, type InputOptions, readEntries } from '../../../jobs/input.ts';
import { type Bytes, bytesOf, NotText } from '../../../jobs/text-source.ts';
import type { Invocation } from '../../command.ts';
import type { Context } from '../../session/context.ts';

export interface ItemKind extends Pick<InputOptions, 'usual' | 'isItem' | 'isSurelyItem'> {
  /** What tells it from another item, or nothing where it is none. */
  fold(text: string): string | undefined;
}

async function* argumentEntries(args: readonly string[]): AsyncGenerator<Entry> {
  for (const [index, text] of args.entries()) yield { line: index + 1, text: text.trim() };
}

async function* stdinBytes({ runtime }: Context): Bytes & AsyncGenerator<Uint8Array> {
  yield await runtime.stdin.bytes();
}

const entriesOf = (
  { context, args, typed }: Invocation,
  { usual, isItem, isSurelyItem }: ItemKind,
): AsyncIterable<Entry> => {
  if (typed.from === undefined) return argumentEntries(args);
  const from = String(typed.from);
  return readEntries(from === '-' ? stdinBytes(context) : bytesOf(from), {
    name: from,
    column: typed.column as string | undefined,
    field: typed.field as string | undefined,
    usual,
    isItem,
    isSurelyItem,
  });
};

/** The plan, or what is wrong with the input as a whole; none of it is ever quoted. */
export const readPlan = async (invocation: Invocation, kind: ItemKind): Promise<Plan> => {
  const { args, typed, problems } = invocation;
  if (typed.from !== undefined && args.length > 0) problems.add('arguments and --from do not go together');
  for (const name of ['column', 'field'])
    if (typed[name] !== undefined && typed.from === undefined) problems.add(`--${name} needs --from`);
  if (typed.column !== undefined && typed.field !== undefined) problems.add('--column is for CSV, --field for JSON');
  problems.check();
  try {
    return await makePlan(entriesOf(invocation, kind), kind);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOurs = error instanceof BadInput || error instanceof NotText;
    if (!isOurs && code === undefined) throw error;
    const reason = isOurs ? error.message : code === 'ENOENT' ? 'no such file' : code;
    problems.add(`--from: cannot read ${typed.from === '-' ? 'stdin' : typed.from} (${reason})`);
    problems.check();
    throw error;
  }
};

/** `line 2 holds no event ID`, `lines 4, 5: a quote is opened and never closed`: the lines with the same problem together. */
const invalidTexts = ({ invalid, isListed }: Plan, thing: string): string[] => {
  const problems = [...new Set(invalid.map(({ problem }) => problem))];
  return problems.map((problem) => {
    const lines = invalid.filter((each) => each.problem === problem).map(({ line }) => line);
    const isOne = lines.length === 1;
    const words = `${isListed ? 'item' : 'line'}${isOne ? '' : 's'} ${linesText(lines)}`;
    return problem === undefined ? `${words} ${isOne ? 'holds' : 'hold'} no ${thing}` : `${words}: ${problem}`;
  });
};

/** Lines that hold no item stop the work unless they were said to be left out. */
export const checkInvalid = ({ typed, problems }: Invocation, plan: Plan, thing: string): void => {
  const { invalid } = plan;
  if (invalid.length === 0 || typed['skip-invalid'] === true) return;
  if (typed.from === undefined) for (const { line } of invalid) problems.add(`argument ${line} is not an ${thing}`);
  else {
    const texts = invalidTexts(plan, thing);
    const them = invalid.length === 1 ? 'it' : 'them';
    for (const text of texts.slice(0, -1)) problems.add(text);
    problems.add(`${texts.at(-1)}; --skip-invalid leaves ${them} out`);
  }
  problems.check();
};

/** Counts what is in the input and not sent, before anybody is asked. */
export const noteLeftOut = ({ context }: Invocation, plan: Plan): void => {
  const text = leftOutText(plan);
  if (text !== '') context.notes.info(`left out of the input: ${text}`);
};
