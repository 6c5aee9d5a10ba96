import type { Command } from '../../cli/command.ts';
import { bundleCommand } from './bundle.ts';
import { deletion } from './delete.ts';
import { evidenceCommands } from './evidence.ts';
import { expiredCommand } from './expired.ts';
import { exportCommand } from './export.ts';
import { recheckCommand } from './recheck.ts';

export const examples = {
  delete: [
    'compliance delete --from emails.txt --dry-run --json',
    'compliance delete --from people.csv --column email --confirm 1250',
    'compliance delete --from - --yes --max 500 --allow-empty --org ORG_ID',
    'compliance delete ada@engine.example --yes',
  ],
};

export const decorate = { delete: deletion };

export const extra = (): Command[] => [
  recheckCommand,
  exportCommand,
  expiredCommand,
  ...evidenceCommands,
  bundleCommand,
];
