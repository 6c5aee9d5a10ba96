import { isDeepStrictEqual } from 'node:util';
import { EventType, eventTypes } from '../../api/event-types.ts';
import { type ManagedField, normalField } from '../../config/normalize.ts';
import type { Json } from '../../json.ts';
import type { Command, Invocation } from '../command.ts';
import { type Decorations, type GenericCommand, positional, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { printRecord } from '../operation/print-record.ts';
import { knownRecord } from '../operation/write-result.ts';
import { changeOrReadBack } from '../scheduling/booking-context.ts';
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

const runUpdate = async ({ fieldFlags, flags, view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  if (flags.every((flag) => typed[flag.name] === undefined))
    problems.add(`Nothing to change. Use ${fieldFlags.map((flag) => `--${flag.name}`).join(', ')}`, (own) =>
      own.addFlag(fieldFlags[0]!.name),
    );
  const { found, ...input } = await readInput(invocation, eventTypes.update, fieldFlags);
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
  update: (generic) => ({ run: (invocation) => runUpdate(generic, invocation) }),
  hosts: (generic) => positional(generic, 'event-type', true),
} satisfies Decorations;

export const extra = (): Command[] => [slots, why];
