import type { FileAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { input, taking } from '../../cli/input/input.ts';
import { applyInput, diffInput, exportInput } from './input.ts';
import { recordFields, rowColumns } from './plan-record.ts';

const rowsNote = `In a pipe, each field that changes is a line: ${rowColumns.join(', ')}.`;

export const configCommands: Command[] = [
  {
    name: 'export',
    summary: 'Print event types, hours and webhooks as a file',
    ...taking(exportInput, async (...call) => (await import('./export.ts')).runConfigExport(...call)),
    effect: 'read',
    examples: ['config export > team.yaml', 'config export --org current --with dates > team.yaml'],
    notes: [
      'Prints YAML, or JSON with -o json: config diff and config apply read both. Fields that only the service sets are left out, and so are event types of other owners. --org current needs an admin.',
      'Reads each event type by itself, so it costs a request for each and a few more.',
    ],
  },
  {
    name: 'diff',
    summary: 'Compare a configuration file with the service',
    ...taking(diffInput, async (...call) => (await import('./diff.ts')).runDiff(...call)),
    fields: [...recordFields, ...rowColumns, 'unmanaged'],
    effect: 'read',
    examples: [
      'config diff team.yaml',
      'config diff team.yaml --exit-code --json',
      'config diff team.yaml --unmanaged --exit-code',
    ],
    notes: [
      'Shows what config apply would do: ~ changes, + creates, - deletes. The digest stands for exactly these changes: config apply --confirm DIGEST makes them and no others.',
      'Only what the file names is compared. A map names entries: other event types and dates stay as they are. A list is the whole: hours and webhooks that it leaves out are removed.',
      '--unmanaged lists what is not in the file: event types of the users it names, hours of its event types, and webhooks of these users, of the groups it names and of the organization. With --exit-code, the exit code is 7 if there is anything.',
      rowsNote,
    ],
  },
  {
    name: 'apply',
    summary: 'Change the service to match a configuration file',
    ...taking(applyInput, async (...call) => (await import('./apply.ts')).planApply(...call)),
    fields: [...recordFields, ...rowColumns],
    effect: 'change',
    examples: [
      'config apply team.yaml',
      'config apply team.yaml --confirm 7f3a9c01b2d4',
      'config apply team.yaml --yes --allow create,delete',
    ],
    notes: [
      'Shows the changes and asks. With --confirm DIGEST it makes the changes that config diff showed, or none if the file or the service has changed since (exit code 7). --yes alone only updates: --allow lets it create and delete.',
      'Only what the file names is touched. If it is killed or fails, run the same command again: nothing is created twice.',
      'Each record is read again before it is written. The service has no way to refuse a write because of a later change, so a change that somebody makes in between is lost: for example, a day off that is added in that moment on the website. Other sched processes are kept from that: while one changes schedules of the same organization, the exit code is 7.',
      "The service can't change a webhook, so a changed one is deleted and created again. It misses what happens in between.",
      rowsNote,
    ],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of configuration files, for editors',
    ...taking(
      input({}),
      async (): Promise<FileAnswer> => ({
        kind: 'file',
        value: (await import('./work-file-schema.ts')).configSchema(),
      }),
    ),
    local: true,
    examples: ['config schema > sched.schema.json', 'config schema --jq .required'],
    notes: ['Keep it beside the file, whose first line names it: # yaml-language-server: $schema=./sched.schema.json'],
  },
];
