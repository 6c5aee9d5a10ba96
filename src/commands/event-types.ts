import { isDeepStrictEqual } from 'node:util';
import { EventType, eventTypes, normalField } from '../api/event-types.ts';
import { events } from '../api/events.ts';
import { windowQuery } from '../api/window.ts';
import type { Json } from '../base/json.ts';
import { once } from '../base/once.ts';
import { idIn } from '../base/uri.ts';
import { the, words } from '../base/words.ts';
import type { Answer } from '../cli/answer/answer.ts';
import { type Plan, plan } from '../cli/answer/plan.ts';
import { both, input, taking } from '../cli/input/input.ts';
import { age } from '../cli/input/kinds.ts';
import { commandHere } from '../cli/messages/suggested-line.ts';
import { changeOrReadBack } from '../cli/operation/change-record.ts';
import type { FieldFlag } from '../cli/operation/field-flags.ts';
import { type Decorations, type GenericCommand, operationInput, positional } from '../cli/operation/generic-command.ts';
import type { RequestValues } from '../cli/operation/input.ts';
import { type OperationInput, runOperation } from '../cli/operation/run-operation.ts';
import { knownRecord, recordTitle } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import { rowFilter } from '../client/filter.ts';
import { safe } from '../output/sanitize.ts';
import { utcText } from '../time/wall.ts';

export const examples = {
  list: [
    'event-types list',
    'event-types list --active --json=uri,name,duration',
    'event-types list --active --unused 90d',
  ],
  get: [
    'event-types get "Intro call"',
    'event-types get YBL6DUNR9FS4PNP6 --json',
    'event-types get "Intro call" --web',
  ],
  create: [
    'event-types create --name "Design review" --duration 45',
    'event-types create --name Chat --event-color "#3366ff" --location-kind zoom_conference',
  ],
  update: ['event-types update "Intro call" --duration 20', 'event-types update "Board preview" --no-active'],
  hosts: ['event-types hosts K2C8C7DLAMCWKYZ7', 'event-types hosts K2C8C7DLAMCWKYZ7 --json'],
};

/** Whether a record shows the change, or undefined if it has no field for it, as for the location. */
export const showsChange = (record: Json, change: Json): boolean | undefined => {
  const knownNames = Object.keys(change).filter((name) => Object.hasOwn(EventType.record.shape, name));
  const fieldIn = (values: Json, name: string) => normalField(name, values[name]);
  if (knownNames.some((name) => !isDeepStrictEqual(fieldIn(record, name), fieldIn(change, name)))) return false;
  return knownNames.length === Object.keys(change).length ? true : undefined;
};

/** The command that puts the old values back. Nothing if the record before lacks one, or no line can show it. */
const undoLine = (context: Context, flags: readonly FieldFlag[], before: Json, body: Json): string | undefined => {
  const changed = Object.keys(body).filter((field) => showsChange(before, { [field]: body[field] }) !== true);
  const words = changed.flatMap((field) => {
    const flag = flags.find(({ path }) => path.join('.') === field);
    const value = normalField(field, before[field]);
    if (flag === undefined || value === undefined || value === null) return [undefined];
    if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${flag.name}`];
    const text = String(value);
    return safe(text) === text ? [`--${flag.name}`, text] : [undefined];
  });
  return words.length > 0 && words.every((word) => word !== undefined)
    ? commandHere(context, 'event-types', 'update', context.shownId(before.uri), ...words)
    : undefined;
};

const updateEventType = async (
  { record: before, ...input }: RequestValues,
  context: Context,
  { view, fieldFlags }: GenericCommand,
): Promise<Answer> => {
  const client = await context.client();
  const record = await changeOrReadBack(context, {
    send: () => client.write(eventTypes.update, input),
    read: () => client.call(eventTypes.get, { path: input.path! }),
    isDone: (now) => showsChange(now, input.body!),
    fallback: () => knownRecord(context, eventTypes.get, input.path!, input.body),
  });
  const title = recordTitle(record, 'an event type');
  const isSame = before !== undefined && showsChange(before, input.body!) === true;
  const done = {
    log: `changed: ${title}`,
    ...(isSame && { sentence: `Unchanged: ${title} already has these settings` }),
    undo: before && undoLine(context, fieldFlags, before, input.body!),
  };
  return { kind: 'record', view, record, before, done };
};

const unusedInput = input({
  unused: age('only event types without an active event since that long ago, such as 90d, or in the future', {
    heading: 'Filters',
  }),
});

/** The event types that have active events since a time. */
const usedSince = async (context: Context, since: number): Promise<Set<string>> => {
  const { readableEvents } = await import('./events/readable-events.ts');
  const { scope, query } = await readableEvents(context);
  if (scope === 'user')
    context.notes.warn(
      "Only your own events were read: the token can't read the organization's. Other hosts may use these event types",
    );
  const active = { ...query, status: 'active', ...windowQuery('start_time', { since: utcText(since) }) };
  const used = new Set<string>();
  const pages = (await context.client()).pages(
    events.list,
    { query: active },
    { keep: rowFilter(events.list, active) },
  );
  for await (const page of pages) for (const { event_type: type } of page) used.add(idIn(type));
  return used;
};

const runList = async (
  generic: GenericCommand,
  { unused, ...values }: OperationInput & { unused: ((at: number) => number) | undefined },
  context: Context,
): Promise<Plan> => {
  if (unused === undefined) return runOperation(generic, values, context);
  const usedThen = once(async () => usedSince(context, unused(await context.askNow())));
  const choose = async (rows: Json[]) => {
    const used = await usedThen();
    return rows.filter(({ uri }) => !used.has(idIn(uri)));
  };
  const list = await runOperation({ ...generic, choose }, values, context);
  return { ...list, remarks: [words`${the('unused')}: not part of the request, applied to its reply`] };
};

export const decorate = {
  list: (generic) => ({
    flags: [...unusedInput.flags, ...generic.flags],
    notes: [
      ...(generic.notes ?? []),
      '--unused reads the events of the whole organization, or your own if your token may read no others. Canceled events do not count.',
    ],
    run: taking(both(unusedInput, operationInput(generic)), (values, { context }) => runList(generic, values, context))
      .run,
  }),
  update: (generic) => ({
    run: taking(operationInput(generic), async ({ request }, { context }) => {
      const { record: _, ...input } = request;
      return plan({
        requests: () => ({ operation: eventTypes.update, inputs: [input] }),
        send: () => updateEventType(request, context, generic),
      });
    }).run,
  }),
  hosts: (generic) => positional(generic, 'event-type', true),
} satisfies Decorations;
