import { isObject } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import type { Command, Invocation } from '../../command.ts';
import { confirm } from '../../session/confirm.ts';
import { sandboxFile } from '../../session/open-sandbox.ts';
import { type AdminRequest, askSandbox, servingAround } from './running.ts';
import { readData, sharedDataFlag } from './serving.ts';

const view: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 3 },
    { header: 'SAVED', path: 'saved_at', as: 'time', priority: 2 },
    { header: 'BYTES', path: 'bytes', priority: 1 },
  ],
  id: 'name',
};

/** How each action is asked for. */
const requests = {
  list: () => ({ method: 'GET', path: '/__sandbox/snapshots' }),
  save: (name) => ({ method: 'POST', path: '/__sandbox/snapshots', body: { name } }),
  restore: (name) => ({ method: 'POST', path: `/__sandbox/snapshots/${encodeURIComponent(name)}/restore` }),
  delete: (name) => ({ method: 'DELETE', path: `/__sandbox/snapshots/${encodeURIComponent(name)}` }),
} satisfies Record<string, (name: string) => Omit<AdminRequest, 'refusal'>>;

const actions = Object.keys(requests);

/** The question before a snapshot or the data is lost. */
const ask = (action: string, name: string, where: string) =>
  action === 'restore'
    ? { question: `Replace the data of ${where} by the snapshot "${name}"?`, action: `replace the data of ${where}` }
    : { question: `Delete the snapshot "${name}"?`, action: `delete the snapshot "${name}"` };

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const { runtime, printer, notes } = context;
  const [action = 'list', name = ''] = args;
  const data = readData(invocation);
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so it has no snapshots');
  if (!actions.includes(action)) problems.add(`Unknown action "${action}". Use ${actions.join(', ')}`);
  else if (action === 'list' && name !== '') problems.add('list takes no name');
  else if (action !== 'list' && name === '') problems.add(`${action} needs the name of a snapshot`);
  problems.check();
  if (action === 'restore' || action === 'delete') {
    const where = servingAround(runtime, data)?.url ?? sandboxFile(runtime, data);
    await confirm(context, ask(action, name, where), 'this machine');
  }
  const refusal = { message: `Can't ${action} the snapshot${action === 'list' ? 's' : ` "${name}"`}` };
  const reply = await askSandbox(runtime, data, { ...requests[action as keyof typeof requests](name), refusal });
  if (action === 'delete') return notes.info(`snapshot deleted: ${name}`);
  if (action !== 'list') return printer.one(view, reply);
  const rows = Array.isArray(reply.snapshots) ? reply.snapshots.filter(isObject) : [];
  await printer.list(view, [rows]);
  if (rows.length === 0) notes.info('No snapshots found');
};

export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: "Save the sandbox's data under a name, and restore it",
  arguments: [
    {
      name: 'action',
      description: 'save, restore, list or delete; omit it to list the snapshots',
      choices: actions,
    },
    { name: 'name', description: 'name of the snapshot: letters, digits, dots, dashes and underscores' },
  ],
  flags: [sharedDataFlag],
  fields: ['name', 'saved_at', 'bytes'],
  view,
  local: true,
  examples: [
    'sandbox snapshot save before-import',
    'sandbox snapshot restore before-import --yes',
    'sandbox snapshot list',
    'sandbox snapshot delete before-import --yes',
  ],
  notes: [
    'A snapshot has all data, and the time of the clock. The request log and the faults of a running sandbox stay as they are. To save again under the same name replaces the snapshot. Snapshots are files in a directory beside the data, whose name ends in .snapshots, and can be used as data themselves.',
    'Inside sandbox run, and wherever SCHED_BASE_URL and SCHED_SANDBOX_ADMIN name a running sandbox, this command uses that sandbox. The snapshots of data in memory end with it.',
  ],
  run,
};
