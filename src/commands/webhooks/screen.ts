import { idIn } from '../../base/uri.ts';
import { type Happening, timeOfDay } from '../../cli/messages/live.ts';
import { cutLong, humanText } from '../../output/cells.ts';
import { valueAt } from '../../output/fields.ts';
import type { Paint } from '../../output/paint.ts';
import type { View } from '../../output/view.ts';

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
export const columns = { what: 23, result: 15 };

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

/** One line for people: when, what, who, and what the handler answered. */
export const happeningOf = (record: DeliveryRecord, zone: string): Happening => ({
  time: timeOfDay(Date.parse(record._sched.received_at), zone),
  what: safeTextAt(record, 'event') ?? '–',
  subject: subjectOf(record),
  result: answerOf(record),
});

/** A delivery that the handler has not accepted stands out. */
export const paintDelivery = (line: string, paint: Paint, { _sched: { error, status } }: DeliveryRecord): string =>
  error === undefined && (status === undefined || (status >= 200 && status <= 299)) ? line : paint.warning(line);
