import type { Command } from '../command.ts';
import type { GenericCommand } from '../operation/generic-command.ts';
import { ownOrganization } from '../session/identity.ts';

export const examples = {
  get: ['orgs get', 'orgs get --json=name,plan'],
};

export const decorate = {
  get: (generic: GenericCommand): Command => ({
    ...generic,
    arguments: [{ name: 'organization', description: 'ID or URI of an organization (default: your own)' }],
    run: async (invocation) => {
      const { args, context, problems } = invocation;
      if (args.length > 0) return generic.run(invocation);
      problems.check();
      return generic.run({ ...invocation, args: [ownOrganization(await context.identity())] });
    },
  }),
};
