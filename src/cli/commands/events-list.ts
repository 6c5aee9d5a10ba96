import { events, ScheduledEvent } from '../../api/events.ts';
import { reference } from '../../api/field.ts';
import { windowIn } from '../../api/window.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { SchedError } from '../../errors.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import { isObject, type Json, recordsIn } from '../../json.ts';
import { fold } from '../../nearest.ts';
import { idIn } from '../../uri.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { fillScope, scopeOf } from '../operation/default-scope.ts';
import { type FieldFlag, fieldFlags, rowFlag } from '../operation/field-flags.ts';
import { type GenericCommand, printRequests, runListing } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { isForPeople, readBounds, type Scope, type Stage } from '../operation/listing.ts';
import type { FilterSupport } from '../scheduling/filter-support.ts';
import { windowFlags } from '../scheduling/window-flags.ts';
import type { Context } from '../session/context.ts';
import {
  addColors,
  addInvitees,
  addPeople,
  inviteeRows,
  onlyWith,
  readInvitees,
  readQuestions,
  readRows,
  readWith,
  rowsFlag,
  rowsNote,
  shortPage,
  withFlag,
  withInviteeRows,
  withInvitees,
  withNote,
} from './event-invitees.ts';

/** The service can't filter events by type, but each row shows it, so `sched` filters the rows. */
export const typeFlag = rowFlag('event_type', reference('event_types', 'only events of this type, by name, ID or URI'));

const searchFlag: Flag = {
  name: 'search',
  value: 'TEXT',
  description: 'text in name, location, hosts or notes, and in invitees if they are read; ignores case and accents',
  heading: 'Filters',
};

const readSearch = ({ typed, problems }: Invocation): string | undefined => {
  if (typed.search === undefined) return undefined;
  const text = fold(String(typed.search));
  if (text === '') problems.add('--search needs some text to search for');
  return text;
};

/** The searchable text of an event. */
const wordsOf = (event: Json): string => {
  const { name, location, event_memberships: hosts, meeting_notes_plain: notes } = event;
  return fold(
    [
      name,
      ...(isObject(location) ? [location.type, location.location] : []),
      ...recordsIn(hosts).map((host) => host.user_name),
      notes,
      ...readInvitees(event).flatMap((invitee) => [invitee.name, invitee.email]),
    ]
      .filter((text) => typeof text === 'string')
      .join('\n'),
  );
};

/** One stage after another, or undefined if there is none. */
const inOrder = (...stages: (Stage | undefined)[]): Stage | undefined => {
  const all = stages.filter((stage) => stage !== undefined);
  if (all.length === 0) return undefined;
  return async (page) => {
    let rows = page;
    for (const stage of all) rows = await stage(rows);
    return rows;
  };
};

/**
 * Checks whether the service supports the filters that rows don't show, and returns a local filter if it doesn't.
 * `isOfGroup` says that the group is the argument of the command, which can't do without it.
 */
export const settleFilters = async (context: Context, query: Query, isOfGroup = false) => {
  const { supportsFilter } = await import('../scheduling/filter-support.ts');
  const verdicts: FilterSupport[] = [];
  let choose: Stage | undefined;
  const { group, invitee_email: email, user, organization } = query;
  const whose = { ...(user === undefined ? {} : { user }), ...(organization === undefined ? {} : { organization }) };
  if (group !== undefined) {
    // A service without a group filter may need user or organization, or it would refuse the request that checks this.
    const isUnsaid = user === undefined && organization === undefined;
    const own = isUnsaid ? await readIfPossible(() => context.identity.organization()) : undefined;
    const verdict = await supportsFilter(context, 'group', own === undefined ? whose : { organization: own });
    verdicts.push(verdict);
    if (!verdict.supported) {
      throw new SchedError('unavailable', "The service can't filter events by group", {
        reason: "it returns events even for a group that can't exist",
        ...(isOfGroup
          ? {
              advice: [
                'list the events of each member instead: ',
                { command: ['events', 'list'], flags: { user: 'MEMBER' } },
              ],
              hint: { command: ['groups', 'members', idIn(group)] },
            }
          : { hint: { flags: { group: false, ...(isUnsaid ? { org: 'current' } : {}) } } }),
        outcome: 'not-applied',
      });
    }
  }
  if (email !== undefined) {
    const verdict = await supportsFilter(context, 'invitee_email', {
      ...whose,
      ...(group === undefined ? {} : { group }),
    });
    verdicts.push(verdict);
    if (!verdict.supported) {
      delete query.invitee_email;
      context.notes.info("The service can't filter events by invitee, so sched reads the invitees of each event");
      choose = onlyWith(context, String(email));
    }
  }
  return { choose, confirm: verdicts.flatMap((verdict) => verdict.confirm ?? []) };
};

/** Notes, for `--dry-run` and `--curl`, what the printed request leaves out. */
const noteRest = ({ context, typed }: Invocation, isWith: boolean): void => {
  const here = ['event-type', 'search'].filter((name) => typed[name] !== undefined).map((name) => `--${name}`);
  if (here.length > 0) context.notes.info(`${here.join(' and ')}: not part of the request, applied to its reply`);
  if (isWith) context.notes.info('--with invitees: for each event GET /scheduled_events/{event}/invitees');
};

/** A list without a time window starts today. */
const scopeFor = (whose: string | undefined, isFromToday: boolean): Scope => {
  const { rows, hints = [] } = scopeOf(events.list, whose);
  const empty = `No events${whose === 'your events' ? ' in your calendar' : ''} for these days`;
  return isFromToday
    ? { rows, since: ' from today on', hints: ['Earlier: --past', ...hints], empty }
    : { rows, hints, empty };
};

/** The filters of commands that change active events which have not begun. */
export const choosingFields = fieldFlags(events.list).filter(({ name }) => !['status', 'sort'].includes(name));
export const choosingFlags: Flag[] = [
  ...windowFlags.flags.filter(({ name }) => !['past', 'any-time'].includes(name)),
  typeFlag,
  searchFlag,
  ...choosingFields,
];

/** Which events a command is about: the query, and what only sched can filter by. */
const readFilters = async (
  invocation: Invocation,
  fieldFlags: readonly FieldFlag[],
  { isOfGroup = false, isSearchedLater = false } = {},
) => {
  const { context } = invocation;
  const { window, isFromToday } = await windowFlags.read(invocation);
  const search = readSearch(invocation);
  const input = await readInput(invocation, events.list, [...fieldFlags, typeFlag]);
  const { event_type: type } = input.rows!;
  const query: Query = { ...input.query!, ...window };
  const rows = await fillScope(events.list, { query }, context);
  const tests: ((row: Json) => boolean)[] = [
    ...(type === undefined ? [] : [(row: Json) => idIn(row.event_type) === idIn(type)]),
    ...(search === undefined || isSearchedLater ? [] : [(row: Json) => wordsOf(row).includes(search)]),
  ];
  return {
    query,
    rows,
    isFromToday,
    search,
    keep: tests.length === 0 ? undefined : (row: Json) => tests.every((test) => test(row)),
    settle: () => settleFilters(context, query, isOfGroup),
  };
};

/** All active events that the filters choose. */
export const chosenEvents = async (invocation: Invocation, fieldFlags: readonly FieldFlag[]): Promise<Json[]> => {
  const { query, keep = () => true, settle } = await readFilters(invocation, fieldFlags);
  Object.assign(query, { status: 'active', sort: 'start_time:asc' });
  const { since = '', until } = windowIn(query);
  if (until !== undefined && until <= since) return [];
  const { choose = async (rows) => rows } = await settle();
  const asked = rowFilter(events.list, query);
  const client = await invocation.context.client();
  return choose(await gather(client.pages(events.list, { query }, { keep: (row) => asked(row) && keep(row) })));
};

export const runEventsList = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const bounds = readBounds(invocation);
  const isRows = readRows(invocation);
  const isWith = readWith(invocation) || isRows;
  const how = { isOfGroup: command.arguments.length > 0, isSearchedLater: isWith };
  const { query, rows, isFromToday, search, keep, settle } = await readFilters(invocation, command.fieldFlags, how);
  const { dryRun } = context.settings;
  if (dryRun) noteRest(invocation, isWith);

  const { choose, confirm } = dryRun ? { choose: undefined, confirm: [] } : await settle();
  const isSlow = isWith || choose !== undefined;
  const pageSize = isSlow && typed['page-size'] === undefined ? Math.min(bounds.pageSize, shortPage) : bounds.pageSize;
  // A search looks at invitees too, and a row per invitee counts for --limit: both need them before the rows are counted.
  const isEarly = isWith && (isRows || search !== undefined);
  const { format, fields: chosen } = context.settings;
  const isScreen = isForPeople(context) && chosen === undefined && !isRows && !dryRun;
  const needsQuestions = isRows && format === 'csv' && chosen === undefined && !dryRun;
  const questions = needsQuestions ? await readQuestions(context, query) : [];
  const plainView = isWith ? withInvitees(command.view) : command.view;
  const found: Stage | undefined =
    search === undefined ? undefined : async (page) => page.filter((row) => wordsOf(row).includes(search));
  const people = isWith ? addInvitees(context) : isScreen ? addPeople(context) : undefined;
  await runListing(context, {
    operation: events.list,
    view: isRows ? withInviteeRows(command.view, questions) : plainView,
    input: { query },
    bounds: { ...bounds, pageSize },
    scope: scopeFor(rows, isFromToday),
    keep,
    choose: isEarly ? inOrder(choose, people, found, isRows ? inviteeRows : undefined) : choose,
    add: inOrder(isEarly ? undefined : people, isScreen ? addColors(context, query) : undefined),
  });
  if (context.printer.rows > 0) for (const tell of confirm) await tell();
};

const fields = [...Object.keys(ScheduledEvent.record.shape), '_sched'];

export const localFilterNote =
  'The service has no filters for --event-type and --search, so sched applies them to its reply.';

/** Adds the flags that help to find an event. */
export const withSearch = (generic: GenericCommand): GenericCommand => ({
  ...generic,
  calendar: true,
  flags: [...windowFlags.flags, typeFlag, searchFlag, ...generic.flags, withFlag, rowsFlag],
  fields,
  notes: [
    'A table on a terminal starts today, unless a flag chooses other times: --past for earlier events, --any-time for all. --all shows more rows, but keeps these times. Pipes and other formats always get all events.',
    '--today, --tomorrow and --week are days in the time zone of --tz. You can combine them with --upcoming or --past (the rest of today: --today --upcoming), but not with --since and --until.',
    `${localFilterNote} If the service ignores --invitee, sched reads the invitees of each event.`,
    withNote,
    rowsNote,
  ],
  run: (invocation) => runEventsList(generic, invocation),
});

const runGet = async (generic: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const isWith = readWith(invocation);
  if (!isWith && (!context.printer.showsPages || context.settings.dryRun)) return generic.run(invocation);
  const input = await readInput(invocation, events.get, []);
  const client = await context.client();
  if (context.settings.dryRun) {
    const { invitees } = await import('../../api/invitees.ts');
    const requests = [client.prepare(events.get, input), client.prepare(invitees.list, input)];
    return printRequests(context, await Promise.all(requests));
  }
  const event = await client.call(events.get, input);
  const read = () => addInvitees(context)([event]);
  // A page names the people even if nobody asked for them, as long as they can be read.
  const [row = event] = (isWith ? await read() : await readIfPossible(read)) ?? [];
  await context.printer.one(withInvitees(generic.view), row);
};

/** Adds `--with` to a command that reads an event. */
export const withInviteesFlag = (generic: GenericCommand): Command => ({
  ...generic,
  calendar: true,
  flags: [...generic.flags, withFlag],
  fields,
  run: (invocation) => runGet(generic, invocation),
});
