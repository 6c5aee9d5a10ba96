import { events, type SentEvent } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { fallBack, hasCategory, SchedError, usageError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import { plan, type Question, type Reader, type Reply, type Requests } from '../../cli/answer/plan.ts';
import type { Argument } from '../../cli/command.ts';
import { both, type Call, type Input, input } from '../../cli/input/input.ts';
import { withGiven } from '../../cli/input/kind.ts';
import { toggle } from '../../cli/input/kinds.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { changeOrReadBack, deleteRecord } from '../../cli/operation/change-record.ts';
import { requestInput } from '../../cli/operation/input.ts';
import { isAlready, knownRecord, recordTitle, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import type { Client } from '../../client/client.ts';
import { isPlainId, readId } from '../../client/ids.ts';
import { gather } from '../../client/paginate.ts';
import type { View } from '../../output/view.ts';
import { timestampOf } from '../../time/wall.ts';

/** The path of an event's only invitee that may be meant. With several, or none, the command must name one. */
const onlyInvitee = async (client: Client, event: string, isUndone: boolean): Promise<Record<string, string>> => {
  const all = await gather(client.pages(invitees.list, { path: { event } }));
  const active = all.filter(({ status }) => status !== 'canceled');
  const marked = all.filter(isMarked);
  // Somebody whose mark is to be taken back has one, unless that was done already.
  const [only, ...others] = isUndone && marked.length > 0 ? marked : active;
  if (only !== undefined && others.length === 0) return { event, invitee: idIn(only.uri) };
  const why = others.length > 0 ? `has ${others.length + 1} invitees to choose from` : 'has no active invitee';
  throw usageError([words`Missing argument ${{ name: 'invitee', place: 'argument' }}: the event ${event} ${why}`], {
    hint: { command: ['invitees', 'list', event] },
  });
};

/** If there is no such event, a single ID for `--undo` may be that of an invitee, whose mark is only found by the event. */
const withEventFirst =
  (id: string | undefined) =>
  (error: unknown): never => {
    if (id === undefined || !(error instanceof SchedError) || error.category !== 'not-found') throw error;
    throw error.with({
      advice: words`if this is the ID of an invitee, ${the('undo')} needs the event before it`,
      hint: { args: ['EVENT', id] },
    });
  };

/** Whether a single ID belongs to an event: otherwise it is sent as the ID of an invitee. */
const isEvent = async (client: Client, id: string): Promise<boolean> => {
  const reading = client.call(events.get, { path: { event: id } }).catch((error: unknown) => {
    // With --no-check, nothing is looked up.
    const isUnsent = hasCategory(error, 'usage') && error.facts.outcome === 'not-sent';
    return isUnsent ? undefined : fallBack(undefined, 'not-found', 'forbidden')(error);
  });
  return (await reading) !== undefined;
};

/** Why nobody can have missed a meeting: it was canceled, the invitee has canceled, or it has not started yet. */
const whyNotMissed = (event: SentEvent, invitee: SentInvitee, now: number): string | undefined => {
  const startsAt = timestampOf(event.start_time);
  if (event.status === 'canceled') return 'was canceled';
  if (invitee.status === 'canceled') return 'was canceled by this invitee';
  return startsAt === undefined || startsAt <= now ? undefined : 'has not started yet';
};

/** Asks about a no-show if nobody can have missed the meeting. */
const questionOf = async (
  context: Context,
  client: Client,
  path: Record<string, string>,
  reader: Reader,
): Promise<Question | undefined> => {
  if (reader !== 'asked' && reader !== 'unasked') return undefined;
  const [event, invitee] = await Promise.all([
    client.call(events.get, { path: { event: path.event! } }),
    client.call(invitees.get, { path }),
  ]);
  const why = whyNotMissed(event, invitee, context.now());
  if (why === undefined) return undefined;
  const { noShowQuestion } = await import('../events/screen.ts');
  return noShowQuestion(context, event, invitee, why, reader);
};

const isMarked = ({ no_show: mark }: SentInvitee): boolean => mark !== null && mark !== undefined;

/** Takes back the mark of an invitee. Its own URI is only known from the invitee. */
const undo = async (path: Record<string, string>, context: Context, view: View): Promise<Reply> => {
  const client = await context.client();
  const read = () => client.call(invitees.get, { path });
  const invitee = await read();
  const who = recordTitle(invitee, path.invitee!);
  if (!isMarked(invitee)) {
    const record = withFacts(invitee, { already: true });
    return { kind: 'record', view, record, done: { log: `not marked as no-show: ${who}` } };
  }
  const { uri } = isObject(invitee.no_show) ? invitee.no_show : {};
  if (typeof uri !== 'string' || !isPlainId(idIn(uri)))
    throw new SchedError('integrity', "The service doesn't show the URI of this no-show, so it can't be undone");
  const mark = { no_show: idIn(uri) };
  return plan({
    requests: () => ({ operation: invitees['undo-no-show'], inputs: [{ path: mark }] }),
    read: async (reader) => {
      if (reader !== 'asked') return [];
      const { eventLine } = await import('../events/screen.ts');
      return [await eventLine(context, path.event!)];
    },
    question: (list) => ({
      question: `Undo the no-show of ${who}?`,
      action: `undo the no-show of ${who}`,
      list,
    }),
    send: async () => {
      await deleteRecord(context, invitees['undo-no-show'], mark, async () => {
        const now = await read();
        return isMarked(now) ? now : undefined;
      });
      const record = (await readIfPossible(read)) ?? { ...invitee, no_show: null };
      return { kind: 'record', view, record, done: { log: `no longer marked as no-show: ${who}` } };
    },
  });
};

/** How to take back a mark: `sched invitees no-show 8Q96 86ZT --undo`. */
const undoLine = (context: Context, { event, uri }: SentInvitee): string | undefined =>
  typeof event === 'string' && typeof uri === 'string'
    ? commandHere(context, 'invitees', 'no-show', context.shownId(event), context.shownId(uri), '--undo')
    : undefined;

export const noShowArguments: Argument[] = [
  {
    name: 'event',
    description: 'ID of the event, or the full URI of the invitee',
    required: true,
    collection: 'scheduled_events',
  },
  { name: 'invitee', description: 'ID of the invitee', collection: 'invitees' },
];

interface Named {
  path: Record<string, string>;
  /** The invitee without its event, as given. The service can't show it again then. */
  bare?: string | undefined;
  /** A single ID for `--undo`, which is taken for that of an event. */
  undone?: string | undefined;
}

/** The invitee that the arguments name. A bare ID or a URI without the event is enough for a new mark. */
const inviteeInput = (args: Argument[]): Input<Named> => ({
  flags: [],
  arguments: args,
  draft: async (call, how) => {
    const { event, invitee, undo } = how.given;
    const only = String(event ?? '');
    const isOfEvent = !readId(only, invitees.get.path, 'invitee').ok || (undo === true && isPlainId(only));
    if (event !== undefined && invitee === undefined && isOfEvent) {
      const finish = await requestInput(invitees.list, []).draft(call, how);
      const undone = isPlainId(only) ? only : undefined;
      return async (context) => ({ path: (await finish(context)).request.path!, undone });
    }
    const fullId = invitee === undefined && undo !== true ? readId(only, invitees.get.path, 'invitee') : undefined;
    const bare = fullId?.ok && fullId.ids.length === 1 ? only : undefined;
    const operation = bare === undefined ? invitees.get : invitees['no-show'];
    const finish = await requestInput(operation, []).draft(
      call,
      bare === undefined ? how : withGiven(how, { invitee: bare }),
    );
    return async (context) => ({ path: (await finish(context)).request.path!, bare });
  },
});

export const noShowInput = (args: Argument[]) =>
  both(input({ undo: toggle('take the mark back') }), inviteeInput(args));

export const runNoShow = async (
  { undo: isUndone, path: named, bare: givenBare, undone }: Named & { undo: boolean },
  { context }: Call,
  view: View,
): Promise<Reply> => {
  const client = await context.client();
  const isAlone = givenBare !== undefined && isPlainId(givenBare) && (await isEvent(client, named.invitee!));
  const event = isAlone ? named.invitee! : named.event;
  const isByEvent = isAlone || named.invitee === undefined;
  const path = isByEvent ? await onlyInvitee(client, event!, isUndone).catch(withEventFirst(undone)) : named;
  if (isUndone) return undo(path, context, view);
  const bare = isAlone ? undefined : givenBare;
  const isBare = bare !== undefined;
  const input = { path: { invitee: path.invitee! }, known: isBare ? {} : { event: path.event! } };
  const read = () => client.call(invitees.get, { path });
  const send = async (): Promise<Answer> => {
    const record = await changeOrReadBack<SentInvitee>(context, {
      send: () => client.write(invitees['no-show'], input),
      read: isBare ? undefined : read,
      isDone: isMarked,
      // Without its event, the invitee's URI is unknown.
      fallback: () => (isBare ? {} : knownRecord(context, invitees.get, path)),
    }).catch((error: unknown) => {
      // Assumed (invitees.no-show-conflict): a 409 to a no-show means that the invitee is already marked.
      if (isBare && hasCategory(error, 'conflict')) return withFacts<SentInvitee>({}, { already: true });
      throw error;
    });
    const done = isAlready(record) ? 'already marked' : 'marked';
    const log = `${done} as no-show: ${recordTitle(record, path.invitee!)}`;
    const undo = undoLine(context, record);
    // Without its event, nothing is known of the invitee.
    return { kind: 'record', view, record, done: { log, undo, ...(undo === undefined && { saysAll: true }) } };
  };
  const requests = (): Requests => ({ operation: invitees['no-show'], inputs: [input] });
  if (isBare) return plan({ requests, send });
  return plan({
    requests,
    check: read,
    read: (reader) => questionOf(context, client, path, reader),
    question: (question) => question,
    send,
  });
};
