import { webhookEvents } from '../../api/webhooks.ts';
import { SchedError } from '../../base/errors.ts';
import { self, the, words } from '../../base/words.ts';
import type { FileAnswer, RecordAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { choice } from '../../cli/input/kinds.ts';
import { rule } from '../../cli/input/relations.ts';
import { valueAt } from '../../output/fields.ts';
import { durationText } from '../../output/progress.ts';
import type { View } from '../../output/view.ts';
import { isMark, type WaitKind, waitFor, waitKinds } from '../../sandbox/admin/wait.ts';
import { assignment, type DataInput, dataInput, sharedData } from './input.ts';
import { askRunning, findServing } from './running.ts';

const columnsOf: Record<WaitKind, View['columns']> = {
  delivery: [
    { header: 'EVENT', path: 'event', priority: 3 },
    { header: 'URL', path: 'url', priority: 2 },
    { header: 'STATE', path: 'state', priority: 1 },
  ],
  notice: [
    { header: 'KIND', path: 'kind', priority: 3 },
    { header: 'TO', path: 'to', priority: 2 },
    { header: 'SUBJECT', path: 'subject', priority: 1 },
  ],
  request: [
    { header: 'METHOD', path: 'method', priority: 3 },
    { header: 'PATH', path: 'path', priority: 2 },
    { header: 'STATUS', path: 'status', priority: 1 },
  ],
};

const markKind: Kind<string> = {
  value: 'MARK',
  json: 'string',
  read: (raw) =>
    isMark(raw)
      ? accept(raw)
      : refuse(words`${self} must be what sandbox mark has printed, such as 3.12.40, not "${raw}"`),
};

const entries = {
  kind: choice(waitKinds, 'what to wait for', { place: 'argument', needed: true }),
  event: choice(webhookEvents, 'only a delivery of this kind of event'),
  match: entry(assignment, 'only one with this value, such as to=ada@example.com or body.payload.name=Ada', {
    many: true,
  }),
  since: entry(markKind, 'also count what has come since this mark'),
  data: sharedData,
};

const onlyDeliveries = rule(['kind', 'event'], (isGiven, { given }) =>
  isGiven('event') && given.kind !== 'delivery'
    ? [{ words: words`${the('event')} is about deliveries: wait delivery` }]
    : [],
);

const runWait = async (values: Values<typeof entries>, { context }: Call): Promise<RecordAnswer> => {
  const { runtime, settings } = context;
  const { kind, event, match, since, data } = values;
  const serving = await findServing(runtime, data);
  const wanted = [...match, ...(event === undefined ? [] : [['event', event] as const])];
  const result = await waitFor(
    kind,
    (record) => wanted.every(([path, value]) => String(valueAt(record, path)) === value),
    {
      since,
      timeoutMs: settings.timeoutMs,
      clock: runtime.clock,
      ask: (path) => askRunning(runtime, serving, { call: `GET /__sandbox/${path}`, refusal: "Can't wait" }),
    },
  );
  if ('found' in result)
    return { kind: 'record', view: { columns: columnsOf[kind], id: 'number' }, record: result.found };
  throw new SchedError('unavailable', `No ${kind} matched within ${durationText(settings.timeoutMs / 1000)}`, {
    reason: result.missed,
    ...(since === undefined ? { advice: words`to count what came before, use ${the('since')} with a mark` } : {}),
    outcome: 'not-applied',
  });
};

export const waitCommand: Command = {
  name: 'wait',
  summary: 'Wait for a delivery, a notice or a request',
  ...taking(input(entries, onlyDeliveries), runWait),
  local: true,
  examples: [
    'sandbox wait delivery --event invitee.created --timeout 10s --json',
    'sandbox wait notice --match kind=event.canceled --match to=ada@example.com',
    'sandbox wait request --match operation=invitees.create --since 3.12.40',
  ],
  notes: [
    'Prints the first one that matches, and exits with 9 if none has come within --timeout (default 30s). A delivery counts once it was sent, a request once it was answered.',
    'Only what comes from now on counts. To count what came before, mark the moment with sandbox mark, and pass the mark to --since. A mark ends with the next restore or reset of the data.',
  ],
};

const runMark = async ({ data }: DataInput, { context: { runtime } }: Call): Promise<FileAnswer> => {
  const serving = await findServing(runtime, data);
  const { mark } = await askRunning(runtime, serving, { call: 'GET /__sandbox/mark', refusal: "Can't mark" });
  return { kind: 'file', value: { mark }, text: String(mark) };
};

export const markCommand: Command = {
  name: 'mark',
  summary: 'Print a mark, for sandbox wait --since',
  ...taking(dataInput, runMark),
  fields: ['mark'],
  local: true,
  examples: ['sandbox mark', 'sandbox mark -o json'],
  notes: ['A mark stands for what has come so far: deliveries, notices and requests.'],
};
