import { nearest } from '../../../nearest.ts';
import type { Invocation } from '../../command.ts';
import type { Nouns } from '../schema/schema.ts';
import { chooseTools } from './choose-tools.ts';
import { clients } from './clients.ts';
import { serveWords } from './serve-flags.ts';
import { allTools } from './tools.ts';

export const runConfig = async (registry: Nouns, invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const { runtime, settings, notes, printer } = context;
  const [word = 'json'] = args;
  const client = Object.hasOwn(clients, word) ? clients[word] : undefined;
  if (client === undefined) {
    const names = Object.keys(clients);
    const meant = nearest(word, names);
    const problem = `No configuration for "${word}". Choose from ${names.join(', ')}`;
    problems.add(problem, meant === undefined ? undefined : (own) => own.setArgument(word, meant));
  }
  // A wrong pattern is better reported here than by a client that can't start its server.
  chooseTools(invocation, await allTools(registry));
  problems.check();
  // A client may not have the PATH of a shell, so the program is named in full.
  const [command = 'sched', ...first] = runtime.machine.program ?? [];
  const words = [...first, 'mcp', 'serve', ...serveWords(invocation)];
  await printer.text(client!.lines(command, words));
  notes.info(client!.where);
  const isStored = settings.sandbox || settings.account !== undefined;
  if (!isStored)
    notes.info(
      'No profile is in use. Log in first, or set SCHED_TOKEN and SCHED_BASE_URL in the environment of the client',
    );
};
