import type { Json } from '../../../json.ts';
import type { View } from '../../../output/view.ts';
import { readTime } from '../../../time/read.ts';
import type { Command, Invocation } from '../../command.ts';
import { askSandbox } from './running.ts';
import { readData, sharedDataFlag } from './serving.ts';

const view: View = {
  columns: [
    { header: 'TIME', path: 'time', as: 'time', priority: 3 },
    { header: 'OFFSET (S)', path: 'offset_seconds', priority: 2 },
    { header: 'DATA', path: 'data', priority: 1 },
    { header: 'FROZEN', path: 'frozen', priority: 2 },
  ],
  id: 'time',
};

const actions = ['set', 'advance', 'freeze', 'resume'];

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

const run = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const [action, text] = args;
  const data = readData(invocation);
  if (data === ':memory:') problems.add('--data :memory: ends with the command, so there is no clock to move');
  if (action !== undefined && !actions.includes(action))
    problems.add(`Unknown action "${action}". Use ${actions.join(', ')}`);
  else if ((action === 'freeze' || action === 'resume') && text !== undefined)
    problems.add(`${action} takes no value. To move the clock, use set ${text}`);
  else if ((action === 'set' || action === 'advance') && text === undefined)
    problems.add(`${action} needs a ${action === 'set' ? 'time' : 'duration'}`);
  else if (action === 'advance' && text!.startsWith('-'))
    problems.add(`advance only moves forward. To move back, use set ${text}`);
  problems.check();
  const ask = (change?: { body: Json }) =>
    askSandbox(context.runtime, data, {
      method: change === undefined ? 'GET' : 'POST',
      path: '/__sandbox/clock',
      refusal: { message: "Can't move the clock" },
      ...change,
    });
  const shown = await ask();
  const body = action === undefined ? undefined : changeFor(invocation, shown.time);
  problems.check();
  await context.printer.one(view, body === undefined ? shown : await ask({ body }));
};

export const clockCommand: Command = {
  name: 'clock',
  summary: "Show or change the sandbox's time",
  arguments: [
    { name: 'action', description: 'set, advance, freeze or resume; omit it to show the time', choices: actions },
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
  run,
};
