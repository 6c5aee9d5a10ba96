import { nearest } from './nearest.ts';

/** The name of a value that a command takes. Each way to call a command writes it differently. */
export interface Name {
  /** As in a flag, without dashes: `event-type`. */
  readonly name: string;
  /** An argument is known by its place on the command line. */
  readonly place?: 'argument';
}

/** A sentence in which the names of values are data. */
export type Words = readonly (string | Name)[];

/** A sentence that may name values. */
export type Sentence = string | Words;

/** `firstFree` ⇒ `first-free` */
export const flagName = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const the = (key: string): Name => ({ name: flagName(key) });

/** The value that the sentence is about. */
export const self: Name = { name: '' };

/**
 * A sentence: `` words`${self} must be at least ${least}` ``. Only its names are spelled: what people typed stays as it is,
 * even if it looks like a flag.
 */
export const words = (texts: TemplateStringsArray, ...parts: (string | number | Name | Words)[]): Words =>
  texts.flatMap((text, index): Words => {
    const part = parts[index] ?? '';
    return [text, ...(typeof part === 'number' ? [String(part)] : [part].flat())];
  });

/** `a, b and c` */
export const listed = (names: readonly Name[], last: 'and' | 'or'): Words =>
  names.flatMap((name, index) => {
    const between = index === names.length - 1 ? ` ${last} ` : ', ';
    return index === 0 ? [name] : [between, name];
  });

/** What is wrong with a call: a required value that is missing, with what it is called, or a sentence. */
export type Issue = { missing: string; words?: Words } | Problem;

interface Problem {
  /** The value that it is about, and what was given for it. */
  about?: Name;
  raw?: string;
  words: Words;
  /** The value that was probably meant. */
  correction?: string | undefined;
  /** A value that would solve it, or one to leave out. */
  adds?: Name;
  drops?: Name;
}

/** How one of the ways to call a command names its values. */
export interface Spelling {
  name(name: string, place?: Name['place']): string;
  /** The sentence for required values that are missing, each already spelled. */
  missing(names: readonly string[]): string;
}

const propertyName = (name: string): string => name.replaceAll('-', '_');

const missingSentence = (things: string) => (names: readonly string[]) =>
  `Missing required ${names.length === 1 ? things : `${things}s`} ${names.join(', ')}`;

/** A command line. */
export const asFlags: Spelling = {
  name: (name, place) => (place === 'argument' ? `<${name}>` : `--${name}`),
  missing: missingSentence('flag'),
};

/** An object in JSON, as in a call of a tool. */
export const asProperties: Spelling = { name: propertyName, missing: missingSentence('argument') };

/** A line of a file with columns. `others` are the columns that are named differently. */
export const asColumns = (others: Readonly<Record<string, string>> = {}): Spelling => ({
  name: (name) => others[name] ?? propertyName(name),
  missing: (names) => `missing ${names.join(', ')}`,
});

/** Writes a sentence. `own` is the value that it is about. */
export const spell = (sentence: Sentence, { name } = asFlags, own = self): string =>
  [sentence]
    .flat()
    .map((part) => {
      if (typeof part === 'string') return part;
      const subject = part === self ? own : part;
      return name(subject.name, subject.place);
    })
    .join('');

/** The problem with a word that is none of the choices. */
export const otherChoice = (raw: string, choices: readonly string[]): Pick<Problem, 'words' | 'correction'> => {
  const [only, ...others] = choices;
  if (others.length === 0) return { words: words`${self} must be ${only!}, not "${raw}"`, correction: only };
  const correction = nearest(raw, choices);
  const question = correction === undefined ? '' : `. Did you mean ${correction}?`;
  return { words: words`${self} must be one of ${choices.join(', ')}, not "${raw}"${question}`, correction };
};
