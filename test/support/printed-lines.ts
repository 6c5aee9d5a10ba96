import { expect } from 'vitest';
import { Leaf } from '../../src/cli/parse/leaf.ts';
import { parseCommandLine } from '../../src/cli/parse/tree.ts';
import { nouns } from '../../src/commands/registry.ts';
import { splitCommandLine } from './shell-words.ts';
import { tryLineProblem } from './try-line.ts';

/** Where a command line may begin: at a noun, or at a flag before it. In quotes it is only named. */
const begin = new RegExp(`(?<![\\w/."-])sched (?=--?[a-z]|(?:${[...Object.keys(nouns), 'help'].join('|')})(?![\\w-]))`);

/** The texts of an output: lines, with folded ones joined, or the texts of notes and errors as JSON. */
const textsIn = (output: string): string[] =>
  output
    .replace(/ \\\n\s+/g, ' ')
    // A command that doesn't fit goes below its sentence.
    .replace(/:\n\s+(?=sched )/g, ': ')
    .split('\n')
    .flatMap((line) => {
      if (!/^\{"(note|error)":/.test(line)) return [line];
      const { note, error } = JSON.parse(line);
      return note === undefined ? [error.message, error.cause, error.hint].filter(Boolean) : [note];
    });

/** Words of a sentence after a command are left out: what the command doesn't take, and what follows a comma or a stop. */
const commandIn = async (text: string): Promise<string | undefined> => {
  const words =
    /^(?:'[^']*'|"[^"]*"|[^\s'"`]+|\s+(?!\())+/.exec(text)?.[0].match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const end = words.findIndex((word) => /[,;.):]$/.test(word));
  const line = words.slice(0, end < 0 ? words.length : end + 1).map((word) => word.replace(/[,;.):]+$/, ''));
  for (let count = line.length; count > 0; count -= 1) {
    const shorter = ['sched', ...line.slice(0, count)].join(' ');
    if ((await tryLineProblem(shorter)) === undefined) return shorter;
  }
  return undefined;
};

const unreadable = 'unreadable';

/** Every command line for pasting in an output, and every text that looks like one and can't be read. */
export const printedLines = async (output: string): Promise<string[]> => {
  const found: string[] = [];
  for (const text of textsIn(output))
    for (const part of text.split(begin).slice(1))
      found.push((await commandIn(part)) ?? `${unreadable}: sched ${part}`);
  return [...new Set(found)];
};

/** A value that the user must replace, such as NAME, or an address of an example. */
export const hasPlaceholder = (line: string): boolean =>
  splitCommandLine(line).some((word) => /^[A-Z][A-Z/-]{0,11}$/.test(word) || /\b(example\.com|YOUR-)/.test(word));

export interface Chosen {
  sandbox?: boolean;
  profile?: string;
  zone?: string;
}

/** Commands about profiles and the checks of doctor don't know the sandbox, and some of them name a profile as argument. */
const isAboutProfiles = (leaf: Leaf): boolean =>
  /^(auth log(in|out)|profiles|doctor)\b/.test(leaf.path) && leaf.opts<{ api?: boolean }>().api !== true;
const namesItself = /^profiles (add|list|use|remove)$/;

/** How a line would act on another account than the command that printed it, or undefined if it wouldn't. */
export const otherAccount = async (line: string, { sandbox, profile, zone }: Chosen): Promise<string | undefined> => {
  const [, ...argv] = splitCommandLine(line);
  if (argv[0] === undefined || ['help', '--version'].includes(argv[0])) return undefined;
  const leaf = await parseCommandLine(argv);
  if (!(leaf instanceof Leaf) || leaf.wantsHelp) return undefined;
  const typed = leaf.opts<Record<string, unknown>>();
  const isLocal = leaf.definition.local === true || leaf.path.startsWith('sandbox ');
  if (isAboutProfiles(leaf))
    return profile === undefined || namesItself.test(leaf.path) || typed.profile !== undefined
      ? undefined
      : `it doesn't name the profile ${profile}`;
  if (isLocal) return undefined;
  if (sandbox && typed.sandbox !== true) return 'it is not for the sandbox';
  if (profile !== undefined && typed.profile !== profile) return `it is not for the profile ${profile}`;
  if (zone !== undefined && typed.tz === undefined) return `it is not for the time zone ${zone}`;
  return undefined;
};

/** The account that a command line or its environment names. */
const chosenIn = async (argv: readonly string[], env: Record<string, string | undefined>): Promise<Chosen> => {
  const leaf = await parseCommandLine(argv);
  const { sandbox, profile } = leaf.opts<{ sandbox?: boolean; profile?: string }>();
  const isSet = Boolean(env.SCHED_SANDBOX) && !env.SCHED_TOKEN && !env.SCHED_BASE_URL;
  if (sandbox || isSet) return { sandbox: true };
  const named = profile ?? env.SCHED_PROFILE;
  return named ? { profile: named } : {};
};

/** A profile that doesn't exist is corrected. */
const isCorrected = (stderr: string, { profile }: Chosen): boolean => stderr.includes(`No profile named "${profile}"`);

/** Every command line for pasting is for the account that the command was told to use. */
export const expectSameAccount = async (
  stderr: string,
  argv: readonly string[],
  env: Record<string, string | undefined>,
  isHostile: boolean,
): Promise<void> => {
  if (!begin.test(stderr)) return;
  const named = await chosenIn(argv, env);
  const chosen = isCorrected(stderr, named) ? {} : named;
  for (const line of await printedLines(stderr)) {
    if (isHostile && line.startsWith(unreadable)) continue;
    expect([line, line.startsWith(unreadable) ? unreadable : await otherAccount(line, chosen)]).toEqual([
      line,
      undefined,
    ]);
  }
};
