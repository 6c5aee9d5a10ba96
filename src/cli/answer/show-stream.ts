import type { Json } from '../../base/json.ts';
import { valueAt } from '../../output/fields.ts';
import { idPath } from '../../output/view.ts';
import { hasLastLine, liveLine } from '../messages/live.ts';
import { inBrackets } from '../messages/notes.ts';
import type { Shell } from '../session/context.ts';
import type { Beginning, StreamAnswer } from './answer.ts';

/** The records of a stream, for a program that takes them. */
export async function* recordsOf<Item>({ items, record }: StreamAnswer<Item>): AsyncGenerator<Json[]> {
  for await (const item of items(() => {})) yield [record(item)];
}

/** Says what a stream is about, as briefly as its screen allows. */
const announce = (
  { notes, runtime, settings }: Shell,
  { alive }: Pick<StreamAnswer<unknown>, 'alive'>,
  { heading, details, lines }: Beginning,
): void => {
  if (alive === undefined) for (const line of lines) notes.footer(line);
  else if (!hasLastLine(runtime)) for (const line of lines) notes.info(line);
  else {
    notes.info(`${heading}${inBrackets(notes.takePlace())}`, 'heading');
    if (settings.verbose) for (const line of details) notes.info(line);
  }
};

/** Prints items as they come. */
const printItems = async <Item>(context: Shell, stream: StreamAnswer<Item>, items: AsyncIterable<Item>) => {
  const { runtime, settings, printer } = context;
  const { format, fields, jq, accessible } = settings;
  const { view, isEach, columns } = stream;
  async function* records(): AsyncGenerator<Json[]> {
    for await (const item of items) {
      const record = stream.record(item);
      // What has no ID is not an item of such a list.
      if (isEach && format === 'id' && typeof valueAt(record, idPath(view)) !== 'string') continue;
      yield [record];
    }
  }
  if (isEach && (jq !== undefined || (format === 'table' && fields !== undefined && !accessible))) {
    for await (const [record] of records()) await printer.one(view, record!);
    return;
  }
  if (format !== 'table' || (isEach && accessible)) return void (await printer.list(view, records()));
  const hasColumns = runtime.stdout.isTerminal && !accessible;
  for await (const item of items) {
    const line = liveLine(stream.happening(item, hasColumns), runtime, columns, accessible);
    await printer.text(line, (text, paint) => stream.paint(text, paint, item));
  }
};

/** Shows what happens, as it happens, until it ends or is stopped. */
export const showStream = async <Item>(context: Shell, stream: StreamAnswer<Item>): Promise<void> => {
  const { runtime, notes } = context;
  const { alive, stopped } = stream;
  if (alive !== undefined) runtime.stdout.unblock?.(runtime.interrupted);
  let failure: { error: unknown } | undefined;
  let stopShowing = () => {};
  const onBegin = (beginning: Beginning): void => {
    announce(context, stream, beginning);
    if (alive !== undefined) stopShowing = notes.alive(alive);
  };
  async function* untilStopped(): AsyncGenerator<Item> {
    try {
      yield* stream.items(onBegin);
    } catch (error) {
      // A list that ends early is reported as incomplete. One that never ends can't be.
      if (alive === undefined) throw error;
      failure = { error };
    }
  }
  await printItems(context, stream, untilStopped()).finally(() => stopShowing());
  if (failure === undefined) return;
  // Stopping is not a failure.
  if (!runtime.interrupted.aborted) throw failure.error;
  if (stopped !== undefined) notes.info(stopped);
};
