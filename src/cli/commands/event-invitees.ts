import { limits } from '../../api/limits.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { hasCategory } from '../../errors.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import { isObject, type Json, recordsIn } from '../../json.ts';
import { valueAt } from '../../output/fields.ts';
import { answersText, csvQuestionColumns } from '../../output/question-columns.ts';
import type { View } from '../../output/view.ts';
import { idIn } from '../../uri.ts';
import { input } from '../input/input.ts';
import { choice } from '../input/kinds.ts';
import { rule } from '../input/relations.ts';
import { the, words } from '../input/words.ts';
import type { Stage } from '../operation/listing.ts';
import { withFacts } from '../operation/write-result.ts';
import { inviteesOf } from '../scheduling/read-invitees.ts';
import type { Context } from '../session/context.ts';

export const withEntry = {
  with: choice(['invitees'], 'include with each event', { value: 'WHAT', heading: 'Output' }),
};

const rowFormats = ['csv', 'tsv', 'table'];

/** One row per invitee has no place in a format for records. */
const rowsInFormat = rule(['rows'], (isGiven, { settings: { format } }) =>
  isGiven('rows') && !rowFormats.includes(format)
    ? [
        {
          words: words`${the('rows')} only works with -o csv, tsv or table, not with ${format}. Use ${the('with')} invitees`,
        },
      ]
    : [],
);

/** How a list shows the invitees of its events. */
export const inviteesInput = input(
  {
    ...withEntry,
    rows: choice(['invitees'], 'one row per invitee instead of one per event (csv, tsv, table)', {
      value: 'WHAT',
      heading: 'Output',
    }),
  },
  rowsInFormat,
);

/** Page size with invitees: a page token may expire while they are read, so these pages are short. */
export const shortPage = 25;

/** How many requests it takes to read the invitees of an event. */
export const requestsFor = ({ invitees_counter: counter }: Json): number => {
  const total = isObject(counter) ? counter.total : undefined;
  return typeof total === 'number' ? Math.ceil(total / limits.pageSize.max) : 1;
};

/** The invitees of an event, if they were read. */
export const readInvitees = (event: object): Json[] =>
  (event as { _sched?: { invitees?: Json[] } })._sched?.invitees ?? [];

export const addInvitees =
  (context: Context): Stage =>
  (page) =>
    mapConcurrent(page, async (event) => withFacts(event, { invitees: await inviteesOf(context, event) }));

/** More rows than anybody reads. Their people cost a request each, so they are only read if asked for. */
const mostRows = 50;

/** The event types of the users whose events are listed. */
const readTypes = async (context: Context, scope: Query): Promise<Json[]> => {
  const { eventTypes } = await import('../../api/event-types.ts');
  const client = await context.client();
  const query = Object.fromEntries(Object.entries(scope).filter(([name]) => ['user', 'organization'].includes(name)));
  return gather(client.pages(eventTypes.list, { query }));
};

/** Loaded late, because help needs no network. */
const hasRoom = async (context: Context, requests: number): Promise<boolean> =>
  (await import('../session/network.ts')).hasRoom(context, requests);

/** Adds the colors of the event types, for a screen with color. They only help, so nothing fails without them. */
export const addColors =
  (context: Context, query: Query): Stage =>
  async (page) => {
    if (context.settings.color === undefined || !(await hasRoom(context, 1))) return page;
    const types = await readIfPossible(() => readTypes(context, query));
    context.runtime.interrupted.throwIfAborted();
    const colors = new Map(types?.map(({ uri, color }) => [idIn(uri), color]));
    return page.map((event) =>
      withFacts(event, { ...(event._sched as object), color: colors.get(idIn(event.event_type)) ?? null }),
    );
  };

/** Adds the people who come to an event, if they can be read. */
export const withPeople = async (context: Context, event: Json): Promise<Json> => {
  const invitees = await readIfPossible(() => inviteesOf(context, event));
  context.runtime.interrupted.throwIfAborted();
  return invitees === undefined ? event : withFacts(event, { invitees });
};

/** Adds the people who come, for a screen, as far as the rate limit has room: nobody waits for names. */
export const addPeople =
  (context: Context): Stage =>
  async (page) => {
    const isShort = page.length <= mostRows;
    if (isShort && (await hasRoom(context, page.length)))
      return mapConcurrent(page, (event) => withPeople(context, event));
    const why = isShort ? 'few requests are left' : 'one request per event';
    context.notes.footer(`To see who comes: --with invitees (${why})`);
    return page;
  };

/** Filters by invitee for a service that ignores `invitee_email`. */
export const onlyWith =
  (context: Context, email: string): Stage =>
  async (page) => {
    const found = await mapConcurrent(page, (event) => inviteesOf(context, event, { email }));
    return page.filter((_, index) => found[index]!.length > 0);
  };

/** The names of an event's invitees. The count beside them covers active ones only, so canceled ones are marked. */
const inviteeNames = (event: object): string[] =>
  readInvitees(event).map(({ name, email, status }) => {
    const shown = String(name ?? email ?? '');
    return status === 'canceled' ? `${shown} (canceled)`.trimStart() : shown;
  });

export const withInvitees = (view: View): View => ({
  ...view,
  columns: [
    // Beside the names, the hosts say more than the number of invitees.
    ...view.columns.map((column) => (column.as === 'count' ? { ...column, priority: 0.5 } : column)),
    { header: 'WHO', path: '_sched.invitees.*.name', as: 'list', priority: 3.5, least: 14, value: inviteeNames },
  ],
  tableColumns: (records, room) =>
    view.tableColumns!(records, room).map((column) =>
      column.path === '_sched.invitees.*.name' ? { ...column, as: 'list', value: inviteeNames } : column,
    ),
});

/** One row per invitee, with the fields of the event. An event without invitees keeps its row. */
export const inviteeRows: Stage = async (page) =>
  page.flatMap((event) => {
    const invitees = readInvitees(event);
    return invitees.length === 0 ? [event] : invitees.map((invitee) => withFacts(event, { invitee }));
  });

/** The questions of the event types whose events are listed, for the columns of a CSV file. */
export const readQuestions = async (context: Context, scope: Query): Promise<Json[]> => {
  try {
    return (await readTypes(context, scope)).flatMap((type) => recordsIn(type.custom_questions));
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found', 'usage')) throw error;
    context.notes.info(`No column per question: ${error.message}`);
    return [];
  }
};

const inviteeIn = (row: object): object => {
  const invitee = valueAt(row, '_sched.invitee');
  return isObject(invitee) ? invitee : {};
};

export const withInviteeRows = ({ page, columns }: View, questions: readonly Json[]): View => ({
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
    ...csvQuestionColumns(questions, inviteeIn),
  ],
});

export const withNote =
  '--with invitees reads the invitees of each event, four events at a time within the rate limit. A table shows the names of all of them, with canceled ones marked; without this flag, a terminal shows the first name as far as the rate limit has room. In a pipe the names are the last column (_sched.invitees.*.name). JSON has the complete records in _sched.invitees.';

export const rowsNote =
  '--rows invitees reads the invitees too and prints one row for each, with the columns of the event first. Then follow name, email, status, time zone, booking time, ID and answers of the invitee (_sched.invitee.*); a csv file then has a column for each question of the event types. Canceled invitees have the status canceled. --limit counts these rows.';
