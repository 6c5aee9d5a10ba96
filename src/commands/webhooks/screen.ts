import { EventEmitter, on } from 'node:events';
import { idIn } from '../../base/uri.ts';
import { liveLine, timeOfDay } from '../../cli/messages/live.ts';
import type { Context } from '../../cli/session/context.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import { valueAt } from '../../output/fields.ts';
import { idPath, type View } from '../../output/view.ts';

/** A delivery with what `sched` adds to it. */
export interface DeliveryRecord {
  readonly _sched: {
    received_at: string;
    /** How often the delivery was handled; more than 1 if the handler did not accept it before. */
    attempt: number;
    /** With `--forward-to`: what the handler answered and how fast, or why there is no answer. */
    status?: number;
    duration_ms?: number;
    error?: string;
  };
}

export const deliveryFields = ['event', 'created_at', 'created_by', 'payload', '_sched'];

/** Later columns go to the end, because scripts count them. */
export const deliveryView: View = {
  columns: [
    { header: 'RECEIVED', path: '_sched.received_at', as: 'time', priority: 4 },
    { header: 'EVENT', path: 'event', priority: 4 },
    { header: 'NAME', path: 'payload.name', priority: 3 },
    { header: 'EMAIL', path: 'payload.email', priority: 2 },
    { header: 'STATUS', path: '_sched.status', priority: 3 },
    { header: 'MS', path: '_sched.duration_ms', as: 'count', priority: 1 },
    { header: 'ERROR', path: '_sched.error', priority: 2 },
    { header: 'URI', path: 'payload.uri', as: 'id' },
  ],
  id: 'payload.uri',
};

/** More than a line can show. */
const longestText = 200;

/** The widths of the usual event names and answers. */
const columns = { what: 23, result: 15 };

/** The text at the first path that has one. R43, R44: it can't control a terminal or a CI runner. */
const safeTextAt = (record: object, ...paths: string[]): string | undefined => {
  const texts = paths.map((path) => valueAt(record, path)).filter((value) => typeof value === 'string' && value !== '');
  return texts[0] === undefined ? undefined : humanText(cutLong(texts[0] as string, longestText));
};

/** Who a delivery is about, and which event: the name if there is one, else an email address, else an ID. */
const subjectOf = (record: object): string => {
  const uri = safeTextAt(record, 'payload.uri');
  const who = safeTextAt(record, 'payload.name', 'payload.invitee.name', 'payload.email', 'payload.invitee.email');
  const event = safeTextAt(record, 'payload.scheduled_event.name');
  return [who ?? (uri === undefined ? '–' : idIn(uri)), ...(event === undefined ? [] : [event])].join(' · ');
};

/** What the handler answered and how fast. Empty if there is no handler. */
const answerOf = ({ _sched: { status, duration_ms, error, attempt } }: DeliveryRecord): string => {
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  if (status !== undefined) return `→ ${status} in ${duration_ms} ms${again}`;
  return error === undefined ? again.trim() : `→ ${humanText(error)}${again}`;
};

/** Prints one line for people: when, what, who, and what the handler answered. */
const printLine = ({ settings, runtime, printer }: Context, record: DeliveryRecord): Promise<void> => {
  const { received_at, status, error } = record._sched;
  const happening = {
    time: timeOfDay(Date.parse(received_at), settings.zone),
    what: safeTextAt(record, 'event') ?? '–',
    subject: subjectOf(record),
    result: answerOf(record),
  };
  const isAccepted = error === undefined && (status === undefined || (status >= 200 && status <= 299));
  return printer.text(liveLine(happening, runtime, columns, settings.accessible), (text, paint) =>
    isAccepted ? text : paint.warning(text),
  );
};

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
  const queue = new EventEmitter();
  const arrived = on(queue, 'record', { close: ['close'] }) as AsyncIterable<[Waiting]>;
  const waiting = new Set<Waiting>();
  let isClosed = false;
  async function* records(): AsyncGenerator<[DeliveryRecord]> {
    try {
      for await (const [each] of arrived) {
        yield [each.record];
        each.written();
        waiting.delete(each);
      }
    } finally {
      isClosed = true;
      for (const each of waiting) each.failed(new Error('The output is closed'));
    }
  }
  return {
    records,
    add: (record: DeliveryRecord): Promise<void> =>
      new Promise((written, failed) => {
        if (isClosed) return failed(new Error('The output is closed'));
        const each = { record, written, failed };
        waiting.add(each);
        queue.emit('record', each);
      }),
    close: () => {
      isClosed = true;
      queue.emit('close');
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
    for await (const [record] of records) await printLine(context, record);
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
