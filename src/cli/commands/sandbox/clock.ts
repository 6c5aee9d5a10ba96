import type { View } from '../../../output/view.ts';
import type { SandboxClock } from '../../../sandbox/clock.ts';
import { readTime } from '../../../time/read.ts';
import type { Command, Invocation } from '../../command.ts';
import { openSandboxData, sandboxFile } from '../../session/sandbox.ts';
import { dataFlag, readData } from './serve.ts';

const view: View = {
  columns: [
    { header: 'TIME', path: 'time', as: 'time', priority: 3 },
    { header: 'OFFSET (S)', path: 'offset_seconds', priority: 2 },
    { header: 'DATA', path: 'data', priority: 1 },
  ],
  id: 'time',
};

const actions = ['set', 'advance'];

const move = ({ context, args, problems }: Invocation, clock: SandboxClock): void => {
  const [action, text = ''] = args;
  const wanted = action === 'advance' ? `+${text.replace(/^\+/, '')}` : text;
  // From a whole second, because times are read to the second: what is left of one would be lost with each move.
  const now = Math.floor(clock.now() / 1000) * 1000;
  const reading = readTime(wanted, { zone: context.settings.zone, now });
  if (wanted === 'now') clock.restore();
  else if (!reading.ok) problems.add(`${action}: ${reading.problem}`);
  else if (/^[+-]/.test(wanted)) clock.advance(Date.parse(reading.instant) - now);
  else clock.set(Date.parse(reading.instant));
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const [action, text] = args;
  const data = readData(invocation);
  if (data === ':memory:') problems.add('--data :memory: is gone as soon as a command ends: there is no clock to move');
  if (action !== undefined && !actions.includes(action))
    problems.add(`'${action}' is not one of ${actions.join(', ')}`);
  else if (action !== undefined && text === undefined)
    problems.add(`${action} needs a ${action === 'set' ? 'time' : 'duration'}`);
  else if (action === 'advance' && text!.startsWith('-')) problems.add(`advance goes forward; set ${text} goes back`);
  problems.check();
  const sandbox = await openSandboxData(context.runtime, { data });
  try {
    const { clock } = sandbox;
    if (action !== undefined) move(invocation, clock);
    problems.check();
    await context.printer.one(view, {
      time: new Date(clock.now()).toISOString(),
      offset_seconds: Math.round(clock.offset / 1000),
      data: sandboxFile(context.runtime, data),
    });
  } finally {
    sandbox.close();
  }
};

export const clockCommand: Command = {
  name: 'clock',
  summary: 'Show what time it is in the sandbox, or move its clock',
  arguments: [
    { name: 'action', description: 'set or advance; without it the time is shown', choices: actions },
    { name: 'value', description: 'a time to set, or now for the system’s; a duration to advance, as 2h or 30d' },
  ],
  flags: [dataFlag],
  fields: ['time', 'offset_seconds', 'data'],
  local: true,
  examples: [
    'sandbox clock',
    'sandbox clock advance 2h',
    'sandbox clock set 2026-12-01T09:00:00Z --data ./sandbox.db',
    'sandbox clock set now',
  ],
  notes: [
    'Rate limits, tokens, codes, page tokens and due deletions follow; a service that runs on the same data follows with its next request. The clock is moved, never sped up. A reset puts it back.',
  ],
  run,
};
