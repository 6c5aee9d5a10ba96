import { nearest } from '../../base/nearest.ts';
import { spell } from '../../base/words.ts';
import type { Command, Flag } from '../command.ts';
import type { Fix } from '../messages/problems.ts';
import { helpLine } from '../messages/suggested-line.ts';
import { allFlags, argumentRoom } from './all-flags.ts';
import type { Leaf } from './leaf.ts';
import { argumentsIn, flagWord, isArgument, type Part } from './line-part.ts';
import { sharedFlags } from './shared-flags.ts';
import { flagSynonyms } from './synonyms.ts';

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

/** Takes the next part as a value, if it can be one. */
const nextValue = (unread: Part[]): string | undefined => (isArgument(unread[0]) ? unread.shift()!.value : undefined);

const needsValue = ({ kind, optional }: Flag): boolean => kind.value !== undefined && optional !== true;

/** The fix of a problem that the corrected parts don't have anymore. */
const noFix: Fix = () => {};

/** A command line that is corrected step by step. */
class Correction {
  /** The command line as it was probably meant, without flags whose value is missing. */
  parts: Part[] = [];
  readonly problems: { text: string; fix: Fix | undefined }[] = [];
  /** The word after an unknown flag may be its value or an argument, so nothing can be said about the arguments. */
  isUnclear = false;
  readonly #path: string;
  readonly #command: Command;
  readonly #flags: readonly Flag[];
  readonly #room: number;

  constructor({ path, definition }: Leaf) {
    this.#path = path;
    this.#command = definition;
    this.#flags = allFlags(definition);
    this.#room = argumentRoom(definition);
  }

  /** Reads the typed parts again, with the flags that were probably meant. */
  readAgain(typedParts: readonly Part[]): void {
    const isCrowded = argumentsIn(typedParts).length > this.#room;
    const unread = [...typedParts];
    for (let part = unread.shift(); part !== undefined; part = unread.shift()) {
      const isEarly = part.isEarly ?? false;
      const parts = part.wrong === 'unknown' ? this.#readUnknown(part, unread) : this.#read(part, unread, isCrowded);
      this.parts.push(...parts.map((each) => ({ ...each, isEarly })));
    }
  }

  /** Takes the event type's own flag for a shared one, as in `event-types create --color red`. */
  useFlagsOfEventType(): void {
    this.parts = this.parts.map((part) => {
      const { flag, value } = part;
      const own = this.#find(`event-${flag}`);
      const choices = this.#find(flag)?.choices;
      if (own === undefined || value === undefined || choices === undefined || choices.includes(value)) return part;
      this.#add(
        `--${flag} must be one of ${choices.join(', ')}, not "${value}". For the ${flag} of the event type, use --${own.name}`,
      );
      return { ...part, ...flagPart(own, value, part.words.length === 1) };
    });
  }

  /** Joins the words of a value that lacks quotes, as in `--event-type Intro call`. */
  joinValues(): void {
    for (let index = 0; this.#isCrowded && index < this.parts.length; index += 1) {
      const { flag, isEarly } = this.parts[index]!;
      // The command's name stands between an early flag and the arguments.
      if (!isEarly && takesText(this.#find(flag))) this.#joinFollowing(index);
    }
  }

  /** Joins the words of a name that lacks quotes, as in `event-types get Intro call`. */
  joinName(): void {
    const [argument, ...others] = this.#command.arguments;
    // The description of an argument says whether it can be a name.
    const takesName = others.length === 0 && /\bname\b/.test(spell(argument?.description ?? ''));
    const args = argumentsIn(this.parts);
    // Words with a space were in quotes, so they are several names.
    const isQuoted = args.some((each) => each.includes(' '));
    const first = this.parts.findIndex(isArgument);
    const isTogether = this.#following(first).length + 1 === args.length;
    if (this.#isCrowded && takesName && !isQuoted && isTogether) this.#joinFollowing(first);
  }

  /** As in `invitations create ada@example.com`, if the value of a single required flag is missing, or of the main one. */
  useMissingFlag(): void {
    const absent = this.#flags.filter(({ name }) => !this.parts.some(({ flag }) => flag === name));
    const required = absent.filter((flag) => flag.required);
    const missing = required.length > 0 ? required : absent.filter(({ name }) => name === this.#command.mainFlag);
    if (!this.#isCrowded || missing.length !== 1 || argumentsIn(this.parts).length !== this.#room + 1) return;
    const place = this.parts.findLastIndex(isArgument);
    const { value } = this.parts[place]!;
    this.#add(`Unexpected argument "${value}". Use --${missing[0]!.name}`);
    this.parts[place] = flagPart(missing[0]!, value, false);
  }

  /** Reads a switch without dashes, as in `events list today`. */
  useSwitches(): void {
    const ownSwitches = this.#flags.filter((flag) => flag.kind.value === undefined && !sharedFlags.includes(flag));
    for (const [index, part] of this.parts.entries()) {
      const flag = isArgument(part) ? ownSwitches.find(({ name }) => name === part.value) : undefined;
      if (flag === undefined || !this.#isCrowded) continue;
      this.#add(`Unexpected argument "${part.value}". Did you mean --${flag.name}?`);
      this.parts[index] = flagPart(flag, undefined, false);
    }
  }

  /** Reports an argument that is still too much. */
  reportUnexpected(): void {
    if (this.#isCrowded) this.#addUnfixed(`Unexpected argument "${argumentsIn(this.parts)[this.#room]}"`);
  }

  get #isCrowded(): boolean {
    return !this.isUnclear && argumentsIn(this.parts).length > this.#room;
  }

  #add(text: string, fix: Fix = noFix): void {
    this.problems.push({ text, fix });
  }

  #addUnfixed(text: string): void {
    this.problems.push({ text, fix: undefined });
  }

  #addMissingValue({ name, choices }: Flag): void {
    const choicesText = choices === undefined ? '' : `: ${choices.join(', ')}`;
    this.#add(`--${name} needs a value${choicesText}`, (own) => own.addFlag(name));
  }

  #find(name: string | undefined): Flag | undefined {
    return this.#flags.find((flag) => flag.name === name);
  }

  /** Reads an argument or a known flag. `isCrowded`: so many arguments were typed that one may be a flag's value. */
  #read(part: Part, unread: Part[], isCrowded: boolean): Part[] {
    const { flag, value, wrong } = part;
    // As in `--start --email ada@example.com`.
    const flagAsValue = this.#flags.find((each) => needsValue(each) && `--${each.name}` === value);
    const isCut = isCrowded && flag !== undefined && flagAsValue !== undefined && isArgument(unread[0]);
    if (wrong !== 'cut' && !isCut) return [part];
    this.#addMissingValue(this.#find(flag)!);
    return isCut ? [flagPart(flagAsValue, nextValue(unread), false)] : [];
  }

  #readUnknown(part: Part, unread: Part[]): Part[] {
    const word = part.words[0]!;
    const [name = '', value] = word.split(/=(.*)/s);
    const exact = this.#find(name.replace(/^--/, ''));
    if (exact !== undefined) {
      this.#add(`--${exact.name} doesn't take a value`);
      return switchParts(exact, value);
    }
    const argument = this.#command.arguments.find((each) => `--${each.name}` === name);
    if (argument !== undefined) {
      this.#add(`Unknown flag ${name}. <${argument.name}> is an argument: leave out ${name}`);
      const text = value ?? nextValue(unread);
      return text === undefined ? [] : [{ words: [text], value: text }];
    }
    const suggestion = nearestFlag(word, this.#flags);
    if (suggestion !== undefined) return this.#readMisspelled(word, suggestion, value, unread);
    this.#addUnfixed(unknownFlag(word, undefined, helpLine(...this.#path.split(' '), '--help')));
    this.isUnclear ||= value === undefined && isArgument(unread[0]);
    return [part];
  }

  /** Reads an unknown flag as the one that was probably meant. */
  #readMisspelled(word: string, meant: Flag, value: string | undefined, unread: Part[]): Part[] {
    const given = value ?? (needsValue(meant) ? nextValue(unread) : undefined);
    const isCut = needsValue(meant) && given === undefined;
    this.#add(unknownFlag(word, meant, ''), isCut ? (own) => own.addFlag(meant.name) : noFix);
    if (meant.kind.value === undefined) return switchParts(meant, value);
    return isCut ? [] : [flagPart(meant, given, value !== undefined)];
  }

  /** The arguments right after a part. */
  #following(index: number): string[] {
    const end = this.parts.findIndex((each, place) => place > index && !isArgument(each));
    return argumentsIn(this.parts.slice(index + 1, end < 0 ? this.parts.length : end));
  }

  /** Joins an argument or value with the arguments right after it, if there are any. */
  #joinFollowing(index: number): void {
    const more = this.#following(index);
    if (more.length === 0) return;
    const part = this.parts[index]!;
    const [last, value] = [part.words.at(-1), part.value].map((text) => [text, ...more].join(' '));
    this.#add(`Unexpected argument "${more[0]}". Put quotes around "${value}"`);
    this.parts.splice(index, 1 + more.length, { ...part, words: [...part.words.slice(0, -1), last!], value });
  }
}

/**
 * Corrects the flags of a command line and missing quotes. The result is read instead of what was typed, so that all
 * other problems are those of the command that was meant.
 */
export const correctParts = (leaf: Leaf): Correction => {
  const correction = new Correction(leaf);
  correction.readAgain(leaf.parts);
  correction.useFlagsOfEventType();
  correction.joinValues();
  correction.joinName();
  correction.useMissingFlag();
  correction.useSwitches();
  correction.reportUnexpected();
  return correction;
};
