import type { Command as Commander } from 'commander';
import type { HelpPage } from './help-page.ts';
import { topics } from './topics.ts';

export const rootFlags = [
  ['-h, --help', 'show help for any command'],
  ['--version', 'show the version'],
] as const;

export const firstCommands = ['sched --sandbox events list', 'sched --sandbox event-types list --json=name,duration'];

/** The first page. It needs only the names and summaries of nouns, so no schema is loaded. */
export const topHelp = (root: Commander, page: HelpPage): string =>
  [
    page.formatHelp(root, page).trimEnd(),
    page.items(rootFlags, 'Flags:'),
    page.items(
      Object.entries(topics).map(([name, { summary }]) => [name, summary]),
      'Topics, shown by sched help <topic>:',
    ),
    `${page.styleTitle('Try it without an account:')}\n${page.commands(firstCommands)}`,
    page.text('More about a command: sched <command> --help. Command names may be singular: sched event list.'),
  ].join('\n\n');

export const nounHelp = (noun: Commander, page: HelpPage): string =>
  [page.formatHelp(noun, page).trimEnd(), page.text(`More: sched ${noun.name()} <subcommand> --help`)].join('\n\n');
