import type { Command as Commander } from 'commander';
import type { HelpPage } from './help-page.ts';
import { topics } from './topics.ts';

export const rootFlags = [
  ['-h, --help', 'show help for any command'],
  ['--version', 'show the version'],
] as const;

export const firstCommands = ['sched --sandbox events list', 'sched --sandbox event-types list --json=name,duration'];

const daily = [
  ['sched events list', 'what is coming up'],
  ['sched events agenda', 'your week as a calendar'],
  ['sched event-types slots "Intro call"', 'free times'],
  ['sched invitees create', 'book a meeting, step by step'],
  ['sched events cancel', 'cancel a meeting and notify the invitees'],
] as const;

/** What `sched` alone shows: a screen to begin with. */
export const welcome = (root: Commander, page: HelpPage): string =>
  [
    page.text(`sched: ${root.description().toLowerCase()}`),
    page.items(daily, 'Every day:'),
    `${page.styleTitle('Try it without an account:')}\n${page.commands(['sched --sandbox events list'])}`,
    `${page.styleTitle('Connect your account:')}\n${page.commands(['sched auth login'])}`,
    page.items(
      [
        ['sched --help', 'all commands and help topics'],
        ['sched events list --help', 'flags and examples of a command'],
      ],
      'More:',
    ),
  ].join('\n\n');

/** The page of `sched --help`. It needs only the names and summaries of nouns, so no schema is loaded. */
export const topHelp = (root: Commander, page: HelpPage): string => {
  const [usage, summary, ...nouns] = page.formatHelp(root, page).trimEnd().split('\n\n');
  return [
    usage,
    summary,
    page.items(daily, 'Every day:'),
    ...nouns,
    page.items(rootFlags, 'Flags:'),
    page.items(
      Object.entries(topics).map(([name, { summary }]) => [name, summary]),
      'Topics, shown by sched help <topic>:',
    ),
    `${page.styleTitle('Try it without an account:')}\n${page.commands(firstCommands)}`,
    page.text('More about a command: sched <command> --help. Command names may be singular: sched event list.'),
  ].join('\n\n');
};

export const nounHelp = (noun: Commander, page: HelpPage): string =>
  [page.formatHelp(noun, page).trimEnd(), page.text(`More: sched ${noun.name()} <subcommand> --help`)].join('\n\n');
