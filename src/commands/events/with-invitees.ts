import type { SentEventType } from '../../api/event-types.ts';
import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { limits } from '../../api/limits.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject, recordsIn } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { Stage } from '../../cli/answer/answer.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { valueAt } from '../../output/fields.ts';
import { answersText, csvQuestionColumns } from '../../output/question-columns.ts';
import type { Column, View } from '../../output/view.ts';
import { inviteesOf } from './read-invitees.ts';

/** Page size with invitees: a page token may expire while they are read, so these pages are short. */
export const shortPage = 25;

/** How many requests it takes to read the invitees of an event. */
export const requestsForInvitees = ({ invitees_counter: counter }: SentEvent): number => {
  const total = isObject(counter) ? counter.total : undefined;
  return typeof total === 'number' ? Math.ceil(total / limits.pageSize.max) : 1;
};

/** The invitees of an event, if `addInvitees` has added them. Sends nothing. */
export const addedInvitees = (event: object): SentInvitee[] =>
  (event as { _sched?: { invitees?: SentInvitee[] } })._sched?.invitees ?? [];

export const addInvitees =
  (context: Context): Stage =>
  (page) =>
    mapConcurrent(page, async (event) => withFacts(event, { invitees: await inviteesOf(context, event) }));

/** More rows than anybody reads. Their people cost a request each, so they are only read if asked for. */
const mostRows = 50;

/** How often a list is drawn again while the names of its people arrive. */
const redrawMs = 1000;

/** The event types of the users whose events are listed. */
export const readTypes = async (context: Context, scope: Query): Promise<SentEventType[]> => {
  const { eventTypes } = await import('../../api/event-types.ts');
  const client = await context.client();
  const query = Object.fromEntries(Object.entries(scope).filter(([name]) => ['user', 'organization'].includes(name)));
  return gather(client.pages(eventTypes.list, { query }));
};

/** Loaded late, because help needs no network. */
const hasRoom = async (context: Context, requests: number): Promise<boolean> =>
  (await import('../../cli/session/network.ts')).hasRoom(context, requests);

/** Adds the colors of the event types, for a screen with color. They only help, so nothing fails without them. */
export const addColors =
  (context: Context, query: Query, read = () => readTypes(context, query)): Stage =>
  async (page) => {
    if (context.settings.color === undefined || !(await hasRoom(context, 1))) return page;
    const types = await readIfPossible(read);
    context.runtime.interrupted.throwIfAborted();
    const colors = new Map(types?.map(({ uri, color }) => [idIn(uri), color]));
    return page.map((event) =>
      withFacts(event, { ...(event._sched as object), color: colors.get(idIn(event.event_type)) ?? null }),
    );
  };

/** Adds the people who come to an event, if they can be read. */
export const withPeople = async (context: Context, event: SentEvent): Promise<SentEvent> => {
  const invitees = await readIfPossible(() => inviteesOf(context, event));
  context.runtime.interrupted.throwIfAborted();
  return invitees === undefined ? event : withFacts(event, { invitees });
};

/**
 * Adds the people who come to the first events, for a screen, as far as the rate limit has room: nobody waits for names.
 * `later` takes what to say about the other events below the list.
 */
export const addPeople = (context: Context, later: (note: Sentence) => void): Stage => {
  let left = mostRows;
  let isTold = false;
  const tell = (note: Sentence): void => {
    if (!isTold) later(note);
    isTold = true;
  };
  return async (page, draft) => {
    const first = page.slice(0, left);
    if (!(await hasRoom(context, first.length))) {
      tell(words`To see who comes: ${the('with')} invitees (few requests are left)`);
      return page;
    }
    left -= first.length;
    if (first.length < page.length)
      tell(words`Names are shown for the first ${mostRows} events. For all: ${the('with')} invitees`);
    const rows = [...page];
    const { clock } = context.runtime;
    let drawnAt = clock.now();
    await mapConcurrent([...first.entries()], async ([index, event]) => {
      rows[index] = await withPeople(context, event);
      // To draw a list takes longer than a fast service needs for a name.
      if (clock.now() - drawnAt < redrawMs) return;
      drawnAt = clock.now();
      await draft?.(rows);
    });
    return rows;
  };
};

/** Filters by invitee for a service that ignores `invitee_email`. */
export const onlyWith =
  (context: Context, email: string): Stage =>
  async (page) => {
    const lists = await mapConcurrent(page, (event) => inviteesOf(context, event, { email }));
    return page.filter((_, index) => lists[index]!.length > 0);
  };

/** The names of an event's invitees. The count beside them covers active ones only, so canceled ones are marked. */
const inviteeLabels = (event: object): string[] =>
  addedInvitees(event).map(({ name, email, status }) => {
    const label = String(name ?? email ?? '');
    return status === 'canceled' ? `${label} (canceled)`.trimStart() : label;
  });

export const withInvitees = (view: View): View => ({
  ...view,
  columns: [
    // Beside the names, the hosts say more than the number of invitees.
    ...view.columns.map((column) => (column.as === 'count' ? { ...column, priority: 0.5 } : column)),
    { header: 'WHO', path: '_sched.invitees.*.name', as: 'list', priority: 3.5, least: 14, value: inviteeLabels },
  ],
  tableColumns: (records, room) =>
    view.tableColumns!(records, room).map((column) =>
      column.path === '_sched.invitees.*.name' ? { ...column, as: 'list', value: inviteeLabels } : column,
    ),
});

/** One row per invitee, with the fields of the event. An event without invitees keeps its row. */
export const inviteeRows: Stage = async (page) =>
  page.flatMap((event) => {
    const invitees = addedInvitees(event);
    return invitees.length === 0 ? [event] : invitees.map((invitee) => withFacts(event, { invitee }));
  });

const inviteeIn = (row: object): object => {
  const invitee = valueAt(row, '_sched.invitee');
  return isObject(invitee) ? invitee : {};
};

/** A column for each question of the event types whose events are listed, for a CSV file. */
export const questionColumnsOf = async (context: Context, scope: Query): Promise<readonly Column[]> => {
  try {
    const types = await readTypes(context, scope);
    const questions = types.flatMap((type) => recordsIn(type.custom_questions));
    return csvQuestionColumns(questions, inviteeIn);
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found', 'usage')) throw error;
    context.notes.info(`No column per question: ${error.message}`);
    return [];
  }
};

export const withInviteeRows = ({ page, columns }: View): View => ({
  page,
  columns: [
    ...columns,
    { header: 'INVITEE', path: '_sched.invitee.name', priority: 4.5 },
    { header: 'EMAIL', path: '_sched.invitee.email', priority: 2.5 },
    { header: 'INVITEE STATUS', path: '_sched.invitee.status', as: 'status', priority: 3.5 },
    { header: 'TIME ZONE', path: '_sched.invitee.timezone', priority: 0.5 },
    { header: 'BOOKED', path: '_sched.invitee.created_at', as: 'time', priority: 0.5 },
    { header: 'INVITEE ID', path: '_sched.invitee.uri', as: 'id', priority: 0.4 },
    {
      header: 'ANSWERS',
      path: '_sched.invitee.questions_and_answers',
      value: (row) => answersText(inviteeIn(row)),
      priority: 0.3,
    },
  ],
});
