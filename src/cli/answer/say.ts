import type { Json } from '../../base/json.ts';
import type { Sentence } from '../../base/words.ts';
import { type Below, undoWords } from '../messages/notes.ts';
import { addFacts, isAlready } from '../operation/write-result.ts';
import type { Shell } from '../session/context.ts';
import type { Done, ManyAnswer, RecordAnswer } from './answer.ts';

/*
 * What a write has done: in notes, and in the facts of its record.
 */

/** What a person reads below what a write has done, a program reads in the record, unless it was done already. */
const withEffects = ({ settings: { format, fields } }: Shell, record: Json, done: Partial<Done> = {}): Json => {
  const { stays, undo, failed } = done;
  const hasFacts = format === 'json' || format === 'jsonl' || fields !== undefined;
  return hasFacts && !isAlready(record) ? addFacts(record, { stays, undo, failed }) : record;
};

/** A record with its details, for formats that name their values. */
const withDetails = ({ settings: { format, fields } }: Shell, record: Json, details: Json | undefined): Json =>
  ['json', 'jsonl', 'yaml'].includes(format) || fields !== undefined ? { ...record, ...details } : record;

/** A record with all that its format can say of it. */
export const wholeRecord = (
  context: Shell,
  { record, done, details }: Pick<RecordAnswer, 'record' | 'done' | 'details'>,
): Json => withDetails(context, withEffects(context, record, done), details);

/** Says what stands beside a plan: what changes, and what its requests don't show. */
export const sayAll = ({ notes }: Shell, sentences: readonly Sentence[]): void => {
  for (const sentence of sentences) notes.info(sentence);
};

/** Says what a write has done. `lines` come first below it. */
export const sayDone = async (
  { notes }: Pick<Shell, 'notes'>,
  { log, sentence, below = [], undo, hints = [], warnings = [] }: Partial<Done>,
  lines: readonly Below[] = [],
): Promise<void> => {
  if (log !== undefined) await notes.done(log, sentence, [...lines, ...below], undo);
  for (const hint of hints) notes.info(hint);
  for (const warning of warnings) notes.warn(warning);
  // Before the answer, whose stream may be another one.
  if (hints.length + warnings.length > 0) await notes.flush();
};

/** The same to who gets the record too. */
export const sayBeside = (context: Shell, record: Json, done: Partial<Done>): Promise<void> =>
  sayDone(context, {
    ...done,
    below: done.saysAll ? (done.below ?? []) : [],
    undo: isAlready(record) ? undefined : done.undo,
  });

/**
 * Says what became of each record, one page of `pages` for each. Then `end` says what was done in all, or throws what was
 * not.
 */
export const sayEach = (context: Shell, { each, done: all, failure }: ManyAnswer) => {
  /** The lines that no sentence about a single record has. */
  const undo = new Set<string>();
  async function* pages(): AsyncGenerator<Json[]> {
    for await (const { record, done = {} } of each) {
      if (done.log === undefined && done.undo !== undefined) undo.add(done.undo);
      await sayDone(context, done);
      yield [withEffects(context, record, done)];
    }
  }
  const end = async (): Promise<void> => {
    const problem = failure?.();
    const done = problem === undefined ? all : undefined;
    const isBelow = done !== undefined && undo.size < 2;
    if (done !== undefined) await sayDone(context, isBelow ? { ...done, undo: [...undo][0] } : done);
    if (!isBelow) for (const line of undo) context.notes.info(undoWords(line));
    if (problem !== undefined) throw problem;
  };
  return { pages: pages(), end };
};
