import { termRows, usualWidth } from './lay-out.ts';
import { groups, nouns } from './nouns.ts';

/** The first page, from names and summaries alone: it loads no schema. */
export const topHelp = (): string => {
  const widest = Math.max(...Object.keys(nouns).map(({ length }) => length));
  const sections = groups.flatMap((group) => {
    const rows = Object.entries(nouns)
      .filter(([, noun]) => noun.group === group)
      .map(([name, noun]): [string, string] => [name, noun.summary]);
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
    'Topics: sched help exit-codes, environment, formatting, time, ci.',
  ].join('\n');
};

export const nounHelp = (noun: string, commands: readonly { name: string; summary: string }[]): string =>
  [
    nouns[noun]!.summary,
    '',
    `Usage: sched ${noun} <verb> [IDs] [flags]`,
    '',
    'Verbs:',
    ...termRows(commands.map(({ name, summary }): [string, string] => [name, summary])),
    '',
    `More: sched ${noun} <verb> --help`,
  ].join('\n');
