import { recordsIn } from '../../base/json.ts';
import type { RowsAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import type { View } from '../../output/view.ts';
import { type DataInput, dataInput } from './input.ts';
import { askRunning, findServing } from './running.ts';

const view: View = {
  columns: [
    { header: 'CLIENT', path: 'client', priority: 4 },
    { header: 'STEP', path: 'step', priority: 5 },
    { header: 'REQUESTS', path: 'requests', priority: 2 },
    { header: 'STATUS', path: 'status', priority: 3 },
    { header: 'MISSED', path: 'missed', priority: 1 },
  ],
  id: 'client',
};

const runOauth = async ({ data }: DataInput, { context: { runtime } }: Call): Promise<RowsAnswer> => {
  const serving = await findServing(runtime, data);
  const request = { call: 'GET /__sandbox/oauth', refusal: "Can't read what clients did" } as const;
  const rows = recordsIn((await askRunning(runtime, serving, request)).oauth);
  const warnings = rows.flatMap(({ client, step, missed }) =>
    missed === null ? [] : [`${client ?? 'A client without an ID'} missed at ${step}: ${missed}`],
  );
  return { kind: 'rows', view, pages: [rows], empty: 'No OAuth client was seen', warnings };
};

export const oauthCommand: Command = {
  name: 'oauth',
  summary: 'Explain what OAuth clients did, and what they missed',
  ...taking(dataInput, runOauth),
  fields: ['client', 'step', 'requests', 'status', 'missed'],
  local: true,
  examples: ['sandbox oauth', 'sandbox oauth --json'],
  notes: [
    'One row for each step of each client in the log: discovery, registration, authorize, token, refresh, call. At the first step that went wrong stands the rule that the client missed, with its RFC and section.',
    'Start the sandbox with --oauth PROFILE to see how a client copes with other servers.',
  ],
};
