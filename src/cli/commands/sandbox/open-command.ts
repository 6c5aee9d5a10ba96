import type { Command, Invocation } from '../../command.ts';
import type { Context } from '../../session/context.ts';
import { askRunning, findServing } from './running.ts';
import { readSharedData, sharedDataFlag } from './serving.ts';

/** How long a key works that is given to a browser: other users of the machine may see a browser's arguments. */
const browserKeySeconds = 60;

/** Opens the desk in a browser. `addressFor` makes an address with a new key, which works for so many seconds. */
export const openDeskPage = async (
  { runtime, notes, printer }: Context,
  addressFor: (seconds?: number) => string | Promise<string>,
): Promise<void> => {
  if (await runtime.openBrowser(await addressFor(browserKeySeconds)))
    return notes.info('Opened the desk of the sandbox in your browser');
  notes.warn("Can't open a browser. Open this address yourself. It works once");
  await notes.flush();
  await printer.text(await addressFor());
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  const { runtime } = context;
  const data = readSharedData(invocation);
  problems.check();
  const serving = await findServing(runtime, data);
  await openDeskPage(context, async (seconds) => {
    const refusal = "Can't open the desk of the sandbox";
    const { url } = await askRunning(runtime, serving, {
      call: 'POST /__sandbox/desk/keys',
      body: { seconds },
      refusal,
    });
    return String(url);
  });
};

export const openCommand: Command = {
  name: 'open',
  summary: 'Open the desk of the running sandbox in your browser',
  arguments: [],
  flags: [sharedDataFlag],
  local: true,
  examples: ['sandbox open', 'sandbox open --data ./sandbox.db'],
  notes: [
    'The desk shows requests, deliveries, rate limits and the calendar of the team as they change. Without this command, the address of the sandbox shows a short page with nothing private.',
    'The address has a key that works once. If no browser can be started, the command prints the address.',
  ],
  run,
};
