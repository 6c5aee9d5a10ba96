import { cutLong, humanText } from '../../../output/cells.ts';
import { valueAt } from '../../../output/fields.ts';
import type { Paint } from '../../../output/paint.ts';
import { idIn } from '../../../uri.ts';
import { liveLine, timeOfDay } from '../../messages/live.ts';
import type { Context } from '../../session/context.ts';
import type { DeliveryRecord } from './delivery-view.ts';

/** More than a line can show. */
const longestText = 200;

/** The widths of the usual event names and answers. */
const columns = { what: 23, result: 15 };

/** The text at the first path that has one. R43, R44: it can't control a terminal or a CI runner. */
const textAt = (record: object, ...paths: string[]): string | undefined => {
  const texts = paths.map((path) => valueAt(record, path)).filter((value) => typeof value === 'string' && value !== '');
  return texts[0] === undefined ? undefined : humanText(cutLong(texts[0] as string, longestText));
};

/** Who a delivery is about, and which event: the name if there is one, else an email address, else an ID. */
const subjectOf = (record: object): string => {
  const uri = textAt(record, 'payload.uri');
  const who = textAt(record, 'payload.name', 'payload.invitee.name', 'payload.email', 'payload.invitee.email');
  const event = textAt(record, 'payload.scheduled_event.name');
  return [who ?? (uri === undefined ? '–' : idIn(uri)), ...(event === undefined ? [] : [event])].join(' · ');
};

/** What the handler answered and how fast. Empty if there is no handler. */
const answerOf = ({ _sched: { status, duration_ms, error, attempt } }: DeliveryRecord): string => {
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  if (status !== undefined) return `→ ${status} in ${duration_ms} ms${again}`;
  return error === undefined ? again.trim() : `→ ${humanText(error)}${again}`;
};

/** One line for people: when, what, who, and what the handler answered. */
export const deliveryLine = (
  record: DeliveryRecord,
  { settings, runtime }: Context,
): { text: string; style(line: string, paint: Paint): string } => {
  const { received_at, status, error } = record._sched;
  const happening = {
    time: timeOfDay(Date.parse(received_at), settings.zone),
    what: textAt(record, 'event') ?? '–',
    subject: subjectOf(record),
    result: answerOf(record),
  };
  const isAccepted = error === undefined && (status === undefined || (status >= 200 && status <= 299));
  return {
    text: liveLine(happening, runtime, columns, settings.accessible),
    style: (line, paint) => (isAccepted ? line : paint.warning(line)),
  };
};
