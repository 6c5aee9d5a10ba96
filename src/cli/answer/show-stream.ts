import type { Json } from '../../base/json.ts';
import { hasLastLine, liveLine, showAlive } from '../messages/live.ts';
import { inBrackets } from '../messages/notes.ts';
import type { Shell } from '../session/context.ts';
import type { Beginning, StreamAnswer } from './answer.ts';

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

/** Shows what happens, as it happens, until it ends or is stopped. */
export const showStream = async <Item>(context: Shell, stream: StreamAnswer<Item>): Promise<void> => {
  const { runtime, settings, printer, notes } = context;
  const { view, alive, stopped, columns } = stream;
  if (alive !== undefined) runtime.stdout.unblock?.(runtime.interrupted);
  let failure: { error: unknown } | undefined;
  const stopShowing = alive === undefined ? () => {} : showAlive(runtime, notes, alive);
  async function* untilStopped(): AsyncGenerator<Item> {
    try {
      yield* stream.items((beginning) => announce(context, stream, beginning));
    } catch (error) {
      // A list that ends early is reported as incomplete. One that never ends can't be.
      if (alive === undefined) throw error;
      failure = { error };
    }
  }
  async function* records(): AsyncGenerator<Json[]> {
    for await (const item of untilStopped()) yield [stream.record(item)];
  }
  const hasColumns = runtime.stdout.isTerminal && !settings.accessible;
  const lineOf = (item: Item) => liveLine(stream.happening(item, hasColumns), runtime, columns, settings.accessible);
  if (settings.format === 'table')
    for await (const item of untilStopped()) await printer.text(lineOf(item), stream.paint);
  else await printer.list(view, records());
  stopShowing();
  if (failure === undefined) return;
  // Stopping is not a failure.
  if (!runtime.interrupted.aborted) throw failure.error;
  if (stopped !== undefined) notes.info(stopped);
};
