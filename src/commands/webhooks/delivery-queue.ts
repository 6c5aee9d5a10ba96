import { EventEmitter, on } from 'node:events';
import type { DeliveryRecord } from './screen.ts';

export interface DeliveryQueue {
  /** The deliveries, for the one who shows them. */
  records(): AsyncGenerator<DeliveryRecord>;
  /** Resolves when the record is shown. Rejects if it never will be. */
  add(record: DeliveryRecord): Promise<void>;
  close(): void;
}

interface Waiting {
  record: DeliveryRecord;
  shown(): void;
  failed(error: Error): void;
}

/** Records that one reader takes one by one. A record counts as shown when the reader asks for the next one. */
export const createQueue = (): DeliveryQueue => {
  const queue = new EventEmitter();
  const arrived = on(queue, 'record', { close: ['close'] }) as AsyncIterable<[Waiting]>;
  const waiting = new Set<Waiting>();
  let isClosed = false;
  async function* records(): AsyncGenerator<DeliveryRecord> {
    try {
      for await (const [each] of arrived) {
        yield each.record;
        each.shown();
        waiting.delete(each);
      }
    } finally {
      isClosed = true;
      for (const each of waiting) each.failed(new Error('The output is closed'));
    }
  }
  return {
    records,
    add: (record) =>
      new Promise((shown, failed) => {
        if (isClosed) return failed(new Error('The output is closed'));
        const each = { record, shown, failed };
        waiting.add(each);
        queue.emit('record', each);
      }),
    close: () => {
      isClosed = true;
      queue.emit('close');
    },
  };
};
