import { openapi } from '../../../sandbox/openapi.ts';
import { version } from '../../../version.ts';
import type { Command, Invocation } from '../../command.ts';
import { sandboxAddress } from '../../session/connection.ts';
import { servingAround } from './running.ts';

const run = async ({ context, problems }: Invocation): Promise<void> => {
  problems.check();
  await context.printer.whole(
    JSON.stringify(await openapi(version, servingAround(context.runtime, undefined)?.url ?? sandboxAddress), null, 2),
  );
};

export const openapiCommand: Command = {
  name: 'openapi',
  summary: 'Print an OpenAPI 3.1 description of the service, as JSON',
  arguments: [],
  flags: [],
  local: true,
  examples: ['sandbox openapi', 'sandbox openapi > openapi.json'],
  notes: [
    'Generated from the definitions that both sched and the sandbox use. It says "Assumed" where the documentation of the service leaves a gap.',
  ],
  run,
};
