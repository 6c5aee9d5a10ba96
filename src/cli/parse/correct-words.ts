import { nearest } from '../../base/nearest.ts';
import { spell } from '../../base/words.ts';
import type { Flag } from '../command.ts';
import type { Fix } from '../messages/problems.ts';
import { helpLine } from '../messages/suggested-line.ts';
import { allFlags, argumentRoom } from './all-flags.ts';
import type { Leaf } from './leaf.ts';
import { argumentsIn, flagWord, isArgument, type Part } from './line-part.ts';
import { sharedFlags } from './shared-flags.ts';
import { flagSynonyms } from './synonyms.ts';

interface Correction {
  /** The command line as it was probably meant, without flags whose value is missing. */
  parts: Part[];
  problems: { text: string; fix: Fix | undefined }[];
  /** The word after an unknown flag may be its value or an argument, so nothing can be said about the arguments. */
  isUnclear: boolean;
}

/** The flag that was probably meant by an unknown one. */
export const nearestFlag = <NamedFlag extends Pick<Flag, 'name'>>(
  word: string,
  flags: readonly NamedFlag[],
): NamedFlag | undefined => {
  const find = (name: string | undefined) => flags.find((flag) => flag.name === name);
  const typedName = flagWord(word);
  const synonym = find(flagSynonyms.get(typedName)?.find(find));
  // A short flag resembles too many others.
  if (synonym !== undefined || /^-[^-]{0,2}$/.test(typedName)) return synonym;
  const names = flags.map(({ name }) => name);
  return find(nearest(typedName.replace(/^--?/, '').replaceAll('_', '-'), names));
};

/** The message for an unknown flag, with the flag that was probably meant. */
export const unknownFlag = (word: string, suggestion: Pick<Flag, 'name'> | undefined, help: string): string =>
  `Unknown flag ${flagWord(word)}${suggestion === undefined ? ` (see ${help})` : `. Did you mean --${suggestion.name}?`}`;

const flagPart = ({ name }: Flag, value: string | undefined, isJoined: boolean): Part => {
  const words = value === undefined ? [`--${name}`] : isJoined ? [`--${name}=${value}`] : [`--${name}`, value];
  return { words, flag: name, value };
};

const off = new Set(['no', 'false', '0', 'off']);

/** `--yes=no` ⇒ nothing, `--active=false` ⇒ `--no-active`, `--yes=1` ⇒ `--yes`. */
const switchParts = (flag: Flag, value: string | undefined): Part[] => {
  if (!off.has(value ?? '')) return [flagPart(flag, undefined, false)];
  return flag.negatable ? [{ words: [`--no-${flag.name}`], flag: flag.name }] : [];
};

/** Flags for text that may contain spaces. */
const takesText = (flag: Flag | undefined): boolean =>
  flag !== undefined && flag.choices === undefined && flag.kind.isProse === true;

/** The fix of a problem that the corrected parts don't have anymore. */
const noFix: Fix = () => {};

/**
 * Corrects the flags of a command line and missing quotes. The result is read instead of what was typed, so that all
 * other problems are those of the command that was meant.
 */
export const correctParts = (leaf: Leaf): Correction => {
  const { definition: command, parts: typedParts } = leaf;
  const flags = allFlags(command);
  const find = (name: string | undefined) => flags.find((flag) => flag.name === name);
  const problems: Correction['problems'] = [];
  const add = (text: string, fix: Fix | undefined = noFix) => problems.push({ text, fix });
  const room = argumentRoom(command);
  const isCrowdedAtFirst = argumentsIn(typedParts).length > room;
  const isNeeded = ({ kind, optional }: Flag): boolean => kind.value !== undefined && optional !== true;
  let isUnclear = false;
  let parts: Part[] = [];

  for (let index = 0; index < typedParts.length; ) {
    const part = typedParts[index++]!;
    const word = part.words[0]!;
    const put = (...newParts: Part[]) =>
      parts.push(...newParts.map((each) => ({ ...each, isEarly: part.isEarly ?? false })));
    /** Takes the next word as a value, if it can be one. */
    const next = () => (isArgument(typedParts[index]) ? typedParts[index++]!.value : undefined);
    const needsValue = ({ name, choices }: Flag) =>
      add(`--${name} needs a value${choices === undefined ? '' : `: ${choices.join(', ')}`}`, (own) =>
        own.addFlag(name),
      );
    // As in `--start --email ada@example.com`.
    const flagAsValue = isCrowdedAtFirst
      ? flags.find((flag) => isNeeded(flag) && `--${flag.name}` === part.value)
      : undefined;
    if (part.wrong === 'cut') needsValue(find(part.flag)!);
    else if (flagAsValue !== undefined && part.flag !== undefined && isArgument(typedParts[index])) {
      needsValue(find(part.flag)!);
      put(flagPart(flagAsValue, next(), false));
    } else if (part.wrong === 'unknown') {
      const [name = '', value] = word.split(/=(.*)/s);
      const exact = find(name.replace(/^--/, ''));
      const argument = command.arguments.find((each) => `--${each.name}` === name);
      const suggestion = nearestFlag(word, flags);
      if (exact !== undefined) {
        add(`--${exact.name} doesn't take a value`);
        put(...switchParts(exact, value));
      } else if (argument !== undefined) {
        add(`Unknown flag ${name}. <${argument.name}> is an argument: leave out ${name}`);
        const text = value ?? next();
        if (text !== undefined) put({ words: [text], value: text });
      } else if (suggestion === undefined) {
        problems.push({
          text: unknownFlag(word, undefined, helpLine(...leaf.path.split(' '), '--help')),
          fix: undefined,
        });
        isUnclear ||= value === undefined && isArgument(typedParts[index]);
        put(part);
      } else {
        const given = value ?? (isNeeded(suggestion) ? next() : undefined);
        const isCut = isNeeded(suggestion) && given === undefined;
        add(unknownFlag(word, suggestion, ''), isCut ? (own) => own.addFlag(suggestion.name) : noFix);
        if (suggestion.kind.value === undefined) put(...switchParts(suggestion, value));
        else if (!isCut) put(flagPart(suggestion, given, value !== undefined));
      }
    } else put(part);
  }

  parts = parts.map((part) => {
    const { flag, value } = part;
    const own = find(`event-${flag}`);
    const choices = find(flag)?.choices;
    if (own === undefined || value === undefined || choices === undefined || choices.includes(value)) return part;
    add(
      `--${flag} must be one of ${choices.join(', ')}, not "${value}". For the ${flag} of the event type, use --${own.name}`,
    );
    return { ...part, ...flagPart(own, value, part.words.length === 1) };
  });

  /** Joins an argument or value with the arguments after it, which lack quotes. */
  const joinArguments = (part: Part, more: readonly string[]): Part => {
    const [last, value] = [part.words.at(-1), part.value].map((text) => [text, ...more].join(' '));
    add(`Unexpected argument "${more[0]}". Put quotes around "${value}"`);
    return { ...part, words: [...part.words.slice(0, -1), last!], value };
  };
  /** The arguments right after a part. */
  const following = (index: number): string[] => {
    const end = parts.findIndex((each, place) => place > index && !isArgument(each));
    return argumentsIn(parts.slice(index + 1, end < 0 ? parts.length : end));
  };
  const isCrowded = () => !isUnclear && argumentsIn(parts).length > room;
  // As in `--event-type Intro call`.
  for (let index = 0; isCrowded() && index < parts.length; index += 1) {
    const { flag, isEarly } = parts[index]!;
    // The command's name stands between an early flag and the arguments.
    const more = !isEarly && takesText(find(flag)) ? following(index) : [];
    if (more.length > 0) parts.splice(index, 1 + more.length, joinArguments(parts[index]!, more));
  }
  // As in `event-types get Intro call`. The description of an argument says whether it can be a name.
  const [argument, ...others] = command.arguments;
  const first = parts.findIndex(isArgument);
  const rest = following(first);
  // Words with a space were in quotes, so they are several names.
  const isQuoted = argumentsIn(parts).some((each) => each.includes(' '));
  const isName = !isQuoted && others.length === 0 && /\bname\b/.test(spell(argument?.description ?? ''));
  if (isCrowded() && isName && rest.length + 1 === argumentsIn(parts).length)
    parts.splice(first, 1 + rest.length, joinArguments(parts[first]!, rest));
  // As in `invitations create ada@example.com`, if the value of a single required flag is missing, or of the main one.
  const absent = flags.filter(({ name }) => !parts.some(({ flag }) => flag === name));
  const required = absent.filter((flag) => flag.required);
  const missingFlags = required.length > 0 ? required : absent.filter(({ name }) => name === command.mainFlag);
  if (isCrowded() && missingFlags.length === 1 && argumentsIn(parts).length === room + 1) {
    const place = parts.findLastIndex(isArgument);
    const { value } = parts[place]!;
    add(`Unexpected argument "${value}". Use --${missingFlags[0]!.name}`);
    parts.splice(place, 1, flagPart(missingFlags[0]!, value, false));
  }
  // As in `events list today`.
  const ownSwitches = flags.filter((flag) => flag.kind.value === undefined && !sharedFlags.includes(flag));
  for (const part of parts.filter(isArgument)) {
    const flag = ownSwitches.find(({ name }) => name === part.value);
    if (flag === undefined || !isCrowded()) continue;
    add(`Unexpected argument "${part.value}". Did you mean --${flag.name}?`);
    parts = parts.map((each) => (each === part ? flagPart(flag, undefined, false) : each));
  }
  if (isCrowded()) problems.push({ text: `Unexpected argument "${argumentsIn(parts)[room]}"`, fix: undefined });
  return { parts, problems, isUnclear };
};
