import { isObject } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import { noticeKinds } from '../../../sandbox/notices.ts';
import type { Command, Invocation } from '../../command.ts';
import { askSandbox } from './running.ts';
import { readData, sharedDataFlag } from './serving.ts';

const view: View = {
  columns: [
    { header: 'TIME', path: 'created_at', as: 'time', priority: 2 },
    { header: 'TO', path: 'to', priority: 3 },
    { header: 'KIND', path: 'kind', priority: 1 },
    { header: 'SUBJECT', path: 'subject', priority: 4 },
  ],
  id: 'number',
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  const data = readData(invocation);
  problems.choice('kind', typed.kind, noticeKinds);
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so it has no notices');
  problems.check();
  const filters = new URLSearchParams();
  for (const name of ['to', 'kind']) if (typed[name] !== undefined) filters.set(name, String(typed[name]));
  const { notices } = await askSandbox(context.runtime, data, {
    method: 'GET',
    path: `/__sandbox/notices?${filters}`,
    refusal: { message: "Can't read the notices" },
  });
  const rows = Array.isArray(notices) ? notices.filter(isObject) : [];
  await context.printer.list(view, [rows]);
  if (rows.length === 0) context.notes.info('No notices found');
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
  run,
};
