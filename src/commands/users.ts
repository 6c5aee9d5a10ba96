import { moreUsers } from '../api/users.ts';
import { type Plan, plan } from '../cli/answer/plan.ts';
import { type Call, taking } from '../cli/input/input.ts';
import { fillScope } from '../cli/operation/default-scope.ts';
import { type Decorations, positional } from '../cli/operation/generic-command.ts';
import { requestInput } from '../cli/operation/input.ts';
import type { OperationInput } from '../cli/operation/run-operation.ts';
import type { View } from '../output/view.ts';
import { gatherByDays, inputsByDays } from './slots/day-windows.ts';
import { slotWindow, slotWindowFlags } from './slots/input.ts';

export const examples = {
  me: ['users me', 'users me --json=uri,timezone'],
  get: ['users get PT9ZYPA238K4HZQ6', 'users get PT9ZYPA238K4HZQ6 --json=name,email'],
  busy: ['users busy', 'users busy jonas.weber@northlight.example --until +14d --json'],
};

const runBusy = async (
  { request: { query = {}, rows = {} } }: OperationInput,
  { context, problems }: Call,
  view: View,
): Promise<Plan> => {
  await fillScope(moreUsers.busy, { query }, context);
  const window = await slotWindow({ context, problems }, rows);
  const { busy } = moreUsers;
  return plan({
    requests: async () => ({ operation: busy, inputs: await inputsByDays(context, busy, query, window) }),
    send: async () => ({ kind: 'rows', view, pages: [await gatherByDays(context, busy, query, window)] }),
  });
};

export const decorate = {
  busy: (generic) => {
    const flags = [...generic.fieldFlags.filter(({ name }) => name === 'user'), ...slotWindowFlags];
    const command = positional({ ...generic, flags, fieldFlags: flags }, 'user', false);
    return {
      ...command,
      run: taking(requestInput(moreUsers.busy, command.fieldFlags), (...call) => runBusy(...call, generic.view)).run,
    };
  },
} satisfies Decorations;
