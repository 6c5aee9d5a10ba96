import { SchedError, usageError } from '../../base/errors.ts';
import { recordsIn } from '../../base/json.ts';
import { words } from '../../base/words.ts';
import type { Answer, FileAnswer, RecordAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Reply } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { actions, actionValue, type ValuesOf } from '../../cli/input/actions.ts';
import { present } from '../../cli/input/entry.ts';
import { both, type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { choice, toggle, word } from '../../cli/input/kinds.ts';
import { sandboxFile } from '../../cli/session/open-sandbox.ts';
import type { View } from '../../output/view.ts';
import { noticeKinds } from '../../sandbox/rules/notices.ts';
import { readTime } from '../../time/read.ts';
import { dataInput, sharedData } from './input.ts';
import { type AdminRequest, askSandbox, servingAround } from './running.ts';

/*
 * Commands about the data of a sandbox. They ask the running sandbox in the environment, else the data itself.
 */

const clockView: View = {
  columns: [
    { header: 'TIME', path: 'time', as: 'time', priority: 3 },
    { header: 'OFFSET (S)', path: 'offset_seconds', priority: 2 },
    { header: 'DATA', path: 'data', priority: 1 },
    { header: 'FROZEN', path: 'frozen', priority: 2 },
  ],
  id: 'time',
};

const withoutValue = (action: string) =>
  actionValue((text) => text !== '' && `${action} takes no value. To move the clock, use set ${text}`);

const clockActions = actions(
  [
    {
      name: 'action',
      description: 'set, advance, freeze or resume, or a duration such as +3d; omit it to show the time',
    },
    { name: 'value', description: 'time to set, or now for the system time; duration to advance, such as 2h or 30d' },
  ],
  {
    set: input({ value: actionValue((text) => text === '' && 'set needs a time') }),
    advance: input({
      value: actionValue((text) => {
        if (text === '') return 'advance needs a duration';
        return text.startsWith('-') && `advance only moves forward. To move back, use set ${text}`;
      }),
    }),
    freeze: input({ value: withoutValue('freeze') }),
    resume: input({ value: withoutValue('resume') }),
  },
  // `clock +3d` is short for `clock set +3d`.
  (given) => (String(given.action).startsWith('+') ? { ...given, action: 'set', value: given.action } : given),
);

const clockInput = both(dataInput, clockActions);

/** The body of the admin request that moves the clock. `time` is what the clock shows. */
const moveFor = (action: string, text: string, time: unknown, zone: string): object => {
  const target = action === 'advance' ? `+${text.replace(/^\+/, '')}` : text;
  if (target === 'now') return { time: 'now' };
  // Round down, because times are read to the second: otherwise each move would lose a fraction of a second.
  const now = Math.floor(Date.parse(String(time)) / 1000) * 1000;
  const reading = readTime(target, { zone, now });
  if (!reading.ok) throw usageError([words`${action}: ${reading.problem}`]);
  const instant = Date.parse(reading.instant);
  return /^[+-]/.test(target) ? { advance_seconds: (instant - now) / 1000 } : { time: reading.instant };
};

const runClock = async (values: ValuesOf<typeof clockInput>, { context }: Call): Promise<RecordAnswer> => {
  const { runtime, settings } = context;
  const { action, data } = values;
  const refusal = "Can't move the clock";
  const clock = await askSandbox(runtime, data, { call: 'GET /__sandbox/clock', refusal });
  if (action === undefined) return { kind: 'record', view: clockView, record: clock };
  const isMove = action === 'set' || action === 'advance';
  const body = isMove ? moveFor(action, values.value, clock.time, settings.zone) : { frozen: action === 'freeze' };
  const record = await askSandbox(runtime, data, { call: 'POST /__sandbox/clock', body, refusal });
  return { kind: 'record', view: clockView, record };
};

export const clockCommand: Command = {
  name: 'clock',
  summary: "Show or change the sandbox's time",
  ...taking(clockInput, runClock),
  fields: ['time', 'offset_seconds', 'frozen', 'data'],
  local: true,
  examples: [
    'sandbox clock',
    'sandbox clock advance 2h',
    'sandbox clock set 2026-12-01T09:00:00Z --data ./sandbox.db',
    'sandbox clock set now',
    'sandbox clock freeze',
  ],
  notes: [
    'Rate limits, tokens, codes, page tokens, due deletions and retries of webhooks use this clock. A running sandbox with the same data follows at its next request. The clock is moved, never sped up. A reset restores it.',
    'A frozen clock shows the same time until resume, also after set and advance. Rate limits then start again only if you move it.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command moves the clock of that sandbox.',
  ],
};

const snapshotView: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 3 },
    { header: 'SAVED', path: 'saved_at', as: 'time', priority: 2 },
    { header: 'BYTES', path: 'bytes', priority: 1 },
  ],
  id: 'name',
};

/** How each action is asked for. */
const requests = {
  list: () => ({ call: 'GET /__sandbox/snapshots' }),
  save: (name) => ({ call: 'POST /__sandbox/snapshots', body: { name } }),
  restore: (name) => ({ call: `POST /__sandbox/snapshots/${encodeURIComponent(name)}/restore` }),
  delete: (name) => ({ call: `DELETE /__sandbox/snapshots/${encodeURIComponent(name)}` }),
} satisfies Record<string, (name: string) => Omit<AdminRequest, 'refusal'>>;

const needsName = (action: string) =>
  input({ name: actionValue((text) => text === '' && `${action} needs the name of a snapshot`) });

const snapshotInput = both(
  dataInput,
  actions(
    [
      { name: 'action', description: 'save, restore, list or delete; omit it to list the snapshots' },
      { name: 'name', description: 'name of the snapshot: letters, digits, dots, dashes and underscores' },
    ],
    {
      list: input({ name: actionValue((text) => text !== '' && 'list takes no name') }),
      save: needsName('save'),
      restore: needsName('restore'),
      delete: needsName('delete'),
    },
  ),
);

/** The question before a snapshot or the data is lost. */
const lossQuestion = (action: string, name: string, where: string) =>
  action === 'restore'
    ? { question: `Replace the data of ${where} by the snapshot "${name}"?`, action: `replace the data of ${where}` }
    : { question: `Delete the snapshot "${name}"?`, action: `delete the snapshot "${name}"` };

const runSnapshot = async (values: ValuesOf<typeof snapshotInput>, { context }: Call): Promise<Reply> => {
  const { runtime } = context;
  const { data, action = 'list' } = values;
  const name = values.action === undefined ? '' : values.name;
  const refusal = `Can't ${action} the snapshot${action === 'list' ? 's' : ` "${name}"`}`;
  const send = async (): Promise<Answer> => {
    const reply = await askSandbox(runtime, data, { ...requests[action](name), refusal });
    if (action === 'delete') return { kind: 'nothing', hints: [`snapshot deleted: ${name}`] };
    if (action !== 'list') return { kind: 'record', view: snapshotView, record: reply };
    return { kind: 'rows', view: snapshotView, pages: [recordsIn(reply.snapshots)], empty: 'No snapshots found' };
  };
  if (action !== 'restore' && action !== 'delete') return send();
  const where = servingAround(runtime, data)?.url ?? sandboxFile(runtime, data);
  return ownPlan({ question: () => lossQuestion(action, name, where), send });
};

export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: "Save the sandbox's data under a name, and restore it",
  ...taking(snapshotInput, runSnapshot),
  fields: ['name', 'saved_at', 'bytes'],
  view: snapshotView,
  local: true,
  examples: [
    'sandbox snapshot save before-import',
    'sandbox snapshot restore before-import --yes',
    'sandbox snapshot list',
    'sandbox snapshot delete before-import --yes',
  ],
  notes: [
    'A snapshot has all data, and the time of the clock. The request log and the faults of a running sandbox stay as they are. Saving under the same name again replaces the snapshot. Snapshots are files in a directory beside the data, whose name ends in .snapshots, and can be used as data themselves.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command uses that sandbox. The snapshots of data in memory end with it.',
  ],
};

const noticesView: View = {
  columns: [
    { header: 'TIME', path: 'created_at', as: 'time', priority: 2 },
    { header: 'TO', path: 'to', priority: 3 },
    { header: 'KIND', path: 'kind', priority: 1 },
    { header: 'SUBJECT', path: 'subject', priority: 4 },
  ],
  id: 'number',
};

const noticesEntries = {
  to: word('only those to this email address or phone number', { value: 'ADDRESS' }),
  kind: choice(noticeKinds, 'only those of this kind', { value: 'KIND' }),
  data: sharedData,
};

const runNotices = async (
  { data, ...filterValues }: Values<typeof noticesEntries>,
  { context }: Call,
): Promise<RowsAnswer> => {
  const filters = new URLSearchParams(present(filterValues));
  const call = `GET /__sandbox/notices?${filters}` as const;
  const { notices } = await askSandbox(context.runtime, data, { call, refusal: "Can't read the notices" });
  return { kind: 'rows', view: noticesView, pages: [recordsIn(notices)], empty: 'No notices found' };
};

export const noticesCommand: Command = {
  name: 'notices',
  summary: 'List what the sandbox would have sent by email or text message',
  ...taking(input(noticesEntries), runNotices),
  fields: ['number', 'created_at', 'channel', 'to', 'kind', 'subject', 'about', 'details'],
  local: true,
  examples: [
    'sandbox notices',
    'sandbox notices --to ada@example.com --json=created_at,subject',
    'sandbox notices --kind event.canceled --data ./sandbox.db',
  ],
  notes: [
    'Nothing is sent. The newest 100 are listed, the last one first; "about" is the record that a notice is about. Seeded events have none.',
    'Inside sandbox run, this command uses that sandbox. Elsewhere it reads the data, also while a sandbox runs with it.',
  ],
};

const exportEntries = {
  data: sharedData,
  schema: toggle('print the JSON Schema of world files instead, for editors'),
};

const runDataExport = async (
  { data, schema }: Values<typeof exportEntries>,
  { context }: Call,
): Promise<FileAnswer> => {
  if (schema) {
    const { worldJsonSchema } = await import('../../sandbox/world/schema.ts');
    return { kind: 'file', value: { ...worldJsonSchema() } };
  }
  const [world, { leftOut }, { yamlDocument }, { mostBytes }] = await Promise.all([
    askSandbox(context.runtime, data, { call: 'GET /__sandbox/world', refusal: "Can't export the world" }),
    import('../../sandbox/world/export.ts'),
    import('../../output/yaml.ts'),
    import('../../yaml-file.ts'),
  ]);
  const check = (text: string): void => {
    if (Buffer.byteLength(text) >= mostBytes)
      throw new SchedError('usage', "The data is larger than 1 MiB, and --seed couldn't read the file", {
        advice: ['to keep the data as it is, run ', { command: ['sandbox', 'snapshot', 'save', 'NAME'] }],
      });
  };
  const text = yamlDocument(world).trimEnd();
  return { kind: 'file', value: world, text, check, hints: [`Left out: ${leftOut}`] };
};

export const exportCommand: Command = {
  name: 'export',
  summary: "Write the sandbox's data as a world file, for --seed",
  ...taking(input(exportEntries), runDataExport),
  local: true,
  examples: ['sandbox export > world.yaml', 'sandbox export -o json', 'sandbox export --schema > world.schema.json'],
  notes: [
    'The file is YAML; with -o json it is JSON. Start another sandbox with it: sched sandbox start --data ./copy.db --seed world.yaml. IDs and times stay the same. docs/sandbox.md describes the format.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command exports that one.',
  ],
};
