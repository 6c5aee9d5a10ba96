import type { Command as Commander } from 'commander';
import { helpGroups } from '../../src/api/catalogue.ts';
import { spell } from '../../src/base/words.ts';
import { paragraphsOf } from '../../src/cli/help/command-help.ts';
import { firstSentence, HelpPage, optionTerm } from '../../src/cli/help/help-page.ts';
import { firstCommands, rootFlags } from '../../src/cli/help/overview.ts';
import { topicHelp, topics } from '../../src/cli/help/topics.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { escaped, roff, wrapped } from './roff.ts';

/** The newest released version in the changelog, under a heading such as `## 1.2.0 (2026-12-01)`. */
export const lastRelease = (changelog: string): { version: string; date: string } | undefined => {
  const [, version, date] = /^## \[?v?(\d+\.\d+\.\d+[\w.-]*)\]?.*?(\d{4}-\d{2}-\d{2})/m.exec(changelog) ?? [];
  return version === undefined || date === undefined ? undefined : { version, date };
};

interface Page {
  /** `sched-events` */
  name: string;
  section: 1 | 7;
  summary: string;
  /** Lines of roff below NAME. */
  body: string[];
  seeAlso: string[];
}

const section = (heading: string): string => `.SH ${heading}`;
const bold = (text: string): string => `\\fB${escaped(text)}\\fR`;
const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? `${text[0]!.toLowerCase()}${text.slice(1)}` : text;

const nounPageName = (noun: string): string => `sched-${noun}(1)`;
const verbPageName = (noun: string, verb: string): string => `sched-${noun}-${verb}(1)`;
const topicPageName = (topic: string): string => `sched-${topic}(7)`;

/** `.BR sched\-flags (7),` */
const reference = (name: string, isLast: boolean): string =>
  `.BR ${escaped(name).replace('(', ' (')}${isLast ? '' : ' ,'}`.replace(') ,', '),');

/** A paragraph macro right below a heading has no effect, and a blank line is one. */
const tidy = (lines: readonly string[]): string[] =>
  lines.filter((line, index) => line !== '' && !(line === '.PP' && /^\.S[HS] /.test(lines[index - 1] ?? '')));

const writePage = ({ name, section: number, summary, body, seeAlso }: Page, changelog: string): string => {
  const { version, date } = lastRelease(changelog) ?? { version: '', date: '' };
  const volume = number === 1 ? 'User Commands' : 'Miscellaneous Information';
  const lines = [
    '.\\" Generated from the commands by npm run generate.',
    `.TH ${escaped(name.toUpperCase())} ${number} "${date}" "${`sched ${version}`.trim()}" "${volume}"`,
    // Names of commands and fields must not be broken, and gaps in a line make them hard to read.
    // groff turns hyphenation on again in each paragraph unless this register is 0.
    '.nr HY 0',
    '.nh',
    '.ad l',
    section('NAME'),
    // The program has two names, and a page under each.
    ...wrapped(`${name === 'sched' ? 'sched, scheds' : name} - ${lowerFirst(summary)}`),
    ...body,
    section('SEE ALSO'),
    ...seeAlso.map((other, index) => reference(other, index === seeAlso.length - 1)),
  ];
  return `${tidy(lines.join('\n').split('\n')).join('\n')}\n`;
};

/** Lays out nothing: it knows which flags are a command's own. */
const help = new HelpPage({ columns: 80, heading: (text) => text });

const commandUsage = (words: string, leaf: Leaf): string => `${bold(words)} ${escaped(leaf.usage())}`;

const flagBlocks = (leaf: Leaf): string[] =>
  help
    .flagGroups(leaf)
    .flatMap(([heading, options]) => [
      roff.text(heading),
      roff.items(options.map((option) => [optionTerm(option), option.description])),
    ]);

/** Everything about one command, below its heading. */
const commandBody = (words: string, leaf: Leaf): string[] => {
  const { definition: command } = leaf;
  return [
    roff.text(`${leaf.description()}.`),
    '.PP',
    commandUsage(words, leaf),
    ...(command.arguments.length === 0
      ? []
      : [
          roff.text('Arguments:'),
          roff.items(command.arguments.map(({ name, description }) => [name, spell(description)] as const)),
        ]),
    ...flagBlocks(leaf),
    roff.text('Examples:'),
    roff.commands(command.examples.map((example) => `sched ${example}`)),
    ...paragraphsOf(command).map((text) => roff.text(text)),
  ];
};

/** The singular that is understood too. */
const aliasText = (noun: Commander): string =>
  noun.alias() === undefined ? '' : ` The singular works too: sched ${noun.alias()}.`;

const alsoRead = ['sched(1)', ...['flags', 'formatting', 'exit-codes'].map(topicPageName)];

const nounPage = (noun: Commander): Page => {
  const words = `sched ${noun.name()}`;
  const isLeaf = noun.commands.length === 0;
  const verbs = isLeaf ? [] : (noun.commands as Leaf[]);
  const usages = isLeaf
    ? [commandUsage(words, noun as Leaf)]
    : verbs.map((verb) => commandUsage(`${words} ${verb.name()}`, verb));
  return {
    name: `sched-${noun.name()}`,
    section: 1,
    summary: firstSentence(noun),
    body: [
      section('SYNOPSIS'),
      usages.join('\n.br\n'),
      section('DESCRIPTION'),
      ...(isLeaf ? commandBody(words, noun as Leaf) : [roff.text(`${noun.description()}.${aliasText(noun)}`)]),
      ...(isLeaf ? [] : [section('COMMANDS')]),
      ...(isLeaf ? [] : [roff.items(verbs.map((verb) => [verb.name(), `${verb.description()}.`] as const))]),
    ],
    seeAlso: [...verbs.map((verb) => verbPageName(noun.name(), verb.name())), ...alsoRead],
  };
};

/** For `man sched-events-cancel`. */
const verbPage = (noun: Commander, verb: Leaf): Page => {
  const words = `sched ${noun.name()} ${verb.name()}`;
  return {
    name: words.replaceAll(' ', '-'),
    section: 1,
    summary: verb.description(),
    body: [section('SYNOPSIS'), commandUsage(words, verb), section('DESCRIPTION'), ...commandBody(words, verb)],
    seeAlso: [nounPageName(noun.name()), ...alsoRead],
  };
};

const topicPage = (name: string): Page => ({
  name: `sched-${name}`,
  section: 7,
  summary: topics[name]!.summary,
  body: [section('DESCRIPTION'), topicHelp(name, roff)],
  seeAlso: [
    'sched(1)',
    ...Object.keys(topics)
      .filter((other) => other !== name)
      .map(topicPageName),
  ],
});

const mainPage = (root: Commander): Page => ({
  name: 'sched',
  section: 1,
  summary: root.description(),
  body: [
    section('SYNOPSIS'),
    `${bold('sched')} ${escaped(root.usage())}`,
    section('DESCRIPTION'),
    roff.text(`${root.description()}. Command names may be singular: sched event list.`),
    section('COMMANDS'),
    ...helpGroups.map((group) =>
      roff.items(
        root.commands
          .filter((noun) => noun.helpGroup() === group)
          .map((noun) => [noun.name(), `${firstSentence(noun)}. See ${nounPageName(noun.name())}.`] as const),
        group,
      ),
    ),
    section('FLAGS'),
    roff.items(rootFlags),
    roff.text(`Flags that every command takes: ${topicPageName('flags')}.`),
    section('ENVIRONMENT'),
    roff.text(`See ${topicPageName('environment')}.`),
    section('EXIT STATUS'),
    roff.text(`0 if the command is done. For the other codes, see ${topicPageName('exit-codes')}.`),
    section('EXAMPLES'),
    roff.text('Try it without an account:'),
    roff.commands(firstCommands),
  ],
  seeAlso: [
    ...root.commands.map((noun) => nounPageName(noun.name())),
    ...Object.keys(topics).map((topic) => topicPageName(topic)),
  ],
});

/** The man pages by path: `sched`, one for each noun, one for each of its verbs, and one for each help topic. */
export const manPages = (root: Commander, changelog: string): Record<string, string> => {
  const pages = [
    mainPage(root),
    ...root.commands.map(nounPage),
    ...root.commands.flatMap((noun) => (noun.commands as Leaf[]).map((verb) => verbPage(noun, verb))),
    ...Object.keys(topics).map(topicPage),
  ];
  const files = pages.map((page) => [`man/${page.name}.${page.section}`, writePage(page, changelog)] as const);
  return { ...Object.fromEntries(files), 'man/scheds.1': writePage(mainPage(root), changelog) };
};
