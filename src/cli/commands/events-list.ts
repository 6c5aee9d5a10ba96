import { events, ScheduledEvent } from '../../api/events.ts';
import { reference } from '../../api/field.ts';
import type { Input } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import type { View } from '../../output/view.ts';
import { idIn } from '../../uri.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { fillScope, scopeLines } from '../operation/default-scope.ts';
import type { FieldFlag } from '../operation/field-flags.ts';
import { supportsFilter, type Verdict } from '../operation/filter-support.ts';
import { fold } from '../operation/fold-text.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { firstCount, printListing, readBounds, type Stage } from '../operation/listing.ts';
import { mapConcurrent } from '../operation/map-concurrent.ts';
import { windowFlags } from '../operation/window-flags.ts';
import { withFacts } from '../operation/write-result.ts';
import type { Context } from '../session/context.ts';

/** The service can't filter events by type, but each row shows it, so `sched` filters the rows. */
const typeFlag: FieldFlag = {
  name: 'event-type',
  value: 'NAME|ID',
  description: 'only events of this type, by name, ID or URI',
  heading: 'Filters',
  part: 'rows',
  path: ['event_type'],
  field: reference('event_types', 'events of this type'),
  required: false,
};

const searchFlag: Flag = {
  name: 'search',
  value: 'TEXT',
  description: 'text in name, location, hosts or notes, and in invitees if they are read; ignores case and accents',
  heading: 'Filters',
};

const withFlag: Flag = {
  name: 'with',
  value: 'WHAT',
  choices: ['invitees'],
  description: 'include with each event',
  heading: 'Output',
};

const rowsFlag: Flag = {
  name: 'rows',
  value: 'WHAT',
  choices: ['invitees'],
  description: 'one row per invitee instead of one per event (csv, tsv, table)',
  heading: 'Output',
};

/** How many events' invitees are read at the same time, if the rate limit allows. */
const atOnce = 4;

/** Page size with invitees: a page token may expire while they are read, so these pages are short. */
const shortPage = 25;

const readWith = ({ typed, problems }: Invocation): boolean => {
  if (typed.with !== undefined && typed.with !== 'invitees')
    problems.value('with', String(typed.with), `--with must be invitees, not "${typed.with}"`, 'invitees');
  return typed.with === 'invitees';
};

const rowFormats = ['csv', 'tsv', 'table'];

const readRows = ({ context, typed, problems }: Invocation): boolean => {
  if (typed.rows === undefined) return false;
  if (typed.rows !== 'invitees')
    problems.value('rows', String(typed.rows), `--rows must be invitees, not "${typed.rows}"`, 'invitees');
  const { format } = context.settings;
  if (!rowFormats.includes(format))
    problems.add(`--rows only works with -o csv, tsv or table, not with ${format}. Use --with invitees`);
  return true;
};

const readSearch = ({ typed, problems }: Invocation): string | undefined => {
  if (typed.search === undefined) return undefined;
  const text = fold(String(typed.search));
  if (text === '') problems.add('--search needs some text to search for');
  return text;
};

/** The invitees of an event, if they were read. */
const readInvitees = (event: object): Json[] => (event as { _sched?: { invitees?: Json[] } })._sched?.invitees ?? [];

/** The searchable text of an event. */
const wordsOf = (event: Json): string => {
  const { name, location, event_memberships: hosts, meeting_notes_plain: notes } = event;
  return fold(
    [
      name,
      ...(isObject(location) ? [location.type, location.location] : []),
      ...(Array.isArray(hosts) ? hosts.map((host) => (isObject(host) ? host.user_name : undefined)) : []),
      notes,
      ...readInvitees(event).flatMap((invitee) => [invitee.name, invitee.email]),
    ]
      .filter((text) => typeof text === 'string')
      .join('\n'),
  );
};

const inviteesOf = async (context: Context, event: Json, query: Record<string, string> = {}): Promise<Json[]> => {
  const { invitees } = await import('../../api/invitees.ts');
  const client = await context.client();
  const found: Json[] = [];
  const input = { path: { event: idIn(event.uri) }, query };
  for await (const page of client.pages(invitees.list, input, { keep: rowFilter(invitees.list, query) }))
    found.push(...page);
  return found;
};

const addInvitees =
  (context: Context): Stage =>
  (page) =>
    mapConcurrent(page, atOnce, async (event) => withFacts(event, { invitees: await inviteesOf(context, event) }));

/** Filters by invitee for a service that ignores `invitee_email`. */
const onlyWith =
  (context: Context, email: string): Stage =>
  async (page) => {
    const found = await mapConcurrent(page, atOnce, (event) => inviteesOf(context, event, { email }));
    return page.filter((_, index) => found[index]!.length > 0);
  };

/** The names of an event's invitees. The count beside them covers active ones only, so canceled ones are marked. */
const inviteeNames = (event: object): string[] =>
  readInvitees(event).map(({ name, email, status }) => {
    const shown = String(name ?? email ?? '');
    return status === 'canceled' ? `${shown} (canceled)`.trimStart() : shown;
  });

const withInvitees = (view: View): View => ({
  ...view,
  columns: [
    ...view.columns,
    { header: 'WHO', path: '_sched.invitees.*.name', as: 'list', priority: 3.5, value: inviteeNames },
  ],
});

/** One row per invitee, with the fields of the event. An event without invitees keeps its row. */
const inviteeRows: Stage = async (page) =>
  page.flatMap((event) => {
    const invitees = readInvitees(event);
    return invitees.length === 0 ? [event] : invitees.map((invitee) => withFacts(event, { invitee }));
  });

const withInviteeRows = (view: View): View => ({
  ...view,
  columns: [
    ...view.columns,
    { header: 'INVITEE', path: '_sched.invitee.name', priority: 4.5 },
    { header: 'EMAIL', path: '_sched.invitee.email', priority: 2.5 },
    { header: 'INVITEE STATUS', path: '_sched.invitee.status', as: 'status', priority: 3.5 },
    { header: 'TIMEZONE', path: '_sched.invitee.timezone', priority: 0.5 },
    { header: 'BOOKED', path: '_sched.invitee.created_at', as: 'time', priority: 0.5 },
    { header: 'INVITEE ID', path: '_sched.invitee.uri', as: 'id', priority: 0.4 },
  ],
});

const inOrder =
  (...stages: (Stage | undefined)[]): Stage =>
  async (page) => {
    let rows = page;
    for (const stage of stages) if (stage !== undefined) rows = await stage(rows);
    return rows;
  };

/** Checks whether the service supports the filters that rows don't show, and returns a local filter if it doesn't. */
const settle = async (context: Context, query: NonNullable<Input['query']>) => {
  const verdicts: Verdict[] = [];
  let choose: Stage | undefined;
  const { group, invitee_email: email, user, organization } = query;
  const whose = { ...(user === undefined ? {} : { user }), ...(organization === undefined ? {} : { organization }) };
  if (group !== undefined) {
    // A service without a group filter may need user or organization, or it would refuse the request that checks this.
    const isUnsaid = user === undefined && organization === undefined;
    const own = () =>
      context.identity.organization().then(
        (own) => ({ organization: own }),
        () => whose,
      );
    const wider = isUnsaid ? await own() : whose;
    const verdict = await supportsFilter(context, 'group', wider);
    verdicts.push(verdict);
    if (!verdict.supported) {
      throw new SchedError('unavailable', "The service can't filter events by group", {
        reason: "it returns events even for a group that can't exist",
        hint: { flags: { group: false, ...(isUnsaid ? { org: 'current' } : {}) } },
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

const printList = async (
  invocation: Invocation,
  query: NonNullable<Input['query']>,
  isWith: boolean,
): Promise<void> => {
  const { context, typed } = invocation;
  const here = ['event-type', 'search'].filter((name) => typed[name] !== undefined).map((name) => `--${name}`);
  if (here.length > 0) context.notes.info(`${here.join(' and ')}: not part of the request, applied to its reply`);
  if (isWith) context.notes.info('--with invitees: for each event GET /scheduled_events/{event}/invitees');
  const count = firstCount(invocation, events.list, readBounds(invocation));
  await printRequest(invocation, events.list, [{ query: { ...query, ...count } }]);
};

/** The footer of a list without a time window, which starts today. Two lines: each fits on a narrow screen. */
const linesFromToday = (rows: string | undefined): string[] => [
  `Showing ${rows ?? 'events'} from today on. Earlier: --past`,
  ...(rows === undefined ? [] : ['Whole organization: --org current']),
];

export const runEventsList = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const bounds = readBounds(invocation);
  const { window, isFromToday } = await windowFlags.read(invocation);
  const search = readSearch(invocation);
  const isRows = readRows(invocation);
  const isWith = readWith(invocation) || isRows;
  const input = await readInput(invocation, events.list, [...command.fieldFlags, typeFlag]);
  const { event_type: type } = input.rows!;
  const typedQuery = input.query!;
  const query: NonNullable<Input['query']> = { ...typedQuery, ...window };
  const rows = await fillScope(events.list, { query }, 'events', context);
  if (context.settings.dryRun) return printList(invocation, query, isWith);

  const { choose, confirm } = await settle(context, query);
  const isSlow = isWith || choose !== undefined;
  const tests: ((row: Json) => boolean)[] = [
    ...(type === undefined ? [] : [(row: Json) => idIn(row.event_type) === idIn(type)]),
    ...(search === undefined || isWith ? [] : [(row: Json) => wordsOf(row).includes(search)]),
  ];
  const pageSize = isSlow && typed['page-size'] === undefined ? Math.min(bounds.pageSize, shortPage) : bounds.pageSize;
  // A search looks at invitees too, and a row per invitee counts for --limit: both need them before the rows are counted.
  const isEarly = isWith && (isRows || search !== undefined);
  const early = inOrder(
    choose,
    addInvitees(context),
    search === undefined ? undefined : async (page) => page.filter((row) => wordsOf(row).includes(search)),
    isRows ? inviteeRows : undefined,
  );
  const plainView = isWith ? withInvitees(command.view) : command.view;
  await printListing(invocation, {
    operation: events.list,
    view: isRows ? withInviteeRows(command.view) : plainView,
    input: { query },
    bounds: { ...bounds, pageSize },
    scope: isFromToday ? linesFromToday(rows) : scopeLines(rows),
    ...(tests.length === 0 ? {} : { keep: (row: Json) => tests.every((test) => test(row)) }),
    choose: isEarly ? early : choose,
    ...(isWith && !isEarly ? { add: addInvitees(context) } : {}),
  });
  if (context.printer.rows > 0) for (const tell of confirm) await tell();
};

const fields = [...Object.keys(ScheduledEvent.record.shape), '_sched'];

const withNote =
  '--with invitees reads the invitees of each event, four events at a time within the rate limit. Tables show their names in the column WHO, with canceled ones marked; it is the last column in a pipe (_sched.invitees.*.name). JSON has the complete records in _sched.invitees.';

const rowsNote =
  '--rows invitees reads the invitees too and prints one row for each, with the columns of the event first. Then follow name, email, status, time zone, booking time and ID of the invitee (_sched.invitee.*). Canceled invitees have the status canceled. --limit counts these rows.';

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
  if (!readWith(invocation)) return generic.run(invocation);
  const input = await readInput(invocation, events.get, []);
  if (context.settings.dryRun) {
    const { invitees } = await import('../../api/invitees.ts');
    await printRequest(invocation, events.get, [input]);
    return printRequest(invocation, invitees.list, [input]);
  }
  const event = await (await context.client()).call(events.get, input);
  const [row] = await addInvitees(context)([event]);
  await context.printer.one(withInvitees(generic.view), row!);
};

export const searchable = {
  list: (generic: GenericCommand): Command => withSearch(generic),
  get: (generic: GenericCommand): Command => ({
    ...generic,
    calendar: true,
    flags: [...generic.flags, withFlag],
    fields,
    run: (invocation) => runGet(generic, invocation),
  }),
};
