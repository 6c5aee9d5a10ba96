import { isDeepStrictEqual } from 'node:util';
import { AvailabilitySchedule, availability } from '../../api/availability.ts';
import { SchedError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { counted } from '../../numbers.ts';
import {
  changeRules,
  datesTakenOff,
  dayOf,
  isDateOff,
  type Rule,
  readDays,
  readRule,
  rulesDifference,
} from '../../time/availability-rules.ts';
import { idIn } from '../../uri.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { type Decorations, type GenericCommand, genericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { withFacts } from '../operation/write-result.ts';
import { bodyFlag } from '../parse/shared-flags.ts';
import {
  isSame,
  knownOf,
  nameOf,
  rulesOf,
  type Sent,
  schedulesOf,
  shownRules,
  todayIn,
  zoneOf,
} from '../scheduling/schedule-facts.ts';
import { confirm } from '../session/confirm.ts';
import type { Context } from '../session/context.ts';
import { askChange, changeFlags, offerSchedules } from './ask-availability.ts';
import { allShowChange, sendChange } from './send-schedules.ts';

export const examples = {
  list: [
    'availability list --event-type "Intro call"',
    'availability list --event-type YBL6DUNR9FS4PNP6 --json=uri,rules',
  ],
  get: ['availability get 7XMLWK4XT9XSSFB2', 'availability get 7XMLWK4XT9XSSFB2 --json=timezone,rules'],
  update: [
    "availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --rule 'monday 09:00-12:00,13:00-17:00'",
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off tomorrow --yes',
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off 2030-12-24..2030-12-31 --yes',
    "availability update --event-type YBL6DUNR9FS4PNP6 --replace --rule 'mon-fri 09:00-17:00'",
    "availability update --all --rule 'friday 09:00-12:00'",
  ],
  off: [
    'availability off tomorrow',
    'availability off 2030-12-24..2030-12-31 jan 6 --yes',
    'availability off 2030-12-24 --undo',
    'availability off --list',
    'availability off --every friday',
  ],
};

const flags: Flag[] = [
  { name: 'rule', value: 'RULE', repeat: true, description: "hours for a day, as 'monday 09:00-12:00,13:00-17:00'" },
  {
    name: 'day-off',
    value: 'DAY',
    repeat: true,
    description: 'day to set as unavailable: date, tomorrow, range of dates, or weekday (every week)',
  },
  {
    name: 'remove',
    value: 'DAY',
    repeat: true,
    description: 'day whose rule to remove: date, tomorrow, range of dates, or weekday (every week)',
  },
  { name: 'replace', description: 'replace all rules with the given ones' },
  { name: 'all', description: 'change your own schedules of all your event types' },
];

/** The commands of the two operations: for one schedule, and for all schedules of an event type. */
type Updates = Record<'one' | 'all', GenericCommand>;

/** Reads the rules and days from the flags. `zone` is the time zone of today and tomorrow. */
const readTyped = ({ context, typed, problems }: Invocation, zone: () => string) => {
  const today = () => todayIn(context, zone());
  const read = (name: string, reader: typeof readRule): Rule[] =>
    ((typed[name] as string[] | undefined) ?? []).flatMap((text) => {
      const rules = reader(text, today);
      if (!rules.ok) problems.add(`--${name} ${rules.problem}`);
      return rules.ok ? rules.value : [];
    });
  const set = [...read('rule', readRule), ...read('day-off', readDays).map((day) => ({ ...day, intervals: [] }))];
  const removed = read('remove', readDays);
  const days = [...set, ...removed].map(dayOf);
  for (const day of new Set(days.filter((name, index) => days.indexOf(name) !== index)))
    problems.add(`${day} is given twice`);
  return { set, removed };
};

/** The schedules of an event type, or the one with this ID: the service has no other way to read one. */
const readSchedules = async ({ context }: Invocation, eventType: string, id: string | undefined): Promise<Json[]> => {
  const all = await schedulesOf(context, eventType);
  const schedules = all.filter(({ uri }) => id === undefined || String(uri).endsWith(`/${id}`));
  if (schedules.length > 0) return schedules;
  const problem =
    id === undefined
      ? 'This event type has no availability schedules'
      : `No availability schedule with ID ${id} for this event type`;
  throw new SchedError('not-found', problem, {
    hint: { command: ['availability', 'list'], flags: { 'event-type': idIn(eventType) } },
  });
};

/** Reads the input of the command: for one schedule, or for all schedules of the event type. */
const readUpdate = async ({ one, all }: Updates, invocation: Invocation) => {
  const { args, typed, problems } = invocation;
  if (changeFlags.every((name) => typed[name] === undefined))
    problems.add('Nothing to change. Use --rule, --day-off, --remove or --timezone', (own) => own.addFlag('rule'));
  if (typed.replace === true && typed.rule === undefined && typed['day-off'] === undefined)
    problems.add('--replace needs at least one --rule or --day-off');
  if (typed.replace === true && typed.remove !== undefined) problems.add("--replace can't be used with --remove");
  const { operation, fieldFlags } = args.length === 0 ? all : one;
  const { path = {}, query, body } = await readInput(invocation, operation, fieldFlags);
  const sent = body as Sent;
  const eventType = args.length === 0 ? sent.event_type : query!.event_type;
  // The body of an assumed operation may have any shape, but the schedules can be read only by event type.
  if (typeof eventType !== 'string') problems.add('Missing required flag --event-type');
  if (sent.rules !== undefined && ['rule', 'day-off', 'remove', 'replace'].some((name) => typed[name] !== undefined))
    problems.add("--body with rules can't be used with --rule, --day-off, --remove or --replace");
  problems.check();
  return { operation, path, sent, eventType: String(eventType), id: path.schedule };
};

/** The rules that a schedule has now and would have. */
const planFor = (invocation: Invocation, schedule: Json, sent: Sent, isRules: boolean) => {
  const isReplaced = invocation.typed.replace === true;
  const { set, removed } = readTyped(invocation, () => zoneOf(schedule, invocation));
  const before = isRules && !isReplaced ? rulesOf(schedule) : shownRules(schedule);
  const changed = isReplaced ? set : changeRules(before, set, removed);
  return { schedule, before, after: sent.rules === undefined ? changed : shownRules(sent) };
};

/** The rules of all schedules. One request sets the same rules for all of them. */
const planChange = (invocation: Invocation, schedules: readonly Json[], sent: Sent, isRules: boolean) => {
  const { typed, problems } = invocation;
  const plans = schedules.map((schedule) => planFor(invocation, schedule, sent, isRules));
  const [first] = plans;
  if (isRules && plans.some(({ after }) => !isDeepStrictEqual(after, first!.after))) {
    const way =
      typed.replace === true
        ? 'use dates instead of today and tomorrow'
        : 'use --replace to set the same rules for all';
    problems.add(`The schedules of this event type would have different rules. Name one schedule, or ${way}`);
  }
  problems.check();
  return { plans, body: isRules ? { ...sent, rules: first!.after } : sent };
};

type Plans = ReturnType<typeof planChange>['plans'];

/** The meetings that stay on dates that are taken off, below what changes, or behind it if that is a single day. */
const withMeetings = async (invocation: Invocation, plans: Plans, differences: string[]): Promise<string[]> => {
  const { context } = invocation;
  const [plan, ...others] = plans;
  const dates = datesTakenOff(plan!.before, plan!.after);
  if (others.length > 0 || dates.length === 0 || context.settings.yes || !context.canConfirm) return differences;
  const { stayingMeetings } = await import('../scheduling/event-facts.ts');
  const zone = zoneOf(plan!.schedule, invocation);
  const off = plan!.after.filter(isDateOff).map(dayOf);
  const [staying, ...ways] = await stayingMeetings(context, plan!.schedule.user, dates, off, zone);
  if (staying === undefined) return differences;
  return dates.length === 1 && differences.length === 1
    ? [`${differences[0]} · ${staying}`, ...ways]
    : [...differences, staying, ...ways];
};

/** What changes in words, under the name of each schedule if there are several. */
const differencesOf = (context: Context, plans: Plans, { timezone }: Sent): string[] =>
  plans.flatMap(({ schedule, before, after }) => {
    const zoneChanges = timezone !== undefined && timezone !== schedule.timezone;
    const lines = [
      ...rulesDifference(before, after, todayIn(context, context.settings.zone)),
      ...(zoneChanges ? [`time zone: ${schedule.timezone ?? 'none'} → ${timezone}`] : []),
    ];
    return plans.length > 1 && lines.length > 0 ? [`${nameOf(schedule)}:`, ...lines.map((line) => `  ${line}`)] : lines;
  });

const runUpdate = async (updates: Updates, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const { view } = updates.one;
  await context.askNow();
  // Report problems before anything is sent. The schedule's time zone is known only after it is read.
  const typedRules = readTyped(invocation, () => zoneOf({}, invocation));
  if (typed.all === true) {
    const { runUpdateAll } = await import('./availability-all.ts');
    return runUpdateAll(view, invocation, (zone) => readTyped(invocation, () => zone));
  }
  const isRules = typedRules.set.length + typedRules.removed.length > 0 || typed.replace === true;
  const { operation, path, sent, eventType, id } = await readUpdate(updates, invocation);
  const read = () => readSchedules(invocation, eventType, id);
  const schedules = await read();
  const { plans, body } = planChange(invocation, schedules, sent, isRules);

  const print = async (records: readonly Json[], before?: Json): Promise<void> => {
    if (id !== undefined) return context.printer.one(view, records[0]!, before);
    await context.printer.list(view, [records]);
  };
  const isExact = sent.rules !== undefined;
  const isPlain = Object.keys(sent).every((name) => ['event_type', 'rules', 'timezone'].includes(name));
  if (isPlain && allShowChange(schedules, body, isExact) === true) {
    const subject = id === undefined ? 'the schedules already have' : 'the schedule already has';
    context.notes.info(`Nothing to change: ${subject} these settings`);
    return print(schedules.map((schedule) => withFacts(schedule, { already: true })));
  }
  const differences = differencesOf(context, plans, sent);
  const { dryRun, yes } = context.settings;
  const names = schedules.map(nameOf).join(', ');
  const subject = id === undefined ? `${counted(schedules.length, 'availability schedule')}:` : 'availability schedule';
  if (id === undefined && (dryRun || yes))
    context.notes.info(`${dryRun ? 'Would change' : 'Changing'} ${subject} ${names}`);
  // A prompt shows them itself, even with --quiet.
  if (dryRun || yes || !context.canConfirm) for (const line of differences) context.notes.info(line);
  const input = { path, body, known: knownOf(eventType, schedules) };
  if (dryRun) return printRequest(context, operation, [input]);
  await confirm(context, {
    question: `Change ${subject} ${names}?`,
    action: `change ${subject} ${names}`,
    list: await withMeetings(invocation, plans, differences),
  });

  const { before, records, error } = await sendChange(context, {
    ...{ operation, path, eventType, isSingle: id !== undefined, planned: schedules, read, isExact },
    bodyFor: (now) => planChange(invocation, now, sent, isRules).body,
    isReplaced: isExact || typed.replace === true,
  });
  for (const record of records)
    await context.notes.done(`changed: ${id === undefined ? nameOf(record) : (record.name ?? record.uri)}`);
  for (const schedule of before) {
    if (error === undefined && !records.some((record) => isSame(record, schedule)))
      context.notes.info(`not changed by the service: ${nameOf(schedule)}`);
  }
  if (records.length > 0) await print(records, before[0]);
  if (error !== undefined) throw error;
};

export const decorate = {
  list: (generic, { 'list-user': ofUser }) => {
    const [user] = ofUser!.fieldFlags;
    const flags = generic.flags.map((flag) => (flag.name === 'event-type' ? { ...flag, unless: 'user' } : flag));
    return {
      flags: [flags[0]!, user!, ...flags.slice(1)],
      notes: ['--user is only for services whose dialect names availability.list-user, such as calendly.'],
      alternative: ofUser!.operation,
      run: (invocation) => {
        const { typed, problems } = invocation;
        if (typed.user === undefined) return generic.run(invocation);
        if (typed['event-type'] !== undefined) problems.add("--user can't be used with --event-type");
        return ofUser!.run(invocation);
      },
    };
  },
  update: (generic, { list, 'update-all': all }) => {
    const ofSchedule = list!.fieldFlags
      .filter(({ name }) => name === 'event-type')
      .map((flag) => ({ ...flag, unless: 'all' }));
    const one = { ...generic, fieldFlags: [...ofSchedule, ...generic.fieldFlags] };
    return {
      arguments: generic.arguments.map((argument) => ({
        ...argument,
        description: `${argument.description} (default: all schedules of the event type)`,
        required: false,
        offer: offerSchedules,
      })),
      askMore: askChange,
      flags: [...ofSchedule, ...flags, ...generic.fieldFlags, bodyFlag],
      notes: [
        'The service replaces all rules at once. So sched reads the current rules, changes only the days you name, shows the difference and asks for confirmation before it sends them all. Other sched processes that change schedules wait meanwhile, up to 30 seconds. With --replace, nothing is sent if the rules have changed since they were shown.',
        'Without a schedule, one request sets the same rules for all schedules of the event type that you may change. If they would have different rules, name one schedule or use --replace.',
        'With --all, the days you name change in your own schedule of each event type that you host. The other rules stay, also if they differ. The line that undoes it is printed afterwards.',
        "A weekday means every week: --day-off friday takes every Friday off. For a single day, use a date, today or tomorrow; today and tomorrow are dates in the schedule's time zone. A range such as 2026-12-24..2026-12-31 includes both dates.",
      ],
      alternative: all!.operation,
      run: (invocation) => runUpdate({ one, all: all! }, invocation),
    };
  },
} satisfies Decorations;

const offFlags: Flag[] = [
  { name: 'undo', description: 'remove the days off on these dates' },
  { name: 'list', description: 'list your days off from today on' },
  { name: 'every', value: 'DAY', repeat: true, description: 'take a weekday off every week: friday, fri or sat-sun' },
];

export const extra = (): Command[] => {
  const generic = genericCommand('off', availability.update, examples.off);
  return [
    {
      ...generic,
      summary: 'Take days off on all your schedules',
      arguments: [
        {
          name: 'date',
          description: '2026-12-24, dec 24, tomorrow, friday (the first one after today) or 2026-12-24..2026-12-31',
          variadic: true,
        },
      ],
      flags: offFlags,
      fields: [...Object.keys(AvailabilitySchedule.record.shape), '_sched', 'date', 'schedules'],
      notes: [
        "Changes your own schedule of each event type that you host, and nobody else's. Dates are dates of each schedule's time zone. Shows what changes and the meetings on these dates, which stay, and asks for confirmation.",
        'A day off is a rule on top of the weekly hours, so --undo removes it and the weekly hours count again. Special hours of that date are replaced: --undo cannot bring them back, but sched prints the command that does. --undo also removes days off that were there before: leave out the dates that sched calls already off.',
        'With --every, the weekly hours of that day are replaced, so there is no --undo: sched prints the line that brings the hours back.',
        'If a schedule cannot be changed, the others are, and the exit code is 11. Run the same command again: what is done stays. JSON has the changed schedules, with the special hours in _sched.replaced.',
        'Other sched processes that change schedules of the same organization wait meanwhile, up to 30 seconds. At the end the schedules are read back: if one does not show the days off, because somebody has changed it in that moment, sched says so.',
      ],
      run: async (invocation) => (await import('./availability-off.ts')).runOff(generic, invocation),
    },
  ];
};
