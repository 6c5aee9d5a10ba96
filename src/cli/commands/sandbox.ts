import { rm } from 'node:fs/promises';
import { SchedError } from '../../errors.ts';
import { serve } from '../../sandbox/server.ts';
import type { Command, Invocation } from '../command.ts';
import { requireConsent } from '../consent.ts';
import { openShared, sandboxFile } from '../embedded.ts';

const defaultPort = 4010;

const readPort = ({ typed, problems }: Invocation): number => {
  if (typed.port === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(String(typed.port)) ? Number(typed.port) : -1;
  if (port >= 0 && port <= 65_535) return port;
  problems.add(`--port '${typed.port}' is not a port from 0 to 65535`);
  return defaultPort;
};

/** Serves until the process is told to stop. */
const start = async (invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  const { runtime, printer, notes } = context;
  const port = readPort(invocation);
  problems.check();
  const sandbox = await openShared(runtime);
  const server = await serve(sandbox.service, { port }).catch((error: NodeJS.ErrnoException) => {
    sandbox.close();
    throw new SchedError('environment', `Cannot listen on 127.0.0.1:${port}`, {
      reason: error.code === 'EADDRINUSE' ? 'another program listens there' : error.message,
      hint: 'sched sandbox start --port 0',
    });
  });
  const facts = { base_url: server.url, token: sandbox.token };
  await printer.text(
    context.settings.format === 'json'
      ? JSON.stringify(facts)
      : `export SCHED_BASE_URL=${facts.base_url}\nexport SCHED_TOKEN=${facts.token}`,
  );
  notes.say(`the sandbox listens on ${server.url}; Ctrl-C stops it`);
  await new Promise<void>((resolve) => {
    if (runtime.interrupted.aborted) resolve();
    runtime.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
  sandbox.close();
};

/** Throws the world away and seeds a new one around today. */
const reset = async ({ context, problems }: Invocation): Promise<void> => {
  problems.check();
  const file = sandboxFile(context.runtime);
  await requireConsent(context, 'Throw the sandbox data away and seed it anew?');
  // The files go as a whole, so that even damaged ones are mended.
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${file}${suffix}`, { force: true });
  const sandbox = await openShared(context.runtime);
  sandbox.close();
  context.notes.say(`seeded anew: ${file}`);
};

export const commands: Command[] = [
  {
    name: 'start',
    summary: 'Serve the embedded service on this machine until stopped',
    arguments: [],
    flags: [
      {
        name: 'port',
        value: 'N',
        description: `port on 127.0.0.1, 0 for any free one (default ${defaultPort})`,
        heading: 'Flags',
      },
    ],
    examples: ['sandbox start', 'sandbox start --port 0 --json'],
    run: start,
  },
  {
    name: 'reset',
    summary: 'Throw the sandbox data away and seed it anew',
    arguments: [],
    flags: [],
    examples: ['sandbox reset --yes'],
    run: reset,
  },
];
