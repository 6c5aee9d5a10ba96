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
import { entry } from '../input/entry.ts';
import { both, type Input, input, readCall, readSome, related, type Values } from '../input/input.ts';
import { accept, type Kind, refuse } from '../input/kind.ts';
import { self, words } from '../input/words.ts';
import { fillScope, scopeOf } from '../operation/default-scope.ts';
import { type FieldFlag, fieldFlags, rowFlag } from '../operation/field-flags.ts';
import { type GenericCommand, printRequests, runListing } from '../operation/generic-command.ts';
import { readInput, requestInput, type TypedInput } from '../operation/input.ts';
import { type Bounds, isForPeople, listInput, type Scope, type Stage } from '../operation/listing.ts';
import type { FilterSupport } from '../scheduling/filter-support.ts';
import { type WindowInput, windowEntries, windowOf, windowsApart } from '../scheduling/window-input.ts';
import type { Context } from '../session/context.ts';
import {
  addColors,
  addInvitees,
  addPeople,
  inviteeRows,
  inviteesInput,
  onlyWith,
  readInvitees,
  readQuestions,
  rowsNote,
  shortPage,
  withEntry,
  withInviteeRows,
  withInvitees,
  withNote,
} from './event-invitees.ts';

/** The service can't filter events by type, but each row shows it, so `sched` filters the rows. */
export const typeFlag = rowFlag('event_type', reference('event_types', 'only events of this type, by name, ID or URI'));

/** Text to search for, without case and accents. */
const searchKind: Kind<string> = {
  value: 'TEXT',
  json: 'string',
  isProse: true,
  read: (raw) => {
    const text = fold(String(raw));
    return text === '' ? refuse(words`${self} needs some text to search for`) : accept(text);
  },
};

const filterEntries = {
  search: entry(
    searchKind,
    'text in name, location, hosts or notes, and in invitees if they are read; ignores case and accents',
    { heading: 'Filters' },
  ),
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
const noteRest = ({ notes }: Context, { request, search }: EventFilters, isWith: boolean): void => {
  const here = [
    ...(request.rows?.event_type === undefined ? [] : ['--event-type']),
    ...(search === undefined ? [] : ['--search']),
  ];
  if (here.length > 0) notes.info(`${here.join(' and ')}: not part of the request, applied to its reply`);
  if (isWith) notes.info('--with invitees: for each event GET /scheduled_events/{event}/invitees');
};

/** A list without a time window starts today. */
const scopeFor = (whose: string | undefined, isFromToday: boolean): Scope => {
  const { rows, hints = [] } = scopeOf(events.list, whose);
  const empty = `No events${whose === 'your events' ? ' in your calendar' : ''} for these days`;
  return isFromToday
    ? { rows, since: ' from today on', hints: ['Earlier: --past', ...hints], empty }
    : { rows, hints, empty };
};

/** Which events a command is about: the request, and what only sched can filter by. */
export type EventFilters = Partial<WindowInput & Values<typeof filterEntries>> & { request: TypedInput };

const ownFilters = { ...windowEntries, ...filterEntries };

/** The filters of commands that change active events which have not begun. */
const { past: _, anyTime: __, ...aheadFilters } = ownFilters;
const choosingFields = [typeFlag, ...fieldFlags(events.list).filter(({ name }) => !['status', 'sort'].includes(name))];
export const choosingInput: Input<EventFilters> = related(
  both(input(aheadFilters), requestInput(events.list, choosingFields)),
  windowsApart,
);

/** In the order of help: windows, type, search, and the fields of the request. */
const inHelp = (own: readonly Flag[], rest: readonly Flag[]): Flag[] => [
  ...own.filter(({ name }) => name !== 'search'),
  typeFlag,
  ...own.filter(({ name }) => name === 'search'),
  ...rest.filter(({ name }) => name !== typeFlag.name),
];

export const choosingFlags: Flag[] = inHelp(input(aheadFilters).flags, choosingFields);

/** The query of the filters, and tests for what only sched can filter by. */
const filtersOf = async (
  context: Context,
  { request, search, ...window }: EventFilters,
  { isOfGroup = false, isSearchedLater = false } = {},
) => {
  const { event_type: type } = request.rows!;
  const chosen = await windowOf(context, window, request.query!);
  const query: Query = { ...request.query!, ...chosen.window };
  const rows = await fillScope(events.list, { query }, context);
  const tests: ((row: Json) => boolean)[] = [
    ...(type === undefined ? [] : [(row: Json) => idIn(row.event_type) === idIn(type)]),
    ...(search === undefined || isSearchedLater ? [] : [(row: Json) => wordsOf(row).includes(search)]),
  ];
  return {
    query,
    rows,
    isFromToday: chosen.isFromToday,
    keep: tests.length === 0 ? undefined : (row: Json) => tests.every((test) => test(row)),
    settle: () => settleFilters(context, query, isOfGroup),
  };
};

/** All active events that the filters choose. */
export const chosenEvents = async (context: Context, filters: EventFilters): Promise<Json[]> => {
  const { query, keep = () => true, settle } = await filtersOf(context, filters);
  Object.assign(query, { status: 'active', sort: 'start_time:asc' });
  const { since = '', until } = windowIn(query);
  if (until !== undefined && until <= since) return [];
  const { choose = async (rows) => rows } = await settle();
  const asked = rowFilter(events.list, query);
  const client = await context.client();
  return choose(await gather(client.pages(events.list, { query }, { keep: (row) => asked(row) && keep(row) })));
};

const eventsListInput = (fields: readonly FieldFlag[]) =>
  both(
    both(listInput, inviteesInput),
    related(both(input(ownFilters), requestInput(events.list, [typeFlag, ...fields])), windowsApart),
  );

type EventsListInput = EventFilters & Bounds & { with: 'invitees' | undefined; rows: 'invitees' | undefined };

const listEvents = async (
  command: GenericCommand,
  { limit, all, pageSize: size, with: what, rows: perInvitee, ...filters }: EventsListInput,
  context: Context,
): Promise<void> => {
  const isRows = perInvitee !== undefined;
  const isWith = what !== undefined || isRows;
  const { search } = filters;
  const how = { isOfGroup: command.arguments.length > 0, isSearchedLater: isWith };
  const { query, rows, isFromToday, keep, settle } = await filtersOf(context, filters, how);
  const { dryRun } = context.settings;
  if (dryRun) noteRest(context, filters, isWith);

  const { choose, confirm } = dryRun ? { choose: undefined, confirm: [] } : await settle();
  const isSlow = isWith || choose !== undefined;
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
    bounds: { limit, all: all === true, pageSize: size ?? (isSlow ? shortPage : undefined) },
    scope: scopeFor(rows, isFromToday),
    keep,
    choose: isEarly ? inOrder(choose, people, found, isRows ? inviteeRows : undefined) : choose,
    add: inOrder(isEarly ? undefined : people, isScreen ? addColors(context, query) : undefined),
  });
  if (context.printer.rows > 0) for (const tell of confirm) await tell();
};

export const runEventsList = async (command: GenericCommand, invocation: Invocation): Promise<void> =>
  listEvents(command, await readCall(eventsListInput(command.fieldFlags), invocation), invocation.context);

const fields = [...Object.keys(ScheduledEvent.record.shape), '_sched'];

export const localFilterNote =
  'The service has no filters for --event-type and --search, so sched applies them to its reply.';

/** Adds the flags that help to find an event. */
export const withSearch = (generic: GenericCommand): GenericCommand => ({
  ...generic,
  calendar: true,
  flags: [...inHelp(input(ownFilters).flags, generic.flags), ...inviteesInput.flags],
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

const getInput = input(withEntry);

const runGet = async (generic: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const isWith = (await readSome(getInput, invocation)).with !== undefined;
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
  flags: [...generic.flags, ...getInput.flags],
  fields,
  run: (invocation) => runGet(generic, invocation),
});
