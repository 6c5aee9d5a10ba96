import { isObject, type Json } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import type { Command, Invocation } from '../../command.ts';
import { noteHidden } from '../../operation/listing.ts';
import { confirm } from '../../session/confirm.ts';
import { sandboxFile } from '../../session/open-sandbox.ts';
import { askSandbox, servingAround } from './running.ts';
import { readData, sharedDataFlag } from './serving.ts';

const view: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 3 },
    { header: 'SAVED', path: 'saved_at', as: 'time', priority: 2 },
    { header: 'BYTES', path: 'bytes', priority: 1 },
  ],
  id: 'name',
};

type Ask = (method: 'GET' | 'POST' | 'DELETE', path?: string, body?: Json) => Promise<Json>;

interface Action {
  /** The question before it, and the same as a part of an error. */
  question?: (name: string, where: string) => { question: string; action: string };
  run(invocation: Invocation, ask: Ask, name: string): Promise<void>;
}

const actions: Record<string, Action> = {
  list: {
    async run({ context: { printer, notes } }, ask) {
      const { snapshots } = await ask('GET');
      const rows = Array.isArray(snapshots) ? snapshots.filter(isObject) : [];
      noteHidden(notes, (await printer.list(view, [rows])).hiddenColumns);
      if (rows.length === 0) notes.info('No snapshots found');
    },
  },
  save: {
    run: async ({ context }, ask, name) => context.printer.one(view, await ask('POST', '', { name })),
  },
  restore: {
    question: (name, where) => ({
      question: `Replace the data of ${where} by the snapshot "${name}"?`,
      action: `replace the data of ${where}`,
    }),
    run: async ({ context }, ask, name) => context.printer.one(view, await ask('POST', `/${name}/restore`)),
  },
  delete: {
    question: (name) => ({ question: `Delete the snapshot "${name}"?`, action: `delete the snapshot "${name}"` }),
    async run({ context }, ask, name) {
      await ask('DELETE', `/${name}`);
      context.notes.info(`snapshot deleted: ${name}`);
    },
  },
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const { runtime } = context;
  const [named = 'list', name] = args;
  const data = readData(invocation);
  const action = Object.hasOwn(actions, named) ? actions[named] : undefined;
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so it has no snapshots');
  if (action === undefined) problems.add(`Unknown action "${named}". Use ${Object.keys(actions).join(', ')}`);
  else if (named === 'list' && name !== undefined) problems.add('list takes no name');
  else if (named !== 'list' && name === undefined) problems.add(`${named} needs the name of a snapshot`);
  problems.check();
  if (action?.question !== undefined) {
    const where = servingAround(runtime, data)?.url ?? sandboxFile(runtime, data);
    await confirm(context, action.question(name!, where), 'this machine');
  }
  const ask: Ask = (method, path = '', body) =>
    askSandbox(runtime, data, {
      method,
      path: `/__sandbox/snapshots${path}`,
      ...(body && { body }),
      refusal: { message: `Can't ${named} ${named === 'list' ? 'the snapshots' : `the snapshot "${name}"`}` },
    });
  await action!.run(invocation, ask, encodeURIComponent(name ?? ''));
};

export const snapshotCommand: Command = {
  name: 'snapshot',
  summary: "Save the sandbox's data under a name, and restore it",
  arguments: [
    {
      name: 'action',
      description: 'save, restore, list or delete; omit it to list the snapshots',
      choices: Object.keys(actions),
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
