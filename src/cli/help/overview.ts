import type { Command as Commander } from 'commander';
import { helpGroups } from '../../api/catalogue.ts';
import { termRows, usualWidth } from '../messages/text-layout.ts';
import { topics } from './topics.ts';

/** The first page, from the names and summaries of nouns alone: it loads no schema. */
export const topHelp = (root: Commander): string => {
  const widest = Math.max(...root.commands.map((noun) => noun.name().length));
  const sections = helpGroups.flatMap((group) => {
    const rows = root.commands
      .filter((noun) => noun.helpGroup() === group)
      .map((noun): [string, string] => [noun.name(), noun.description()]);
    return rows.length === 0 ? [] : [`${group}:`, ...termRows(rows, usualWidth, widest + 4), ''];
  });
  return [
    'The scheduling service on the command line.',
    '',
    'Usage: sched <noun> <verb> [IDs] [flags]',
    '',
    ...sections,
    'Look around without an account:',
    '  sched --sandbox events list',
    '  sched --sandbox event-types list --json=name,duration',
    '',
    'More: sched <noun> --help, sched <noun> <verb> --help. Nouns may be singular.',
    `Topics: sched help ${Object.keys(topics).join(', ')}.`,
  ].join('\n');
};

export const nounHelp = (noun: Commander): string =>
  [
    noun.description(),
    '',
    `Usage: sched ${noun.name()} <verb> [IDs] [flags]`,
    '',
    'Verbs:',
    ...termRows(noun.commands.map((verb): [string, string] => [verb.name(), verb.description()])),
    '',
    `More: sched ${noun.name()} <verb> --help`,
  ].join('\n');
