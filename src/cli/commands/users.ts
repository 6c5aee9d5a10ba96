import { moreUsers } from '../../api/users.ts';
import type { View } from '../../output/view.ts';
import { type Call, taking } from '../input/input.ts';
import { fillScope } from '../operation/default-scope.ts';
import {
  type Decorations,
  type OperationInput,
  operationInput,
  positional,
  printRequest,
} from '../operation/generic-command.ts';
import { gatherByDays, inputsByDays } from '../scheduling/day-windows.ts';
import { slotWindow, slotWindowFlags } from './slots.ts';

export const examples = {
  me: ['users me', 'users me --json=uri,timezone'],
  get: ['users get PT9ZYPA238K4HZQ6', 'users get PT9ZYPA238K4HZQ6 --json=name,email'],
  busy: ['users busy', 'users busy jonas.weber@northlight.example --until +14d --json'],
};

const runBusy = async (
  { request: { query = {}, rows = {} } }: OperationInput,
  { context, problems }: Call,
  view: View,
): Promise<void> => {
  await fillScope(moreUsers.busy, { query }, context);
  const window = await slotWindow({ context, problems }, rows);
  if (context.settings.dryRun)
    return printRequest(context, moreUsers.busy, await inputsByDays(context, moreUsers.busy, query, window));
  await context.printer.list(view, [await gatherByDays(context, moreUsers.busy, query, window)]);
};

export const decorate = {
  busy: (generic) => {
    const flags = [...generic.fieldFlags.filter(({ name }) => name === 'user'), ...slotWindowFlags];
    const command = positional({ ...generic, flags, fieldFlags: flags }, 'user', false);
    return { ...command, run: taking(operationInput(command), (...call) => runBusy(...call, generic.view)).run };
  },
} satisfies Decorations;
