import { mcp } from '../../api/mcp.ts';
import { SchedError } from '../../errors.ts';
import type { Command, Invocation } from '../command.ts';
import { type GenericCommand, printRequest } from '../operation/generic-command.ts';

export const examples = { metadata: ['mcp metadata', 'mcp metadata --json=scopes_supported'] };

/** Fetches the metadata without a token and prints it. Nothing in it is used, but it must describe this resource. */
const run = async ({ view }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, problems } = invocation;
  problems.check();
  if (context.settings.dryRun) return printRequest(invocation, mcp.metadata, [{}]);
  const { mcpUrl } = await context.connection();
  const metadata = await (await context.client()).call(mcp.metadata, {});
  // RFC 9728 §3.3: metadata about another resource must not be used.
  const same = (url: unknown) => String(url).replace(/\/+$/, '');
  if (same(metadata.resource) !== same(mcpUrl)) {
    throw new SchedError('integrity', 'The metadata describes another resource', {
      reason: `requested ${mcpUrl}, but it describes ${metadata.resource}`,
      outcome: 'not-applied',
    });
  }
  await context.printer.one(view, metadata);
};

export const decorate = {
  metadata: (generic: GenericCommand): Command => ({
    ...generic,
    run: (invocation) => run(generic, invocation),
  }),
};
