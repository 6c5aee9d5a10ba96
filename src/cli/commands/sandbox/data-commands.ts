import { SchedError } from '../../../errors.ts';
import { type Json, recordsIn } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import { noticeKinds } from '../../../sandbox/notices.ts';
import { readTime } from '../../../time/read.ts';
import type { Command, Invocation } from '../../command.ts';
import { printRows } from '../../operation/listing.ts';
import { confirm } from '../../session/confirm.ts';
import { sandboxFile } from '../../session/open-sandbox.ts';
import { type AdminRequest, askSandbox, servingAround } from './running.ts';
import { readSharedData, sharedDataFlag } from './serving.ts';

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

const clockActions = ['set', 'advance', 'freeze', 'resume'];

/** The body of the admin request that changes the clock as the words say, or undefined if they can't be read. */
const changeFor = ({ context, args, problems }: Invocation, time: unknown): Json | undefined => {
  const [action, text = ''] = args;
  if (action === 'freeze' || action === 'resume') return { frozen: action === 'freeze' };
  const wanted = action === 'advance' ? `+${text.replace(/^\+/, '')}` : text;
  if (wanted === 'now') return { time: 'now' };
  // Round down, because times are read to the second: otherwise each move would lose a fraction of a second.
  const now = Math.floor(Date.parse(String(time)) / 1000) * 1000;
  const reading = readTime(wanted, { zone: context.settings.zone, now });
  if (!reading.ok) {
    problems.add(`${action}: ${reading.problem}`);
    return undefined;
  }
  const instant = Date.parse(reading.instant);
  return /^[+-]/.test(wanted) ? { advance_seconds: (instant - now) / 1000 } : { time: reading.instant };
};

const runClock = async ({ args: words, ...rest }: Invocation): Promise<void> => {
  // `clock +3d` is short for `clock set +3d`.
  const args = words[0]?.startsWith('+') ? ['set', ...words] : words;
  const invocation = { ...rest, args };
  const { context, problems } = invocation;
  const [action, text] = args;
  const data = readSharedData(invocation);
  if (action !== undefined && !clockActions.includes(action))
    problems.add(`Unknown action "${action}". Use ${clockActions.join(', ')}`);
  else if ((action === 'freeze' || action === 'resume') && text !== undefined)
    problems.add(`${action} takes no value. To move the clock, use set ${text}`);
  else if ((action === 'set' || action === 'advance') && text === undefined)
    problems.add(`${action} needs a ${action === 'set' ? 'time' : 'duration'}`);
  else if (action === 'advance' && text!.startsWith('-'))
    problems.add(`advance only moves forward. To move back, use set ${text}`);
  problems.check();
  const refusal = "Can't move the clock";
  const shown = await askSandbox(context.runtime, data, { call: 'GET /__sandbox/clock', refusal });
  const body = action === undefined ? undefined : changeFor(invocation, shown.time);
  problems.check();
  const moved = body && (await askSandbox(context.runtime, data, { call: 'POST /__sandbox/clock', body, refusal }));
  await context.printer.one(clockView, moved ?? shown);
};

export const clockCommand: Command = {
  name: 'clock',
  summary: "Show or change the sandbox's time",
  arguments: [
    {
      name: 'action',
      description: 'set, advance, freeze or resume, or a duration such as +3d; omit it to show the time',
      choices: clockActions,
    },
    { name: 'value', description: 'time to set, or now for the system time; duration to advance, such as 2h or 30d' },
  ],
  flags: [sharedDataFlag],
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
  run: runClock,
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

const snapshotActions = Object.keys(requests);

/** The question before a snapshot or the data is lost. */
const ask = (action: string, name: string, where: string) =>
  action === 'restore'
    ? { question: `Replace the data of ${where} by the snapshot "${name}"?`, action: `replace the data of ${where}` }
    : { question: `Delete the snapshot "${name}"?`, action: `delete the snapshot "${name}"` };

const runSnapshot = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const { runtime, printer, notes } = context;
  const [action = 'list', name = ''] = args;
  const data = readSharedData(invocation);
  if (!snapshotActions.includes(action)) problems.add(`Unknown action "${action}". Use ${snapshotActions.join(', ')}`);
  else if (action === 'list' && name !== '') problems.add('list takes no name');
  else if (action !== 'list' && name === '') problems.add(`${action} needs the name of a snapshot`);
  problems.check();
  if (action === 'restore' || action === 'delete') {
    const where = servingAround(runtime, data)?.url ?? sandboxFile(runtime, data);
    await confirm(context, ask(action, name, where), 'this machine');
  }
  const refusal = `Can't ${action} the snapshot${action === 'list' ? 's' : ` "${name}"`}`;
  const reply = await askSandbox(runtime, data, { ...requests[action as keyof typeof requests](name), refusal });
  if (action === 'delete') return notes.info(`snapshot deleted: ${name}`);
  if (action !== 'list') return printer.one(snapshotView, reply);
  await printRows(context, snapshotView, [recordsIn(reply.snapshots)], 'No snapshots found');
};

export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: "Save the sandbox's data under a name, and restore it",
  arguments: [
    {
      name: 'action',
      description: 'save, restore, list or delete; omit it to list the snapshots',
      choices: snapshotActions,
    },
    { name: 'name', description: 'name of the snapshot: letters, digits, dots, dashes and underscores' },
  ],
  flags: [sharedDataFlag],
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
  run: runSnapshot,
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

const runNotices = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const data = readSharedData(invocation);
  problems.choice('kind', typed.kind, noticeKinds);
  problems.check();
  const filters = new URLSearchParams();
  for (const name of ['to', 'kind']) if (typed[name] !== undefined) filters.set(name, String(typed[name]));
  const call = `GET /__sandbox/notices?${filters}` as const;
  const { notices } = await askSandbox(context.runtime, data, { call, refusal: "Can't read the notices" });
  await printRows(context, noticesView, [recordsIn(notices)], 'No notices found');
};

export const noticesCommand: Command = {
  name: 'notices',
  summary: 'List what the sandbox would have sent by email or text message',
  arguments: [],
  flags: [
    { name: 'to', value: 'ADDRESS', description: 'only those to this email address or phone number' },
    { name: 'kind', value: 'KIND', choices: noticeKinds, description: 'only those of this kind' },
    sharedDataFlag,
  ],
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
  run: runNotices,
};

const runExport = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const { printer, settings, notes } = context;
  const data = readSharedData(invocation);
  problems.check();
  if (typed.schema === true) {
    const { worldJsonSchema } = await import('../../../sandbox/world/schema.ts');
    return printer.whole(worldJsonSchema());
  }
  const [world, { leftOut }, { yamlDocument }, { mostBytes }] = await Promise.all([
    askSandbox(context.runtime, data, { call: 'GET /__sandbox/world', refusal: "Can't export the world" }),
    import('../../../sandbox/world/export.ts'),
    import('../../../output/yaml.ts'),
    import('../../../yaml-file.ts'),
  ]);
  const isPlain = settings.format === 'table' || settings.format === 'tsv';
  const text = isPlain ? yamlDocument(world).trimEnd() : JSON.stringify(world, null, 2);
  if (settings.jq === undefined && Buffer.byteLength(text) >= mostBytes)
    throw new SchedError('usage', "The data is larger than 1 MiB, and --seed couldn't read the file", {
      advice: ['to keep the data as it is, run ', { command: ['sandbox', 'snapshot', 'save', 'NAME'] }],
    });
  await (isPlain ? printer.text(text) : printer.whole(world));
  notes.info(`Left out: ${leftOut}`);
};

export const exportCommand: Command = {
  name: 'export',
  summary: "Write the sandbox's data as a world file, for --seed",
  arguments: [],
  flags: [sharedDataFlag, { name: 'schema', description: 'print the JSON Schema of world files instead, for editors' }],
  local: true,
  examples: ['sandbox export > world.yaml', 'sandbox export -o json', 'sandbox export --schema > world.schema.json'],
  notes: [
    'The file is YAML; with -o json it is JSON. Start another sandbox with it: sched sandbox start --data ./copy.db --seed world.yaml. IDs and times stay the same. docs/sandbox.md describes the format.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command exports that one.',
  ],
  run: runExport,
};
