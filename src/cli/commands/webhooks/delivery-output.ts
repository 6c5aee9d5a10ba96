import { valueAt } from '../../../output/fields.ts';
import { idPath } from '../../../output/view.ts';
import type { Context } from '../../session/context.ts';
import { deliveryLine } from './delivery-line.ts';
import { type DeliveryRecord, deliveryView } from './delivery-view.ts';

export interface DeliveryOutput {
  /** Resolves when stdout has accepted the record. Rejects if it never will. */
  write(record: DeliveryRecord): Promise<void>;
  /** Resolves after `close`, when everything is written. Rejects if stdout can't be written. */
  readonly done: Promise<void>;
  close(): void;
}

interface Waiting {
  record: DeliveryRecord;
  written(): void;
  failed(error: Error): void;
}

/** Records that one reader takes one by one. A record counts as written when the reader asks for the next one. */
const createQueue = () => {
  const waiting: Waiting[] = [];
  let isClosed = false;
  let wake = () => {};
  async function* records(): AsyncGenerator<[DeliveryRecord]> {
    let current: Waiting | undefined;
    try {
      while (!isClosed || waiting.length > 0) {
        current = waiting.shift();
        if (current === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        yield [current.record];
        current.written();
        current = undefined;
      }
    } finally {
      isClosed = true;
      for (const each of current === undefined ? waiting : [current, ...waiting])
        each.failed(new Error('The output is closed'));
    }
  }
  return {
    records,
    add: (record: DeliveryRecord): Promise<void> =>
      new Promise((written, failed) => {
        if (isClosed) return failed(new Error('The output is closed'));
        waiting.push({ record, written, failed });
        wake();
      }),
    close: () => {
      isClosed = true;
      wake();
    },
  };
};

/** Prints one record after the other in the requested format. */
const printAll = async (context: Context, records: AsyncIterable<[DeliveryRecord]>): Promise<void> => {
  const { printer, settings } = context;
  const { format, fields, jq, accessible } = settings;
  if (jq !== undefined || (format === 'table' && fields !== undefined && !accessible)) {
    for await (const [record] of records) await printer.one(deliveryView, record);
  } else if (format === 'table' && !accessible) {
    for await (const [record] of records) {
      const { text, style } = deliveryLine(record, context);
      await printer.text(text, style);
    }
  } else await printer.list(deliveryView, records);
};

/** Prints deliveries as they come. With `-o id`, those without an ID are left out. */
export const openDeliveryOutput = (context: Context): DeliveryOutput => {
  const { add, close, records } = createQueue();
  const isSkipped = (record: DeliveryRecord): boolean =>
    context.settings.format === 'id' && typeof valueAt(record, idPath(deliveryView)) !== 'string';
  return {
    write: async (record) => {
      if (!isSkipped(record)) await add(record);
    },
    done: printAll(context, records()),
    close,
  };
};
