import { oneOffs } from '../../api/one-offs.ts';
import type { Json } from '../../json.ts';
import { isDate } from '../../time/availability-rules.ts';
import { describeInstant } from '../../time/label.ts';
import { readMutationTime } from '../../time/mutation.ts';
import type { Flag, Invocation } from '../command.ts';
import { the, words } from '../input/words.ts';
import { type Decorations, type GenericCommand, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { readWholeNumber } from '../operation/values.ts';
import { printCreated, titleOf, writeAndRead } from '../operation/write-result.ts';

export const examples = {
  create: [
    'one-offs create --name "Planning" --duration 45 --days 7 --weekdays-only',
    'one-offs create --name "Planning" --duration 45 --co-host jonas.weber@northlight.example --start-date 2030-12-02 --end-date 2030-12-06',
    'one-offs create --name "Planning" --duration 60 --spot 2030-12-02T15:00:00Z/2030-12-02T16:00:00Z',
  ],
};

const flags: Flag[] = [
  { name: 'days', value: 'N', description: 'bookable for this many days from now' },
  { name: 'weekdays-only', description: 'with --days: skip Saturday and Sunday' },
  { name: 'start-date', value: 'DATE', description: 'first bookable day' },
  { name: 'end-date', value: 'DATE', description: 'last bookable day' },
  { name: 'spot', value: 'START/END', repeat: true, description: 'single bookable time' },
];

type Spot = Record<'start_time' | 'end_time', string>;

const readSpot = (text: string, invocation: Invocation, now: number): Spot | undefined => {
  const { context, problems } = invocation;
  const { zone, zoneSource } = context.settings;
  const { runtime } = context;
  const [start, end, ...rest] = text.split('/');
  if (start === undefined || end === undefined || rest.length > 0) {
    problems.add(`--spot must be START/END, such as 2026-12-01T15:00:00Z/2026-12-01T16:00:00Z, not "${text}"`);
    return undefined;
  }
  const isTerminal = runtime.stderr.isTerminal && runtime.keyboard.isTerminal;
  const [from, to] = [start, end].map((part) => {
    const reading = readMutationTime(part, { zone, zoneSource, isTerminal, now });
    if (!reading.ok) problems.add(`--spot: ${reading.problem}`);
    return reading.ok ? reading.instant : undefined;
  });
  if (from === undefined || to === undefined) return undefined;
  if (Date.parse(to) <= Date.parse(from)) problems.add(`--spot "${text}" must end after it starts`);
  return { start_time: from, end_time: to };
};

const readDate = (name: string, { typed, problems }: Invocation): string | undefined => {
  const text = typed[name] as string | undefined;
  if (text !== undefined && isDate(text)) return text;
  if (text === undefined) problems.missingFlag(name);
  else problems.value(name, text, `--${name} must be a date such as 2026-12-01, not "${text}"`);
  return undefined;
};

/** When the meeting can be booked: a number of days, a date range or single times. */
const dateSetting = async (invocation: Invocation): Promise<Json | undefined> => {
  const { context, typed, problems } = invocation;
  const spots = typed.spot as string[] | undefined;
  const isRange = typed['start-date'] !== undefined || typed['end-date'] !== undefined;
  const kinds = [typed.days !== undefined, isRange, spots !== undefined].filter(Boolean).length;
  if (kinds > 1) problems.add("--days, --start-date with --end-date, and --spot can't be used together");
  if (typed['weekdays-only'] === true && typed.days === undefined) problems.add('--weekdays-only needs --days');
  if (typed.days !== undefined) {
    return {
      type: 'days_in_future',
      days: readWholeNumber('days', invocation, 1),
      only_weekdays: typed['weekdays-only'] === true,
    };
  }
  if (isRange) {
    const [first, last] = ['start-date', 'end-date'].map((name) => readDate(name, invocation));
    if (first !== undefined && last !== undefined && last < first)
      problems.add(`--end-date ${last} is before --start-date ${first}`);
    return { type: 'date_range', start_date: first, end_date: last };
  }
  if (spots === undefined) return undefined;
  const now = await context.askNow();
  return { type: 'spots', spots: spots.flatMap((text) => readSpot(text, invocation, now) ?? []) };
};

/** Several `--host` are a host and co-hosts, because the service keeps the first host in a field of its own. */
const splitHosts = (body: Json, { typed }: Invocation): void => {
  if (!Array.isArray(body.host)) return;
  const [host, ...others] = body.host;
  body.host = host;
  const named = typed['co-host'] === undefined ? [] : (body.co_hosts as unknown[]);
  if (others.length > 0) body.co_hosts = [...others, ...named];
};

const runCreate = async ({ fieldFlags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const { settings, now } = context;
  const setting = await dateSetting(invocation);
  if (setting === undefined && typed.body === undefined)
    problems.missingFlag('days', words`${the('days')}, ${the('startDate')} with ${the('endDate')}, or ${the('spot')}`);
  const input = await readInput(invocation, oneOffs.create, fieldFlags, async (body) => {
    splitHosts(body, invocation);
    if (setting !== undefined) body.date_setting = setting;
  });
  // The reply doesn't contain these times, so show how they were read.
  for (const { start_time, end_time } of (setting?.spots as Spot[] | undefined) ?? []) {
    const [from, to] = [start_time, end_time].map((time) => describeInstant(time, settings.zone, now()));
    context.notes.info(`Bookable: ${from} to ${to}`);
  }
  if (context.settings.dryRun) return printRequest(context, oneOffs.create, [input]);
  const type = await writeAndRead(context, oneOffs.create, input);
  const link = typeof type.scheduling_url === 'string' ? `, ${type.scheduling_url}` : '';
  await context.notes.done(`created: ${titleOf(type, 'a one-off event type')}${link}`);
  await printCreated(context, view, type);
};

export const decorate = {
  create: (generic) => {
    const severalHosts = <F extends Flag>(flag: F): F => (flag.name === 'host' ? { ...flag, repeat: true } : flag);
    const fieldFlags = generic.fieldFlags.map(severalHosts);
    return {
      flags: [...generic.flags.slice(0, -1).map(severalHosts), ...flags, generic.flags.at(-1)!],
      run: (invocation) => runCreate({ ...generic, fieldFlags }, invocation),
    };
  },
} satisfies Decorations;
