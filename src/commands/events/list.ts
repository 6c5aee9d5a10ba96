import { events, type SentEvent } from '../../api/events.ts';
import { windowIn } from '../../api/window.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject, recordsIn } from '../../base/json.ts';
import { fold } from '../../base/nearest.ts';
import { idIn } from '../../base/uri.ts';
import { listed, type Sentence, the, words } from '../../base/words.ts';
import type { Listing, Scope, Stage } from '../../cli/answer/answer.ts';
import { mapReply, type Plan, plan, type Reply } from '../../cli/answer/plan.ts';
import { fillScope, scopeOf } from '../../cli/operation/default-scope.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { type OperationInput, runOperation } from '../../cli/operation/run-operation.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { timeLabel } from '../../time/label.ts';
import { utcText } from '../../time/wall.ts';
import type { FoundConflicts } from './conflicts.ts';
import type { FilterSupport } from './filter-support.ts';
import type { EventFilters, EventsListInput } from './input.ts';
import { windowOf } from './window-input.ts';
import {
  addColors,
  addedInvitees,
  addInvitees,
  addPeople,
  inviteeRows,
  onlyWith,
  questionColumnsOf,
  shortPage,
  withInviteeRows,
  withInvitees,
} from './with-invitees.ts';

/** The searchable text of an event. */
const searchableText = (event: SentEvent): string => {
  const { name, location, event_memberships: hosts, meeting_notes_plain: notes } = event;
  return fold(
    [
      name,
      ...(isObject(location) ? [location.type, location.location] : []),
      ...recordsIn(hosts).map((host) => host.user_name),
      notes,
      ...addedInvitees(event).flatMap((invitee) => [invitee.name, invitee.email]),
    ]
      .filter((text) => typeof text === 'string')
      .join('\n'),
  );
};

/** One stage after another, or undefined if there is none. */
const chainStages = (...stages: (Stage | undefined)[]): Stage | undefined => {
  const all = stages.filter((stage) => stage !== undefined);
  if (all.length === 0) return undefined;
  return async (page, draft) => {
    let rows = page;
    for (const stage of all) rows = await stage(rows, draft);
    return rows;
  };
};

/**
 * Checks whether the service supports the filters that rows don't show, and returns a local filter if it doesn't.
 * `isOfGroup` says that the group is the argument of the command, which can't do without it.
 */
export const settleFilters = async (context: Context, query: Query, isOfGroup = false) => {
  const { supportsFilter } = await import('./filter-support.ts');
  const verdicts: FilterSupport[] = [];
  let choose: Stage | undefined;
  const { group, invitee_email: email, user, organization } = query;
  const whose = { ...(user === undefined ? {} : { user }), ...(organization === undefined ? {} : { organization }) };
  if (group !== undefined) {
    // A service without a group filter may need user or organization, or it would refuse the request that checks this.
    const isUnsaid = user === undefined && organization === undefined;
    const ownOrganization = isUnsaid ? await readIfPossible(() => context.identity.organization()) : undefined;
    const verdict = await supportsFilter(
      context,
      'group',
      ownOrganization === undefined ? whose : { organization: ownOrganization },
    );
    verdicts.push(verdict);
    if (!verdict.isSupported) {
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
        isLasting: true,
      });
    }
  }
  if (email !== undefined) {
    const verdict = await supportsFilter(context, 'invitee_email', {
      ...whose,
      ...(group === undefined ? {} : { group }),
    });
    verdicts.push(verdict);
    if (!verdict.isSupported) {
      delete query.invitee_email;
      context.notes.info("The service can't filter events by invitee, so sched reads the invitees of each event");
      choose = onlyWith(context, String(email));
    }
  }
  return { choose, confirm: verdicts.flatMap((verdict) => verdict.confirm ?? []) };
};

/** What the request of --dry-run and --curl leaves out. */
const restOf = ({ request, search, conflicts }: EventsListInput, isWith: boolean): Sentence[] => {
  const here = [
    ...(request.rows?.event_type === undefined ? [] : [the('eventType')]),
    ...(search === undefined ? [] : [the('search')]),
    ...(conflicts ? [the('conflicts')] : []),
  ];
  return [
    ...(here.length > 0 ? [words`${listed(here, 'and')}: not part of the request, applied to its reply`] : []),
    ...(isWith ? [words`${the('with')} invitees: for each event GET /scheduled_events/{event}/invitees`] : []),
  ];
};

/** The next event of these users, for a list that is empty: `Wed 18 Nov 12:00 Consultation`. */
const nextEvent = async (context: Context, { user, organization }: Query): Promise<string | undefined> => {
  const whose = { ...(user === undefined ? {} : { user }), ...(organization === undefined ? {} : { organization }) };
  const query = { ...whose, status: 'active', sort: 'start_time:asc', min_start_time: utcText(context.now()) };
  const pages = (await context.client()).pages(events.list, { query }, { limit: 1, pageSize: 1 });
  const [event] = (await readIfPossible(() => gather(pages))) ?? [];
  const when = event && timeLabel(event.start_time, context.settings.zone, context.now());
  return when && `${when} ${event.name ?? 'event'}`;
};

/** A list without a time window starts today. */
const scopeFor = (whose: string | undefined, isFromToday: boolean): Scope => {
  const { rows, hints = [] } = scopeOf(events.list, whose);
  const empty = `No events${whose === 'your events' ? ' in your calendar' : ''} for these days`;
  return isFromToday
    ? { rows, since: ' from today on', hints: ['Earlier: --past', ...hints], empty }
    : { rows, hints, empty };
};

/** The query of the filters, and tests for what only sched can filter by. */
const readFilters = async (
  context: Context,
  { request, search, ...window }: EventFilters,
  { isOfGroup = false, isSearchedLater = false } = {},
) => {
  const { event_type: type } = request.rows!;
  const chosenWindow = await windowOf(context, window, request.query!);
  const query: Query = { ...request.query!, ...chosenWindow.window };
  const rows = await fillScope(events.list, { query }, context);
  const tests: ((row: SentEvent) => boolean)[] = [
    ...(type === undefined ? [] : [(row: SentEvent) => idIn(row.event_type) === idIn(type)]),
    ...(search === undefined || isSearchedLater ? [] : [(row: SentEvent) => searchableText(row).includes(search)]),
  ];
  return {
    query,
    rows,
    isFromToday: chosenWindow.isFromToday,
    keep: tests.length === 0 ? undefined : (row: SentEvent) => tests.every((test) => test(row)),
    settle: () => settleFilters(context, query, isOfGroup),
  };
};

/** All active events that the filters choose. */
export const chosenEvents = async (context: Context, filters: EventFilters): Promise<SentEvent[]> => {
  const { query, keep = () => true, settle } = await readFilters(context, filters);
  Object.assign(query, { status: 'active', sort: 'start_time:asc' });
  const { since = '', until } = windowIn(query);
  if (until !== undefined && until <= since) return [];
  const { choose = async (rows) => rows } = await settle();
  const matchesQuery = rowFilter(events.list, query);
  const client = await context.client();
  return choose(await gather(client.pages(events.list, { query }, { keep: (row) => matchesQuery(row) && keep(row) })));
};

export const listEvents = async (
  command: GenericCommand,
  { limit, all, pageSize: size, with: what, rows: perInvitee, conflicts, buffers, ...filters }: EventsListInput,
  context: Context,
): Promise<Plan> => {
  const isRows = perInvitee !== undefined;
  const isWith = what !== undefined || isRows;
  const { search } = filters;
  const how = { isOfGroup: command.arguments.length > 0, isSearchedLater: isWith };
  const { query, rows, isFromToday, keep, settle } = await readFilters(context, filters, how);
  if (conflicts) query.status = 'active';
  // A search looks at invitees too, and a row per invitee counts for --limit: both need them before the rows are counted.
  const isEarly = isWith && (isRows || search !== undefined);
  const plainView = isWith ? withInvitees(command.view) : command.view;
  const searchStage: Stage | undefined =
    search === undefined ? undefined : async (page) => page.filter((row) => searchableText(row).includes(search));
  const scope = scopeFor(rows, isFromToday);
  const searchHints = isWith ? [] : ['To search people too: --with invitees'];
  const notesBelow: Sentence[] = [];
  const people = isWith ? addInvitees(context) : undefined;
  const added = isEarly ? undefined : people;
  const listingOf = (choose?: Stage, found?: FoundConflicts): Listing => {
    const isSlow = isWith || choose !== undefined;
    return {
      operation: events.list,
      view: isRows ? withInviteeRows(command.view) : (found?.withColumn(plainView) ?? plainView),
      input: { query },
      bounds: { limit, all: all === true, pageSize: size ?? (isSlow ? shortPage : undefined) },
      scope: {
        ...scope,
        ...(search !== undefined && { empty: 'No events match', hints: [...searchHints, ...(scope.hints ?? [])] }),
        ...(found && { empty: 'No conflicts' }),
        next: !isRows && !found && search === undefined ? () => nextEvent(context, query) : undefined,
      },
      keep: found === undefined ? keep : (row) => found.has(row) && (keep?.(row) ?? true),
      choose: isEarly ? chainStages(choose, people, searchStage, isRows ? inviteeRows : undefined) : choose,
      add: chainStages(added, found?.add),
      addForScreen: isRows
        ? undefined
        : chainStages(
            isWith ? added : addPeople(context, (note) => notesBelow.push(note)),
            addColors(context, query),
            found?.add,
          ),
      forCsv: isRows ? () => questionColumnsOf(context, query) : undefined,
    };
  };
  return plan({
    requests: () => ({ listing: listingOf() }),
    remarks: restOf({ ...filters, conflicts, with: what, rows: perInvitee }, isWith),
    send: async () => {
      const { choose, confirm } = await settle();
      const found = conflicts
        ? await (await import('./conflicts.ts')).findConflicts(context, query, buffers ?? 0)
        : undefined;
      const below = async (count: number) => {
        if (count > 0) for (const remember of confirm) await remember();
        return notesBelow;
      };
      return { kind: 'listing', listing: listingOf(choose, found), below };
    },
  });
};

export const runGet = async (
  generic: GenericCommand,
  { with: what, request: input }: OperationInput & { with: 'invitees' | undefined },
  context: Context,
): Promise<Reply> => {
  const plain = await runOperation(generic, { request: input }, context);
  const withPeople = async (event: SentEvent): Promise<SentEvent> => (await addInvitees(context)([event]))[0] ?? event;
  const view = withInvitees(generic.view);
  if (what !== undefined) {
    const client = await context.client();
    const { invitees } = await import('../../api/invitees.ts');
    return plan({
      requests: async () => ({
        prepared: await Promise.all([client.prepare(events.get, input), client.prepare(invitees.list, input)]),
      }),
      send: async () => ({ kind: 'record', view, record: await withPeople(await client.call(events.get, input)) }),
    });
  }
  // A page names the people even if nobody asked for them, as long as they can be read.
  return mapReply(plain, (answer) =>
    answer.kind === 'record'
      ? {
          ...answer,
          forPage: async () => ({
            view,
            record: (await readIfPossible(() => withPeople(answer.record))) ?? answer.record,
          }),
        }
      : answer,
  );
};
