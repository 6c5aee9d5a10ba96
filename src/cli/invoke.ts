import { usageError } from '../errors.ts';
import { colorFlagIn, colorWanted } from '../output/color.ts';
import { showText } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';
import { HelpPage } from './help/help-page.ts';
import { nounHelp, topHelp, welcome } from './help/overview.ts';
import { topicHelp, topics } from './help/topics.ts';
import { type Here, helpLine, localCommand } from './messages/suggested-line.ts';
import { Leaf } from './parse/leaf.ts';
import { readLeaf } from './parse/read-leaf.ts';
import type { Meanings } from './parse/suggestions.ts';
import { parse } from './parse/tree.ts';

/** Loaded only if something is wrong. */
const loadSuggestions = () => import('./parse/suggestions.ts');

/** Runs the command that `argv` names. Errors of `compliance` commands never contain an address (R49). */
export const invoke = async (argv: readonly string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  try {
    await start(argv, runtime, isJson);
  } catch (error) {
    const { nearestNoun } = await loadSuggestions();
    if (!argv.some((word) => nearestNoun(word) === 'compliance')) throw error;
    const { withoutAddresses } = await import('./commands/compliance/hide-addresses.ts');
    throw withoutAddresses(error);
  }
};

/** Bold headings on a terminal; chalk loads only there. */
const headingFor = async ({ env, stdout }: Runtime, argv: readonly string[]): Promise<(text: string) => string> => {
  const color = colorWanted({ flag: colorFlagIn(argv), env, isTerminal: stdout.isTerminal });
  if (color === undefined) return (text) => text;
  const { createPaint } = await import('../output/paint.ts');
  return createPaint(color).heading;
};

/**
 * Runs the command or shows its help. A command that doesn't exist is corrected and read again, to report all its
 * problems together.
 */
const start = async (
  argv: readonly string[],
  runtime: Runtime,
  isJson: boolean,
  { slips = [], isHelp = false }: Meanings = {},
): Promise<void> => {
  const show = async (write: (page: HelpPage) => string, mayPage = true) => {
    if (slips.length > 0)
      throw usageError([...slips], { hint: isHelp ? localCommand('help', ...argv.slice(1)) : helpLine(...argv) });
    const { stdout } = runtime;
    const text = `${write(new HelpPage({ columns: stdout.columns, heading: await headingFor(runtime, argv) }))}\n`;
    // A pager moves the cursor around the screen.
    return mayPage && !argv.includes('--accessible') ? showText(runtime, text) : stdout.write(text);
  };
  const found = await parse(argv);
  if (found instanceof Leaf) {
    if (found.wantsHelp) {
      const { commandHelp } = await import('./help/command-help.ts');
      return show((page) => commandHelp(found, page));
    }
    const { definition } = found;
    const { hereIn } = await import('./session/settings.ts');
    const parsed = await readLeaf(found, hereIn(runtime.env), slips);
    // Commands without an operation may ask questions before they report problems.
    if (slips.length > 0 && definition.operation === undefined) parsed.problems.check();
    const { runCommand } = await import('./run-command.ts');
    const help = (about: readonly string[]) => start(['help', ...about], runtime, isJson);
    const suggest = async (error: unknown, here: Here) => {
      const { withSuggestion } = await import('./suggestion.ts');
      return withSuggestion(error, parsed, runtime, here);
    };
    return runCommand(definition, parsed, runtime, { isJson, help, suggest });
  }

  const [word, next] = found.args;
  if (found.parent !== null) {
    const wantsHelp = word === 'help' || (word === undefined && found.wantsHelp);
    if (wantsHelp) return show((page) => nounHelp(found, page));
  } else if (word === undefined) {
    const isWrong = found.parts.some(({ wrong }) => wrong === 'unknown');
    if (found.wantsHelp && !isWrong) return show((page) => topHelp(found, page));
    if (!isWrong) return show((page) => welcome(found, page), false);
  } else if (isHelp && Object.hasOwn(topics, word)) {
    return show((page) => topicHelp(word, page));
  } else if (word === 'help' && next !== '--') {
    const about = argv.toSpliced(argv.length - found.args.length, 1);
    return start(['--help', ...about], runtime, isJson, { slips, isHelp: true });
  }
  const { meantCommand } = await loadSuggestions();
  const meant = meantCommand(argv, found, { slips, isHelp });
  return start(meant.argv, runtime, isJson, { slips: [...slips, meant.problem] });
};
