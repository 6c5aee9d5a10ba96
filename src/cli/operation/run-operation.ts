import type { Operation } from '../../api/operation.ts';
import type { Sentence } from '../../base/words.ts';
import { isRead } from '../../client/client.ts';
import { withArticle } from '../../client/ids.ts';
import type { View } from '../../output/view.ts';
import type { Answer, Bounds, Listing, Stage } from '../answer/answer.ts';
import { type Plan, plan } from '../answer/plan.ts';
import type { Command } from '../command.ts';
import type { Context } from '../session/context.ts';
import { fillScope, scopeOf } from './default-scope.ts';
import type { FieldFlag } from './field-flags.ts';
import type { RequestValues } from './input.ts';
import { keepOf, rowRemarks } from './listing.ts';
import { recordTitle, writeAndRead } from './write-result.ts';

/** What running the command of an operation needs of it. */
export interface OperationCommand extends Pick<Command, 'name'> {
  operation: Operation;
  fieldFlags: FieldFlag[];
  view: View;
  /** Adds to the rows what only people see, with requests of its own. */
  addForScreen?(context: Context): Stage;
  /** Filters rows by what only sched can find out. */
  choose?: Stage;
  /** Columns that only a CSV file has. */
  forCsv?: Listing['forCsv'];
}

/** What the command of an operation gets. */
export interface OperationInput {
  request: RequestValues;
  /** Of a list. */
  bounds?: Bounds;
}

/** The rows of a list, or with `--dry-run` and `--curl` its first request. */
export const listingPlan = (
  listing: Listing,
  remarks: readonly Sentence[] = [],
  send: () => Promise<Answer> = async () => ({ kind: 'listing', listing }),
): Plan => plan({ requests: () => ({ listing }), remarks, send });

const past: Record<string, string> = { create: 'created', update: 'changed' };

/** What the command of an operation is about to do: fill in the scope, send the request and answer with the reply. */
export const runOperation = async (
  { operation, view, name, fieldFlags, choose, addForScreen, forCsv }: OperationCommand,
  { request: { rows, record: knownRecord, ...input }, bounds }: OperationInput,
  context: Context,
): Promise<Plan> => {
  const scope = scopeOf(operation, await fillScope(operation, input, context), view);
  const remarks = rowRemarks(fieldFlags, rows);
  const keep = keepOf(operation, rows);
  if (bounds !== undefined)
    return listingPlan(
      { operation, view, input, bounds, scope, keep, choose, addForScreen: addForScreen?.(context), forCsv },
      remarks,
    );
  return plan({
    requests: () => ({ operation, inputs: [input] }),
    remarks,
    send: async () => {
      if (isRead(operation))
        return { kind: 'record', view, record: knownRecord ?? (await (await context.client()).call(operation, input)) };
      const record = await writeAndRead(context, operation, input);
      const log = `${past[name] ?? 'done'}: ${recordTitle(record, withArticle(operation.reply.of.name))}`;
      return { kind: 'record', view, record, done: { log }, isNew: operation.effect === 'creation' };
    },
  });
};
