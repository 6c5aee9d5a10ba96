import { collections } from '../../api/collections.ts';
import type { Command } from '../command.ts';
import type { GenericCommand } from '../operation/generic-command.ts';

export const examples = {
  get: ['orgs get', 'orgs get current --json=name,plan'],
};

export const decorate = {
  get: (generic: GenericCommand): Command => ({
    ...generic,
    arguments: generic.arguments.map((argument) => ({
      ...argument,
      description: `${argument.description} (default: your own)`,
      required: false,
    })),
    run: (invocation) =>
      generic.run({
        ...invocation,
        args: invocation.args.length > 0 ? invocation.args : [collections.organizations.self!],
      }),
  }),
};
