import { invitees } from '../../api/invitees.ts';
import { SchedError, throwIfInterrupted } from '../../base/errors.ts';
import { isObject, jsonIn, jsonText } from '../../base/json.ts';
import { the, words } from '../../base/words.ts';
import type { RawAnswer } from '../../cli/answer/answer.ts';
import type { Context } from '../../cli/session/context.ts';
import { writtenIn } from '../../client/outcome.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import { bookedRecord, bookingContextOf, bookingText } from '../booking/booking-context.ts';
import { type Booked, type Booking, type BookingOptions, book } from '../booking/work.ts';
import { repeatedNames } from '../bulk/work-json-source.ts';
import { type ReplyOptions, replyAnswer } from './reply.ts';

type BookingFacts = Omit<Booking, 'send'>;

/** ISO 8601, extended or basic form. The offset is required: without it the instant is ambiguous. */
const isoTime =
  /^(\d{4})-?(\d\d)-?(\d\d)[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)? ?(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)$/;

/** The instant in one normalized form, or undefined if the text isn't a time. */
const normalStart = (text: string): string | undefined => {
  const [, year, month, day, hour, minute, second = '00', z, hours, minutes = '00'] = isoTime.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const offset = z === undefined ? `${hours}:${minutes}` : 'Z';
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

const unreadable = (problem: string): SchedError =>
  new SchedError('usage', `Can't tell what this body would book: ${problem}`, {
    reason: 'sched compares a booking with earlier ones before sending it, so that nothing is booked twice',
    advice: words`fix the body, or add ${the('allowDuplicate')} to send it without this check`,
  });

const bookingKeys = ['event_type', 'start_time', 'invitee'];

/** The booking in a body. Rejects a body it can't read: it could be an earlier booking in another form. */
export const bookingIn = (body: string | undefined, query: readonly (readonly [string, string])[]): BookingFacts => {
  const value = jsonIn(body ?? '');
  if (!isObject(value)) throw unreadable('it is not a JSON object');
  // Parsers differ in which of the two they use.
  for (const { name } of repeatedNames(body!, (each) => each.toLowerCase()))
    throw unreadable(`it contains "${name}" twice`);
  const elsewhere = query.find(([name]) => bookingKeys.includes(name.split(/[[.]/)[0]!));
  if (elsewhere !== undefined) throw unreadable(`"${elsewhere[0]}" is in the query`);
  const { event_type, start_time, invitee } = value;
  if (typeof event_type !== 'string' || event_type.trim() === '') throw unreadable('event_type is not a URI or ID');
  const start = typeof start_time === 'string' ? normalStart(start_time) : undefined;
  if (start === undefined) throw unreadable('start_time is not a time such as 2027-02-23T10:00:00Z');
  const email = isObject(invitee) ? invitee.email : undefined;
  if (typeof email !== 'string' || email.trim() === '') throw unreadable('invitee.email is not an email address');
  return { event_type, start_time: start, invitee: { email } };
};

/** Books with a raw request. Like `invitees create`, it never books twice (R27). */
export const bookRaw = async (
  context: Context,
  raw: HttpRequest,
  booking: BookingFacts,
  options: BookingOptions,
  showing: ReplyOptions,
): Promise<RawAnswer> => {
  const client = await context.client();
  const request: HttpRequest = { ...raw, effect: 'creation' };
  let reply: HttpReply | undefined;
  const send: Booking['send'] = async (beforeSend) => {
    reply = await client.send({ ...request, beforeSend });
    return writtenIn(invitees.create, request, reply);
  };
  const booked = await book(await bookingContextOf(context), { ...booking, send }, options).catch((error: unknown) => {
    const isRefusal = error instanceof SchedError && error.facts.outcome === 'not-applied';
    if (reply === undefined || !isRefusal) throw error;
    return undefined;
  });
  const { failure, ...answer } = answerTo(context, request, reply, booked, showing);
  return {
    ...answer,
    failure: async () => {
      if (failure !== undefined) return failure;
      // A signal that came while waiting for the reply takes effect now.
      throwIfInterrupted(context.runtime.interrupted, 'applied');
      return undefined;
    },
  };
};

/** A reply as it came: a refusal is then reported as an error. Or else the record of what is booked. */
const answerTo = (
  context: Context,
  request: HttpRequest,
  reply: HttpReply | undefined,
  booked: Booked | undefined,
  showing: ReplyOptions,
): ReturnType<typeof replyAnswer> => {
  if (booked === undefined || (booked.how === 'booked' && booked.unshown === undefined))
    return replyAnswer(request, reply!, showing);
  const record = bookedRecord(context, booked, JSON.parse(request.body!));
  context.notes.info(bookingText(context, booked));
  const body = jsonText({ resource: record });
  const ownReply: HttpReply = { status: 200, headers: { 'content-type': 'application/json' }, body };
  // This text isn't a reply from the service, so there are no headers to include.
  return replyAnswer(request, ownReply, { ...showing, include: false });
};
