import { moreUsers } from '../../api/users.ts';
import type { Invocation } from '../command.ts';
import { fillScope } from '../operation/default-scope.ts';
import { type Decorations, type GenericCommand, positional, printRequest } from '../operation/generic-command.ts';
import { readInput } from '../operation/input.ts';
import { gatherByDays, inputsByDays } from '../scheduling/day-windows.ts';
import { slotWindow, slotWindowFlags } from './slots.ts';

export const examples = {
  me: ['users me', 'users me --json=uri,timezone'],
  get: ['users get PT9ZYPA238K4HZQ6', 'users get PT9ZYPA238K4HZQ6 --json=name,email'],
  busy: ['users busy', 'users busy jonas.weber@northlight.example --until +14d --json'],
};

const runBusy = async ({ view, fieldFlags }: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context } = invocation;
  const { query = {}, rows = {} } = await readInput(invocation, moreUsers.busy, fieldFlags);
  await fillScope(moreUsers.busy, { query }, context);
  const window = await slotWindow(invocation, rows);
  if (context.settings.dryRun)
    return printRequest(context, moreUsers.busy, await inputsByDays(context, moreUsers.busy, query, window));
  await context.printer.list(view, [await gatherByDays(context, moreUsers.busy, query, window)]);
};

export const decorate = {
  busy: (generic) => {
    const flags = [...generic.fieldFlags.filter(({ name }) => name === 'user'), ...slotWindowFlags];
    return positional({ ...generic, flags, fieldFlags: flags }, 'user', false, runBusy);
  },
} satisfies Decorations;
