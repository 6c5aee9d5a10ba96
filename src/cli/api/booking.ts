import { invitees } from '../../api/invitees.ts';
import { writtenIn } from '../../client/outcome.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import { type Booking, book } from '../../jobs/booking.ts';
import { jsonText } from '../../json.ts';
import type { Invocation } from '../command.ts';
import { bookedRecord, bookedWords, bookingOptions, deskOf } from '../desk.ts';
import { printReply, type Showing } from './reply.ts';

type What = Omit<Booking, 'send'>;

/** What a body asks to book; nothing where it is none that a service would take. */
export const bookingIn = (body: string | undefined): What | undefined => {
  try {
    const { event_type, start_time, invitee } = JSON.parse(body ?? '') as Record<string, unknown>;
    const isReadable =
      typeof event_type === 'string' &&
      typeof start_time === 'string' &&
      !Number.isNaN(Date.parse(start_time)) &&
      isObject(invitee) &&
      typeof invitee.email === 'string';
    return isReadable ? { event_type, start_time, invitee: { email: invitee.email as string } } : undefined;
  } catch {
    return undefined;
  }
};

/** A raw booking keeps the same promise as `invitees create`: never twice (R27). */
export const bookRaw = async (
  invocation: Invocation,
  raw: HttpRequest,
  what: What,
  showing: Showing,
): Promise<void> => {
  const { context } = invocation;
  const client = await context.client();
  const request: HttpRequest = { ...raw, effect: 'creation' };
  let reply: HttpReply | undefined;
  const send: Booking['send'] = async (leaving) => {
    const { heedPlan } = await import('../plan.ts');
    await heedPlan(context);
    reply = await client.send({ ...request, beforeLeaving: leaving });
    return writtenIn(invitees.create, request, reply);
  };
  const options = bookingOptions(invocation);
  const booked = await book(await deskOf(context), { ...what, send }, options).catch((error: unknown) => {
    const isRefusal = error instanceof SchedError && error.facts.outcome === 'not-applied';
    if (reply === undefined || !isRefusal) throw error;
  });
  // A refusal is printed as it came, and is an error then.
  if (booked === undefined || (booked.how === 'booked' && booked.unshown === undefined))
    await printReply(invocation, request, reply!, showing);
  else {
    const record = bookedRecord(context, booked, JSON.parse(request.body!) as Json);
    context.notes.say(bookedWords[booked.how]);
    const body = jsonText({ resource: record });
    const found: HttpReply = { status: 200, headers: { 'content-type': 'application/json' }, body };
    // What is printed is no reply of the service, so it has no headers to include.
    const plain = { ...invocation, typed: { ...invocation.typed, include: false } };
    await printReply(plain, request, found, showing);
  }
  context.runtime.interrupted.throwIfAborted();
};
