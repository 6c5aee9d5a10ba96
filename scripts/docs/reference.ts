import type { Command as Commander } from 'commander';
import { helpGroups } from '../../src/api/catalogue.ts';
import { spell } from '../../src/base/words.ts';
import type { Flag } from '../../src/cli/command.ts';
import { operationsOf, pipeColumns } from '../../src/cli/help/command-help.ts';
import { firstSentence } from '../../src/cli/help/help-page.ts';
import { exitCodeFacts } from '../../src/cli/help/topics.ts';
import { listInput } from '../../src/cli/operation/list-input.ts';
import { type Leaf, requirementOf } from '../../src/cli/parse/leaf.ts';
import { sharedFlags } from '../../src/cli/parse/shared-flags.ts';
import { markdownTable } from './markdown.ts';

/** Escapes markdown characters. The text stays readable in its raw form. */
const escaped = (text: string): string => text.replace(/[*<]/g, '\\$&');
const code = (text: string): string => `\`${text}\``;
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const termOf = ({ name, short, kind: { value }, optional, negatable }: Flag): string => {
  const long = `--${negatable ? '[no-]' : ''}${name}`;
  const typed = value === undefined ? long : optional ? `${long}[=${value}]` : `${long} ${value}`;
  return code(short === undefined ? typed : `-${short}, ${typed}`);
};

const meaning = (flag: Flag): string => {
  const { description, choices, repeat } = flag;
  return [
    escaped(spell(description)),
    ...(choices === undefined ? [] : [`: ${choices.map(code).join(', ')}`]),
    ...(repeat ? [' (repeatable)'] : []),
    requirementOf(flag),
  ].join('');
};

const flagTable = (flags: readonly Flag[]): string[] =>
  markdownTable(
    ['flag', 'meaning'],
    flags.map((flag) => [termOf(flag), meaning(flag)]),
  );

const operationNote = ({ definition }: Leaf): string => {
  const { operation } = definition;
  if (operation === undefined) return '';
  const { scope, plan } = operation;
  const requests = operationsOf(definition).map(
    ({ method, path, assumed }) => `${code(`${method} ${path}`)}${assumed ? ' (assumed)' : ''}`,
  );
  return [
    ` ${requests.join(' or ')}`,
    ...(scope === undefined ? [] : [`scope ${code(scope)}`]),
    ...(plan === undefined ? [] : [`${plan} plan`]),
  ].join(', ');
};

/** A note as markdown. Indented lines become a code block. */
const note = (text: string): string[] => {
  const lines = text.split('\n');
  const isCode = (line: string) => line.startsWith('  ');
  const first = lines.findIndex(isCode);
  if (first < 0) return [escaped(text), ''];
  return [
    ...(first === 0 ? [] : [...lines.slice(0, first).map(escaped), '']),
    ...['```text', ...lines.slice(first).map((line) => line.replace(/^ {2}/, '')), '```', ''],
  ];
};

const commandSection = (words: string, leaf: Leaf, level: string): string[] => {
  const { definition: command } = leaf;
  const columns = pipeColumns(command);
  const lists = new Set(listInput.flags);
  return [
    `${level} ${words}`,
    '',
    `${escaped(sentence(leaf.description()))}${operationNote(leaf)}`,
    '',
    '```sh',
    `# ${words} ${leaf.usage()}`,
    `sched ${command.examples[0]}`,
    '```',
    '',
    ...markdownTable(
      ['argument', 'meaning'],
      command.arguments.map(({ name, description }) => [code(name), escaped(spell(description))]),
    ),
    ...flagTable(command.flags.filter((flag) => !lists.has(flag))),
    ...(columns.length === 0 ? [] : [`Columns in a pipe: ${columns.map(code).join(', ')}.`, '']),
    ...(command.notes ?? []).flatMap(note),
  ];
};

const nounSection = (noun: Commander): string[] => {
  const words = `sched ${noun.name()}`;
  if (noun.commands.length === 0) return commandSection(words, noun as Leaf, '###');
  const singular = noun.alias() === undefined ? '' : ` Alias: ${code(noun.alias())}.`;
  return [
    `### ${words}`,
    '',
    `${escaped(sentence(noun.description()))}${singular}`,
    '',
    ...noun.commands.flatMap((verb) => commandSection(`${words} ${verb.name()}`, verb as Leaf, '####')),
  ];
};

/** A link to a heading of the page: GitHub's form of `sched events list`. */
const linkTo = (words: string, text: string): string => `[${text}](#${words.replaceAll(' ', '-')})`;

/** A line of the table of contents: a noun, what it is for, and its verbs. */
const contentsRow = (noun: Commander): string[] => {
  const words = `sched ${noun.name()}`;
  const verbs = noun.commands.map((verb) => linkTo(`${words} ${verb.name()}`, verb.name()));
  return [linkTo(words, noun.name()), firstSentence(noun), verbs.join(', ')];
};

/** The command reference: docs/reference.md. */
export const referencePage = (root: Commander): string => {
  const groups = helpGroups
    .map((group) => ({ group, nouns: root.commands.filter((noun) => noun.helpGroup() === group) }))
    .filter(({ nouns }) => nouns.length > 0);
  const sections = groups.flatMap(({ group, nouns }) => [`## ${group}`, '', ...nouns.flatMap(nounSection)]);
  const lines = [
    '# Command reference',
    '',
    'Generated from the commands by `npm run generate`. `sched help` shows the same on a terminal. At the end are the',
    '[flags that every command takes](#shared-flags) and the [exit codes](#exit-codes).',
    '',
    ...markdownTable(
      ['noun', 'what it does', 'verbs'],
      groups.flatMap(({ nouns }) => nouns.map(contentsRow)),
    ),
    ...sections,
    '## Shared flags',
    '',
    'Every command takes these flags:',
    '',
    ...flagTable(sharedFlags),
    'Every list command also takes these:',
    '',
    ...flagTable(listInput.flags),
    '## Exit codes',
    '',
    ...markdownTable(
      ['code', 'name', 'when'],
      exitCodeFacts.map(({ code: number, name, meaning: when }) => [String(number), code(name), escaped(when)]),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
};
