import { eventTypes, type SentEventType } from '../../api/event-types.ts';
import { dateTime, reference } from '../../api/field.ts';
import { limits } from '../../api/limits.ts';
import { windowIn, windowQuery } from '../../api/window.ts';
import { hasCategory, usageError } from '../../base/errors.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { Argument } from '../../cli/command.ts';
import type { Given } from '../../cli/input/given.ts';
import { both, type Call, type Input, input, related, type Values } from '../../cli/input/input.ts';
import { withGiven } from '../../cli/input/kind.ts';
import { count } from '../../cli/input/kinds.ts';
import { needs, rule } from '../../cli/input/relations.ts';
import { type FieldFlag, rowFlag } from '../../cli/operation/field-flags.ts';
import { genericCommand } from '../../cli/operation/generic-command.ts';
import { type Draft, draftInput } from '../../cli/operation/input.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Query } from '../../client/wire.ts';
import { timestampOf } from '../../time/wall.ts';
import type { SlotWindow } from './free-slots.ts';

/** A longer window would take long and help nobody. */
const mostDays = 366;

const windowFlag = (edge: 'since' | 'until', description: Sentence): FieldFlag => {
  const [parameter] = Object.keys(windowQuery('start_time', { [edge]: '' }));
  return { ...rowFlag(parameter!, dateTime('')), description };
};

export const slotWindowFlags: FieldFlag[] = [
  windowFlag('since', 'only times at or after this time (default now)'),
  windowFlag('until', words`only times before this time (default 7 days after ${the('since')})`),
];

const hostFlag: FieldFlag = {
  ...rowFlag('host', reference('users', 'only times when this host is free')),
  repeat: true,
};

const entries = {
  duration: count('minutes that these hosts need, without an event type', {
    least: 1,
    most: limits.durationMinutes.max,
    value: 'MINUTES',
    heading: 'Filters',
  }),
  first: count('show only the first N times', { least: 1, heading: 'Listing' }),
  days: count('show only the first N days that have free times', { least: 1, heading: 'Listing' }),
  step: count('minutes between two starts (default 30, or the length of the event type if shorter)', {
    least: 1,
    most: limits.durationMinutes.max,
    value: 'MINUTES',
    heading: 'Listing',
  }),
};

/** More starts than this on several days are a picture. */
export const mostTimes = 40;

/**
 * The window of starts, in milliseconds since 1970. Times in the past can't be booked. Without `--until`, it has this
 * many days.
 */
export const slotWindow = async (
  { context, problems }: Pick<Call, 'context' | 'problems'>,
  rows: Query,
  days = 7,
): Promise<SlotWindow> => {
  const requestedWindow = windowIn(rows);
  const now = await context.askNow();
  const since = Math.max(now + 1, timestampOf(requestedWindow.since ?? '') ?? 0);
  const { readTime } = await import('../../time/read.ts');
  const last = readTime(`+${days}d`, { zone: context.settings.zone, now: since, edge: 'until' });
  const until = timestampOf(requestedWindow.until ?? (last.ok ? last.instant : '')) ?? since + days * day;
  if (until - since > mostDays * day) problems.add(`The time window can be at most ${mostDays} days long`);
  problems.check();
  return { since, until };
};

const filters = [...slotWindowFlags, hostFlag];

const readType = async (draft: Draft, context: Context): Promise<{ type: SentEventType; rows: Query }> => {
  const { path, rows = {}, record: eventType } = await draft.finish();
  return { type: eventType ?? (await (await context.client()).call(eventTypes.get, { path: path! })), rows };
};

const [typeArgument] = genericCommand('slots', eventTypes.get).arguments as [Argument];

/** Hosts can meet without an event type, if it is known how long. */
const chooseType: Argument['offer'] = async ({ given, context }) => {
  if (given.duration !== undefined) return undefined;
  const { choicesOf } = await import('../../cli/operation/name-lookup.ts');
  return { question: 'Which event type?', choices: await choicesOf('event_types', context) };
};

/** The event types that the arguments name, and the conditions on slots. */
const typesInput: Input<{ types: SentEventType[]; rows: Query; hosts: string[] }> = {
  flags: filters,
  arguments: [
    { ...typeArgument, required: false, offer: chooseType },
    { name: 'more', description: 'more event types', variadic: true, collection: 'event_types' },
  ],
  draft: async (call, how) => {
    const { 'event-type': first, more = [], duration } = how.given;
    const hostsOf = ({ host }: Record<string, unknown>): string[] => [
      ...new Map([host ?? []].flat().map((user) => [idIn(user), String(user)])).values(),
    ];
    if (first === undefined && duration !== undefined) {
      const { finish } = await draftInput(call, eventTypes.list, filters, how);
      return async () => {
        const { rows = {} } = await finish();
        return { types: [], rows, hosts: hostsOf(rows) };
      };
    }
    const names = [first, more].flat();
    const wholeName = names.join(' ');
    const mayBeOne = names.length > 1 && wholeName.split(' ').length === names.length;
    const draft = (name: Given[string], flags: FieldFlag[] = []) =>
      draftInput(call, eventTypes.get, flags, withGiven(how, { 'event-type': name }));
    const drafts = [await draft(first, filters)];
    for (const name of names.slice(1)) drafts.push(await draft(name));
    return async (context) => {
      const queries = [];
      for (const each of drafts)
        queries.push(
          await readType(each, context).catch(async (error: unknown) => {
            if (!mayBeOne || !hasCategory(error, 'not-found')) throw error;
            await readType(await draft(wholeName), context).catch(() => Promise.reject(error));
            throw usageError([`Put quotes around "${wholeName}"`], { hint: { args: [wholeName] } });
          }),
        );
      const types = new Map(queries.map(({ type }) => [type.uri, type]));
      const { rows } = queries[0]!;
      return { types: [...types.values()], rows, hosts: hostsOf(rows) };
    };
  },
};

/** With an event type, its length counts, and its hosts decide together. */
const hostsAlone = rule(['duration', 'host', 'event-type'], (isGiven, { given }) => {
  if (!isGiven('event-type')) return [];
  if (isGiven('duration'))
    return [{ words: words`${the('duration')} can't be used with an event type`, drops: the('duration') }];
  return [given.host ?? []].flat().length > 1
    ? [{ words: words`With an event type, ${the('host')} can be used once` }]
    : [];
});

export type SlotsInput = Values<typeof entries> & { types: SentEventType[]; rows: Query; hosts: string[] };
export const slotsInput: Input<SlotsInput> = related(
  both(typesInput, input(entries)),
  needs(['duration'], ['host']),
  hostsAlone,
);
