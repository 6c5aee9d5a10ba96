import { usageError } from '../base/errors.ts';
import type { ProgramName } from '../base/shell-quote.ts';
import { nouns } from '../commands/registry.ts';
import { colorFlagOf, colorWanted } from '../output/color.ts';
import { showText } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';
import { HelpPage } from './help/help-page.ts';
import { nounHelp, topHelp, welcome } from './help/overview.ts';
import { topicHelp, topics } from './help/topics.ts';
import type { Given } from './input/given.ts';
import { type Here, helpLine, localCommand } from './messages/suggested-line.ts';
import { Leaf } from './parse/leaf.ts';
import { readLeaf } from './parse/read-leaf.ts';
import type { Meanings } from './parse/suggestions.ts';
import { givenFlags, parseCommandLine } from './parse/tree.ts';

/** Loaded only if something is wrong. */
const loadSuggestions = () => import('./parse/suggestions.ts');

/** Runs the command that `argv` names. Errors of `compliance` commands never contain an address (R49). */
export const invoke = async (argv: readonly string[], runtime: Runtime): Promise<void> => {
  try {
    await invokeLine(argv, runtime);
  } catch (error) {
    const { nearestNoun } = await loadSuggestions();
    if (!argv.some((word) => nearestNoun(word) === 'compliance')) throw error;
    const { withoutAddresses } = await import('./messages/hide-addresses.ts');
    throw withoutAddresses(error);
  }
};

/** Bold headings on a terminal; chalk loads only there. */
const headingFor = async ({ env, stdout }: Runtime, { color: flag }: Given): Promise<(text: string) => string> => {
  const color = colorWanted({ flag: colorFlagOf(flag), env, isTerminal: stdout.isTerminal });
  if (color === undefined) return (text) => text;
  const { createPaint } = await import('../output/paint.ts');
  return createPaint(color).heading;
};

/** A help page with the name that was typed in its command lines. In sentences, the program is `sched`. */
const withTypedName = (page: string, name: ProgramName = 'sched'): string => {
  if (name === 'sched') return page;
  const words = ['<', '-', ...Object.keys(nouns).map((noun) => `${noun}\\b`), 'help\\b'];
  return page.replace(new RegExp(`\\bsched(?= (?:${words.join('|')}))`, 'g'), name);
};

/**
 * Runs the command or shows its help. A command that doesn't exist is corrected and read again, to report all its
 * problems together.
 */
const invokeLine = async (
  argv: readonly string[],
  runtime: Runtime,
  { mistakes = [], isHelp = false, isWhole = false }: Meanings & { isWhole?: boolean } = {},
): Promise<void> => {
  const command = await parseCommandLine(argv);
  const given = givenFlags(command);
  const show = async (write: (page: HelpPage) => string, mayPage = true) => {
    if (mistakes.length > 0)
      throw usageError([...mistakes], { hint: isHelp ? localCommand('help', ...argv.slice(1)) : helpLine(...argv) });
    const { stdout } = runtime;
    const page = write(new HelpPage({ columns: stdout.columns, heading: await headingFor(runtime, given) }));
    const text = `${withTypedName(page, runtime.calledAs)}\n`;
    // A pager moves the cursor around the screen.
    return mayPage && given.accessible !== true ? showText(runtime, text) : stdout.write(text);
  };
  if (command instanceof Leaf) {
    if (command.wantsHelp) {
      const { commandHelp } = await import('./help/command-help.ts');
      return show((page) => commandHelp(command, page, isWhole));
    }
    const { definition } = command;
    const { hereIn, wantsJson } = await import('./session/settings.ts');
    const parsedCommand = await readLeaf(command, hereIn(runtime.env), mistakes);
    // Commands without an operation may ask questions before they report problems.
    if (mistakes.length > 0 && definition.operation === undefined) parsedCommand.problems.check();
    const { runCommand } = await import('./run-command.ts');
    const help = (about: readonly string[]) => invokeLine(['help', ...about], runtime, { isWhole: true });
    const suggest = async (error: unknown, here: Here) => {
      const { withSuggestion } = await import('./suggestion.ts');
      return withSuggestion(error, parsedCommand, runtime, here);
    };
    return runCommand(definition, parsedCommand, runtime, { isJson: wantsJson(given, runtime), help, suggest });
  }

  const [word, next] = command.args;
  if (command.parent !== null) {
    const wantsHelp = word === 'help' || (word === undefined && command.wantsHelp);
    if (wantsHelp) return show((page) => nounHelp(command, page));
  } else if (word === undefined) {
    const isWrong = command.parts.some(({ wrong }) => wrong === 'unknown');
    if (command.wantsHelp && !isWrong) return show((page) => topHelp(command, page));
    if (!isWrong) return show((page) => welcome(command, page), false);
  } else if (isHelp && Object.hasOwn(topics, word)) {
    return show((page) => topicHelp(word, page));
  } else if (word === 'help' && next !== '--') {
    const about = argv.toSpliced(argv.length - command.args.length, 1);
    return invokeLine(['--help', ...about], runtime, { mistakes, isHelp: true, isWhole });
  }
  const { meantCommand } = await loadSuggestions();
  const correction = meantCommand(argv, command, { mistakes, isHelp });
  return invokeLine(correction.argv, runtime, { mistakes: [...mistakes, correction.problem] });
};
