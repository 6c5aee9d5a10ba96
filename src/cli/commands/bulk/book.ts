import { join } from 'node:path';
import { invitees } from '../../../api/invitees.ts';
import type { Client } from '../../../client/client.ts';
import { isOutcomeUnknown, SchedError } from '../../../errors.ts';
import type { BatchPlan } from '../../../jobs/batch-plan.ts';
import { type Booked, type Booking, type BookingOptions, book } from '../../../jobs/booking.ts';
import type { BookingContext } from '../../../jobs/booking-attempt.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { keyBytes, keyText, type ReceiptKey, readKey } from '../../../jobs/receipt.ts';
import type { Job, SendResult } from '../../../jobs/run.ts';
import type { Json } from '../../../json.ts';
import { ensurePrivateDirectory } from '../../../state/directories.ts';
import { readPrivateFile } from '../../../state/files.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { answersHidden, bookingContextOf, bookingOptions, hidesAnswers } from '../../scheduling/booking-context.ts';
import { sandboxAddress } from '../../session/connection.ts';
import type { Context } from '../../session/context.ts';
import { stateDirectory } from '../../session/shared-state.ts';
import { askRequester, isSandboxed } from '../compliance/requester.ts';
import { checkCount, isItemRefused } from './bulk.ts';
import { confirmBookings, noteTime, noteZones, readCounts } from './confirm-bookings.ts';
import { receiptFolder } from './find-run.ts';
import { type BookingFile, type BookingLine, readBookings } from './read-bookings.ts';
import { runBulk } from './run-bulk.ts';

/** The name of a line in the receipt. It has no personal data. */
const markOf = ({ line, body }: BookingLine): string => `${line} ${idIn(body.event_type)} ${body.start_time}`;

const planOf = ({ isListed }: BookingFile, marks: string[], digest: string): BatchPlan => ({
  items: marks,
  duplicates: [],
  invalid: [],
  skipped: { header: [], comment: [], blank: [] },
  isListed,
  digest,
});

/**
 * The key that hashes the input for the receipt: without it, a few addresses could be guessed from the hash. It is beside
 * the ledger, because a run can only be resumed safely together with the ledger.
 */
const inputKey = async ({ runtime }: Context, state: string): Promise<ReceiptKey> => {
  const folder = join(state, 'bookings');
  const path = join(folder, 'input.key');
  if ((await readPrivateFile(path)) === undefined) {
    ensurePrivateDirectory(folder);
    const unique = Buffer.from(runtime.randomBytes(8)).toString('hex');
    await realDisk.create(path, keyText(runtime.randomBytes(keyBytes)), unique).catch(async (error: unknown) => {
      // Another process may have created it first.
      if ((await readPrivateFile(path)) === undefined) throw error;
    });
  }
  const key = readKey((await readPrivateFile(path))!);
  if (key !== undefined) return key;
  throw new SchedError('environment', `No key in ${path}`, {
    reason: 'a key is 64 hexadecimal digits',
    advice: 'remove the file; unfinished runs then start again, and nothing is booked twice',
    outcome: 'not-sent',
  });
};

/** How a booking is known, if not from the reply. */
const sources: Partial<Record<Booked['how'], string>> = { reconciled: 'looked up', existing: 'booked already' };

/** Whether the service refused this line in particular. 424 is about the calendar of its host. */
const isLineRefused = (error: SchedError): boolean => isItemRefused(error) || error.facts.http?.status === 424;

/** Books one line, at most once by the ledger (R27). */
const sendBooking = (
  context: Context,
  client: Client,
  bookingContext: BookingContext,
  lines: ReadonlyMap<string, BookingLine>,
  { ifAbsent }: BookingOptions,
): Job['send'] => {
  const { notes } = context;
  const options: BookingOptions = { ifAbsent, allowDuplicate: false, keepEarlier: true };
  let isTold = false;
  return async ([mark], leaving): Promise<SendResult> => {
    const { place, body, input } = lines.get(mark!)!;
    let status: number | undefined;
    const send: Booking['send'] = async (beforeSend) => {
      const { applyPlanLimits } = await import('../../session/booking-limits.ts');
      await applyPlanLimits(context);
      const written = await client.write(invitees.create, input, async () => {
        await leaving();
        await beforeSend();
      });
      status = written.status;
      return written;
    };
    try {
      const booked = await book(bookingContext, { ...body, send }, options);
      const { how } = booked;
      if (!isTold && hidesAnswers(booked, input.body as Json)) {
        isTold = true;
        notes.info(answersHidden);
      }
      const by = sources[how];
      return {
        verdict: 'accepted',
        ...(by === undefined ? {} : { by }),
        ...(status === undefined ? {} : { status }),
      };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      const facts = error.facts.http?.status === undefined ? {} : { status: error.facts.http.status };
      const tell = (word: string) =>
        notes.warn(`${word}: ${place}: ${error.message}${error.facts.reason ? ` (${error.facts.reason})` : ''}`);
      if (isOutcomeUnknown(error) && error.category === 'outcome-unknown') {
        tell('unknown');
        return { verdict: 'unknown', ...facts };
      }
      if (!isLineRefused(error)) throw error;
      tell('failed');
      return { verdict: 'rejected', ...facts };
    }
  };
};

const checkFlags = ({ typed, problems }: Invocation): void => {
  if (typed.body !== undefined) problems.add("--body can't be used with --from");
  if (typed['allow-duplicate'] === true)
    problems.add("--allow-duplicate can't be used with --from: book that line on its own");
};

/** Books every line of a file, one after another, and writes a receipt. */
export const bookFromFile = async ({ fieldFlags }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  checkFlags(invocation);
  const counts = readCounts(invocation);
  const file = await readBookings(invocation, fieldFlags);
  const { lines } = file;
  noteZones(context, lines);
  if (context.settings.dryRun) {
    await noteTime(context, lines.length);
    return printRequest(
      invocation,
      invitees.create,
      lines.map(({ input }) => input),
    );
  }
  checkCount('bookings', lines.length, counts);
  // Throws if there is no place for receipts.
  receiptFolder(context);
  const key = await inputKey(context, stateDirectory(context.runtime)!);
  const client = await context.client();
  const { baseUrl, isSandbox } = await context.connection();
  const byMark = new Map(lines.map((line) => [markOf(line), line]));
  const marks = [...byMark.keys()];
  const input = key.mac(JSON.stringify(lines.map(({ line, body }) => [line, body])));
  await runBulk(context, {
    command: 'invitees create',
    things: 'meetings',
    done: 'booked',
    operation: 'invitees.create',
    endpoint: `${isSandbox ? sandboxAddress : baseUrl}${invitees.create.path}`,
    ...(await askRequester(context)),
    isSandbox: await isSandboxed(context),
    // The marks are not hashes.
    key: 'none',
    input,
    plan: planOf(file, marks, input),
    items: marks,
    mark: (mark) => mark,
    batchSize: 1,
    send: sendBooking(context, client, await bookingContextOf(context), byMark, bookingOptions(invocation)),
    receipt: typed.receipt as string | undefined,
    again: typed.again === true,
    confirm: (history) => confirmBookings(context, counts, byMark, history),
  });
};
