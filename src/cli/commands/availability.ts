import { isDeepStrictEqual } from 'node:util';
import { availability } from '../../api/availability.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { wallText } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { wallAt } from '../../time/zoned.ts';
import { idIn } from '../../uri.ts';
import type { Command, Flag, Invocation } from '../command.ts';
import { changeRules, dayOf, type Rule, readDays, readRule, rulesDifference } from '../operation/availability-rules.ts';
import { changeOrReadBack } from '../operation/booking-context.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { withFacts } from '../operation/write-result.ts';
import { bodyFlag } from '../parse/shared-flags.ts';
import { confirm } from '../session/confirm.ts';

export const examples = {
  list: [
    'availability list --event-type "Intro call"',
    'availability list --event-type YBL6DUNR9FS4PNP6 --json=uri,rules',
  ],
  update: [
    "availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --rule 'monday 09:00-12:00,13:00-17:00'",
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off tomorrow --yes',
    'availability update 7XMLWK4XT9XSSFB2 --event-type YBL6DUNR9FS4PNP6 --day-off 2030-12-24..2030-12-31 --yes',
  ],
};

const flags: Flag[] = [
  {
    name: 'rule',
    value: 'RULE',
    repeat: true,
    description: "hours for a day, as 'monday 09:00-12:00,13:00-17:00'",
    heading: 'Flags',
  },
  {
    name: 'day-off',
    value: 'DAY',
    repeat: true,
    description: 'day to set as unavailable: date, tomorrow, range of dates, or weekday (every week)',
    heading: 'Flags',
  },
  {
    name: 'remove',
    value: 'DAY',
    repeat: true,
    description: 'day whose rule to remove: date, tomorrow, range of dates, or weekday (every week)',
    heading: 'Flags',
  },
  { name: 'replace', description: 'replace all rules with the given ones', heading: 'Flags' },
];

/** Reads the rules and days from the flags. `zone` is the time zone of today and tomorrow. */
const readTyped = ({ context, typed, problems }: Invocation, zone: () => string) => {
  const now = context.serviceTime() ?? context.runtime.clock.now();
  const today = () => wallText(wallAt(now, zone())).slice(0, 10);
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

/** The current schedule, found in the list of its event type: the service has no other way to read one. */
const currentSchedule = async ({ context }: Invocation, eventType: string, id: string): Promise<Json> => {
  const client = await context.client();
  for await (const page of client.pages(availability.list, { query: { event_type: eventType } })) {
    const found = page.find((schedule) => String(schedule.uri).endsWith(`/${id}`));
    if (found !== undefined) return found;
  }
  throw new SchedError('not-found', `No availability schedule with ID ${id} for this event type`, {
    hint: `sched availability list --event-type ${idIn(eventType)}`,
    outcome: 'not-sent',
  });
};

/** The time zone of a schedule's dates: the new one, else the current one. */
const zoneOf = (schedule: Json, { typed, context }: Invocation): string => {
  const reading = readZone(String(typed.timezone ?? schedule.timezone ?? ''));
  return reading.ok ? reading.zone : context.settings.zone;
};

const shownRules = ({ rules }: Json): Rule[] => (Array.isArray(rules) ? rules.filter(isObject) : []);

/** The rules of a schedule. The service replaces all rules, so rules that can't be read would be lost. */
const rulesOf = ({ rules }: Json): Rule[] => {
  if (Array.isArray(rules) && rules.every(isObject)) return rules;
  throw new SchedError('integrity', "Can't read the current rules of the schedule", {
    reason: 'the service sent no list of rules; changing some of them would remove the others',
    outcome: 'not-applied',
  });
};

/**
 * Whether a schedule shows the change. Rules from `--body` may have fields that sched doesn't know: if only those differ,
 * it returns undefined.
 */
const showsChange = (now: Json, sent: { rules?: Rule[]; timezone?: string }, isExact: boolean): boolean | undefined => {
  if (sent.timezone !== undefined && now.timezone !== sent.timezone) return false;
  if (sent.rules === undefined || isDeepStrictEqual(now.rules, sent.rules)) return true;
  if (rulesDifference(shownRules(now), sent.rules).length > 0) return false;
  return isExact ? undefined : true;
};

const runUpdate = async ({ fieldFlags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  // Report problems before anything is sent. The schedule's time zone is known only after it is read.
  const typedRules = readTyped(invocation, () => zoneOf({}, invocation));
  const isRules = typedRules.set.length + typedRules.removed.length > 0 || typed.replace === true;
  if (['rule', 'day-off', 'remove', 'replace', 'timezone', 'body'].every((name) => typed[name] === undefined))
    problems.add('Nothing to change. Use --rule, --day-off, --remove or --timezone', (own) => own.addFlag('rule'));
  if (typed.replace === true && typed.rule === undefined && typed['day-off'] === undefined)
    problems.add('--replace needs at least one --rule or --day-off');
  if (typed.replace === true && typed.remove !== undefined) problems.add("--replace can't be used with --remove");
  const { path, query, body } = await readInput(invocation, availability.update, fieldFlags);
  const { rules: whole, timezone: zone } = body as { rules?: Rule[]; timezone?: string };
  if (whole !== undefined && isRules) {
    problems.add("--body with rules can't be used with --rule, --day-off, --remove or --replace");
    problems.check();
  }
  if (context.settings.curl) {
    const known = { ...(isRules ? { rules: typedRules.set } : {}), ...(body as Json) };
    if (isRules && typed.replace !== true) {
      context.notes.info(
        'The service replaces all rules: copy the rules to keep from the reply to the first command into the second',
      );
      await printRequest(invocation, availability.list, [{ query: query! }]);
    }
    return printRequest(invocation, availability.update, [{ path: path!, body: known }]);
  }
  const schedule = await currentSchedule(invocation, String(query!.event_type), path!.schedule!);
  const { set, removed } = readTyped(invocation, () => zoneOf(schedule, invocation));
  problems.check();
  const rules = isRules && typed.replace !== true ? rulesOf(schedule) : shownRules(schedule);
  const changed = whole ?? (typed.replace === true ? set : changeRules(rules, set, removed));
  const difference = rulesDifference(rules, changed);
  const zoneChanges = zone !== undefined && zone !== schedule.timezone;
  // Rules from --body may have fields that the difference doesn't show.
  const isSame = whole === undefined ? difference.length === 0 : isDeepStrictEqual(schedule.rules, whole);
  if (isSame && !zoneChanges) {
    context.notes.info('Nothing to change: the schedule already has these settings');
    return context.printer.one(view, withFacts(schedule, { already: true }));
  }
  for (const line of difference) context.notes.info(line);
  if (zoneChanges) context.notes.info(`time zone: ${schedule.timezone ?? 'none'} → ${zone}`);
  const input = {
    path: path!,
    body: {
      ...(isRules || whole !== undefined ? { rules: changed } : {}),
      ...(zone === undefined ? {} : { timezone: zone }),
    },
  };
  if (context.settings.dryRun) return printRequest(invocation, availability.update, [input]);
  const named = schedule.name ? `${schedule.name} (${path!.schedule})` : path!.schedule;
  await confirm(context, `Change availability schedule ${named}?`);
  const client = await context.client();
  const record = await changeOrReadBack(context, {
    send: () => client.write(availability.update, input),
    read: () => currentSchedule(invocation, String(query!.event_type), path!.schedule!),
    isDone: (now) => showsChange(now, input.body, whole !== undefined),
    known: () => ({ ...schedule, ...input.body }),
  });
  context.notes.info(`changed: ${record.name ?? record.uri}`);
  await context.printer.one(view, record);
  context.runtime.interrupted.throwIfAborted();
};

export const decorate = {
  update: (generic: GenericCommand, { list }: Record<string, GenericCommand>): Command => {
    const ofSchedule = list!.fieldFlags.filter(({ name }) => name === 'event-type');
    const fields = [...ofSchedule, ...generic.fieldFlags];
    return {
      ...generic,
      flags: [...ofSchedule, ...flags, ...generic.fieldFlags, bodyFlag],
      notes: [
        'The service replaces all rules at once. So sched reads the current rules, changes only the days you name, shows the difference and asks for confirmation before it sends them all.',
        "A weekday means every week: --day-off friday takes every Friday off. For a single day, use a date, today or tomorrow; today and tomorrow are dates in the schedule's time zone. A range such as 2026-12-24..2026-12-31 includes both dates.",
      ],
      run: (invocation) => runUpdate({ ...generic, fieldFlags: fields }, invocation),
    };
  },
};
