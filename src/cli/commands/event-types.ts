import { isDeepStrictEqual } from 'node:util';
import { EventType, eventTypes } from '../../api/event-types.ts';
import { type ManagedField, normalField } from '../../config/normalize.ts';
import type { Json } from '../../json.ts';
import type { View } from '../../output/view.ts';
import type { Command } from '../command.ts';
import { taking } from '../input/input.ts';
import { type Decorations, operationInput, positional, printRequest } from '../operation/generic-command.ts';
import type { TypedInput } from '../operation/input.ts';
import { printRecord } from '../operation/print-record.ts';
import { knownRecord } from '../operation/write-result.ts';
import { changeOrReadBack } from '../scheduling/booking-context.ts';
import type { Context } from '../session/context.ts';
import { slots } from './slots.ts';
import { why } from './why.ts';

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
export const showsChange = (record: Json, sent: Json): boolean | undefined => {
  const known = Object.keys(sent).filter((name) => Object.hasOwn(EventType.record.shape, name));
  const shown = (values: Json, name: string) => normalField(name as ManagedField, values[name]);
  if (known.some((name) => !isDeepStrictEqual(shown(record, name), shown(sent, name)))) return false;
  return known.length === Object.keys(sent).length ? true : undefined;
};

const runUpdate = async ({ found, ...input }: TypedInput, context: Context, view: View): Promise<void> => {
  if (context.settings.dryRun) return printRequest(context, eventTypes.update, [input]);
  const client = await context.client();
  const record = await changeOrReadBack(context, {
    send: () => client.write(eventTypes.update, input),
    read: () => client.call(eventTypes.get, { path: input.path! }),
    isDone: (now) => showsChange(now, input.body as Json),
    known: () => knownRecord(context, eventTypes.get, input.path!, input.body),
  });
  await context.notes.done(`changed: ${record.name ?? record.uri}`);
  await printRecord(context, view, record, found);
};

export const decorate = {
  update: (generic) => ({
    run: taking(operationInput(generic), ({ request }, { context }) => runUpdate(request, context, generic.view)).run,
  }),
  hosts: (generic) => positional(generic, 'event-type', true),
} satisfies Decorations;

export const extra = (): Command[] => [slots, why];
