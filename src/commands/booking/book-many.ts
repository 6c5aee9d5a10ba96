import { join } from 'node:path';
import { invitees } from '../../api/invitees.ts';
import { SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import type { Plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import type { Client } from '../../client/client.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { keyTextIn } from '../../state/key-file.ts';
import { checkCount } from '../bulk/check-count.ts';
import { receiptFolder } from '../bulk/find-run.ts';
import { failedItem, isItemRefused } from '../bulk/item-refused.ts';
import { fixAndRepeat } from '../bulk/read-items.ts';
import { askRequester } from '../bulk/requester.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import { type ReceiptKey, readKey } from '../bulk/work-receipt-key.ts';
import type { Job, SendResult } from '../bulk/work-run.ts';
import { answersHidden, bookingContextOf, hidesAnswers } from './booking-context.ts';
import { noteZones, questionAbout, timeAndPerson, timeRemarks } from './confirm-bookings.ts';
import type { BookingInput } from './input.ts';
import { type BookingLine, readBookings } from './read-bookings.ts';
import { type Booked, type Booking, type BookingOptions, book } from './work.ts';
import type { BookingContext } from './work-attempt.ts';

/** The name of a line in the receipt. It has no personal data. */
const bookingMark = ({ line, body }: BookingLine): string => `${line} ${idIn(body.event_type)} ${body.start_time}`;

/**
 * The key that hashes the input for the receipt: without it, a few addresses could be guessed from the hash. It is beside
 * the ledger, because a run can only be resumed safely together with the ledger.
 */
const inputKey = async ({ randomBytes }: HeadlessRuntime, state: string): Promise<ReceiptKey> => {
  const path = join(state, 'bookings', 'input.key');
  const key = readKey(await keyTextIn(path, randomBytes));
  if (key !== undefined) return key;
  throw new SchedError('environment', `No key in ${path}`, {
    reason: 'a key is 64 hexadecimal digits',
    advice: 'remove the file; unfinished runs then start again, and nothing is booked twice',
  });
};

/** How a booking is known, if not from the reply. */
const sources: Partial<Record<Booked['how'], string>> = { reconciled: 'looked up', existing: 'booked already' };

/** Whether the service refused this line in particular. 424 is about the calendar of its host. */
const isLineRefused = (error: SchedError): boolean => isItemRefused(error) || error.facts.http?.status === 424;

/** Books one line, at most once by the ledger (R27). */
export const sendBooking = (
  { notes }: Context,
  client: Client,
  bookingContext: BookingContext,
  ifAbsent: boolean,
): Job<BookingLine>['send'] => {
  const options: BookingOptions = { ifAbsent, allowDuplicate: false };
  let isTold = false;
  return async ([line], leaving): Promise<SendResult> => {
    const { body, input } = line!;
    let status: number | undefined;
    const send: Booking['send'] = async (beforeSend) => {
      const written = await client.write(invitees.create, input, async () => {
        await leaving();
        await beforeSend();
      });
      status = written.status;
      return written;
    };
    try {
      const booked = await book(bookingContext, { ...body, send }, options);
      if (!isTold && hidesAnswers(booked, input.body!)) {
        isTold = true;
        notes.info(answersHidden);
      }
      return { verdict: 'accepted', by: sources[booked.how], status };
    } catch (error) {
      return failedItem(error, isLineRefused);
    }
  };
};

/** Books every line of a file, one after another, and writes a receipt. */
export const bookFromFile = async ({ fieldFlags }: GenericCommand, values: BookingInput, call: Call): Promise<Plan> => {
  const { context } = call;
  const { lines, thing, wrong, duplicates } = await readBookings(values, call, fieldFlags);
  noteZones(context, lines);
  return bulkPlan<BookingLine>(context, values, {
    requests: () => ({ operation: invitees.create, inputs: lines.map(({ input }) => input) }),
    remarks: () => timeRemarks(context, lines.length),
    remarksOn: (remaining) => timeRemarks(context, remaining.length),
    isAgreed: values.confirm !== undefined,
    question: (remaining) => questionAbout(context, lines, remaining),
    job: async () => {
      checkCount('bookings', values, lines.length);
      // Throws if there is no place for receipts.
      receiptFolder(context);
      const key = await inputKey(context.runtime, stateDirectory(context.runtime)!);
      const client = await context.client();
      return {
        things: 'meetings',
        done: 'booked',
        operation: 'invitees.create',
        ...(await askRequester(context, invitees.create)),
        input: key.mac(JSON.stringify(lines.map(({ line, body }) => [line, body]))),
        items: lines,
        wrong,
        duplicates,
        needsAll: true,
        mark: bookingMark,
        thing,
        nameOf: (line) => timeAndPerson(context, line),
        freeInstead: async ({ body }) => (await import('../slots/judge-time.ts')).freeInstead(context, body),
        fix: fixAndRepeat(values.from, 'are not sent twice', 'is not sent twice'),
        send: sendBooking(context, client, await bookingContextOf(context), values.ifAbsent),
      };
    },
  });
};
