import { isDeepStrictEqual } from 'node:util';
import { EventType, eventTypes } from '../api/event-types.ts';
import type { Json } from '../base/json.ts';
import { taking } from '../cli/input/input.ts';
import { changeOrReadBack } from '../cli/operation/change-record.ts';
import { type Decorations, operationInput, positional } from '../cli/operation/generic-command.ts';
import type { RequestValues } from '../cli/operation/input.ts';
import { printRecord } from '../cli/operation/print-record.ts';
import { printRequest } from '../cli/operation/run-operation.ts';
import { knownRecord, recordTitle } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import type { View } from '../output/view.ts';
import { type ManagedField, normalField } from './config/work-normalize.ts';

export const examples = {
  list: ['event-types list', 'event-types list --active --json=uri,name,duration'],
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
  const fieldIn = (values: Json, name: string) => normalField(name as ManagedField, values[name]);
  if (knownNames.some((name) => !isDeepStrictEqual(fieldIn(record, name), fieldIn(change, name)))) return false;
  return knownNames.length === Object.keys(change).length ? true : undefined;
};

const runUpdateEventType = async (
  { record: before, ...input }: RequestValues,
  context: Context,
  view: View,
): Promise<void> => {
  if (context.settings.dryRun) return printRequest(context, eventTypes.update, [input]);
  const client = await context.client();
  const record = await changeOrReadBack(context, {
    send: () => client.write(eventTypes.update, input),
    read: () => client.call(eventTypes.get, { path: input.path! }),
    isDone: (now) => showsChange(now, input.body as Json),
    fallback: () => knownRecord(context, eventTypes.get, input.path!, input.body),
  });
  await context.notes.done(`changed: ${recordTitle(record, 'an event type')}`);
  await printRecord(context, view, record, before);
};

export const decorate = {
  update: (generic) => ({
    run: taking(operationInput(generic), ({ request }, { context }) =>
      runUpdateEventType(request, context, generic.view),
    ).run,
  }),
  hosts: (generic) => positional(generic, 'event-type', true),
} satisfies Decorations;
