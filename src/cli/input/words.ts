/** The name of a value that a command takes. Each way to call a command writes it differently. */
export interface Name {
  /** As in a flag, without dashes: `event-type`. */
  readonly name: string;
  /** An argument is known by its place on the command line. */
  readonly place?: 'argument';
}

/** A sentence in which the names of values are data. */
export type Words = readonly (string | Name)[];

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
  meant?: string | undefined;
  /** The name of a value that would solve it, or of one to leave out. */
  adds?: string;
  drops?: string;
}

/** How one of the ways to call a command names its values. */
export interface Spelling {
  name(name: string, place?: Name['place']): string;
  /** The sentence for required values that are missing, each already spelled. */
  missing(names: readonly string[]): string;
}

const propertyName = (name: string): string => name.replaceAll('-', '_');

const missing = (things: string) => (names: readonly string[]) =>
  `Missing required ${names.length === 1 ? things : `${things}s`} ${names.join(', ')}`;

/** A command line. */
export const asFlags: Spelling = {
  name: (name, place) => (place === 'argument' ? `<${name}>` : `--${name}`),
  missing: missing('flag'),
};

/** An object in JSON, as in a call of a tool. */
export const asProperties: Spelling = { name: propertyName, missing: missing('argument') };

/** A line of a file with columns. `others` are the columns that are named differently. */
export const asColumns = (others: Readonly<Record<string, string>> = {}): Spelling => ({
  name: (name) => others[name] ?? propertyName(name),
  missing: (names) => `missing ${names.join(', ')}`,
});

/** Writes a sentence. `own` is the value that it is about. */
export const spell = (sentence: Words, { name }: Spelling, own = self): string =>
  sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      const named = part === self ? own : part;
      return name(named.name, named.place);
    })
    .join('');
