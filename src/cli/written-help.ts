import { showText } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';
import { type HelpPage, layOutPage } from './help-page.ts';

/** Put in by the build, as the version is: the first page must not wait for a file of all the others. */
declare const SCHED_TOP_HELP: string | undefined;

const writtenTopHelp: string | undefined = typeof SCHED_TOP_HELP === 'undefined' ? undefined : SCHED_TOP_HELP;

/** Every other help text, as the build writes it down: showing one then loads no command, no schema and no Commander. */
export interface WrittenHelp {
  topics: Record<string, string>;
  nouns: Record<string, WrittenNoun>;
}

export interface WrittenNoun {
  singular: string;
  /** Of a noun with verbs. */
  text?: string;
  verbs: Record<string, HelpPage>;
  /** Of a noun that is itself a command. */
  page?: HelpPage;
}

const isFlag = (word: string | undefined): boolean => word === '--help' || word === '-h';

/**
 * What help is asked about, in its plain spellings: `--help`, `help`, `NOUN --help`, `NOUN VERB --help`, `NOUN help`,
 * `help NOUN VERB`. Whatever else stands there is for `invoke` to understand.
 */
const askedHelp = (argv: readonly string[]): readonly string[] | undefined => {
  const words = argv[0] === 'help' ? argv.slice(1) : isFlag(argv.at(-1)) ? argv.slice(0, -1) : undefined;
  const asked = words ?? (argv.length === 0 ? [] : argv.length === 2 && argv[1] === 'help' ? [argv[0]!] : undefined);
  return asked !== undefined &&
    asked.length <= 2 &&
    asked.every((word) => /^[a-z][a-z-]*$/.test(word) && word !== 'help')
    ? asked
    : undefined;
};

const own = <Value>(values: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The text for what is asked about; nothing where no such thing is written down. */
const findHelp = (
  { topics, nouns }: WrittenHelp,
  asked: readonly string[],
  isTopic: boolean,
  columns: () => number,
): string | undefined => {
  const [word, verb] = asked;
  if (word === undefined) return undefined;
  const topic = isTopic && verb === undefined ? own(topics, word) : undefined;
  if (topic !== undefined) return `${topic}\n`;
  const noun = own(nouns, word) ?? Object.values(nouns).find(({ singular }) => singular === word);
  if (noun === undefined) return undefined;
  if (verb === undefined && noun.text !== undefined) return `${noun.text}\n`;
  const page = verb === undefined ? noun.page : own(noun.verbs, verb);
  return page && layOutPage(page, columns());
};

/** Shows the help that is asked for, where it is and where it is written down. Whether it did. */
export const showWrittenHelp = async (
  argv: readonly string[],
  runtime: Runtime,
  help: () => WrittenHelp,
): Promise<boolean> => {
  const asked = askedHelp(argv);
  if (asked === undefined) return false;
  const isTop = asked.length === 0 && writtenTopHelp !== undefined;
  const text = isTop
    ? `${writtenTopHelp}\n`
    : findHelp(help(), asked, argv[0] === 'help', () => runtime.stdout.columns);
  if (text === undefined) return false;
  await showText(runtime, text);
  return true;
};
