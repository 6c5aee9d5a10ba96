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
  // Round down, because times are read to the second: otherwise each move would lose a fraction of a second.
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
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so there is no clock to move');
  if (action !== undefined && !actions.includes(action))
    problems.add(`Unknown action "${action}". Use ${actions.join(' or ')}`);
  else if (action !== undefined && text === undefined)
    problems.add(`${action} needs a ${action === 'set' ? 'time' : 'duration'}`);
  else if (action === 'advance' && text!.startsWith('-'))
    problems.add(`advance only moves forward. To move back, use set ${text}`);
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
  summary: "Show or change the sandbox's time",
  arguments: [
    { name: 'action', description: 'set or advance; omit it to show the time', choices: actions },
    { name: 'value', description: 'time to set, or now for the system time; duration to advance, such as 2h or 30d' },
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
    'Rate limits, tokens, codes, page tokens, due deletions and retries of webhooks use this clock. A running sandbox with the same data follows at its next request. The clock is moved, never sped up. A reset restores it.',
  ],
  run,
};
