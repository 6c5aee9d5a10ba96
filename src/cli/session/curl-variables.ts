import { type Parts, variableWord } from '../../output/curl.ts';

/** Shell variables in a `--curl` command, for values that only the service knows, and how to set them. */
export interface CurlVariables {
  /** Returns a placeholder for use in a request. The same value twice is one variable. */
  leave(name: string, how: string): string;
  /** Splits a text into its variables and the text around them. */
  partsOf(text: string): Parts;
  /** Lines that set the variables in a text. Each variable is returned only once. */
  notesFor(text: string): string[];
}

/**
 * In a request, a variable is a name between two marks. The mark is random and never printed, so text that is typed or
 * read from a file can't be mistaken for a variable.
 */
export const createCurlVariables = (randomBytes: (count: number) => Uint8Array): CurlVariables => {
  const mark = `v${Buffer.from(randomBytes(16)).toString('hex')}`;
  const marked = (name: string): string => `${mark}${name}${mark}`;
  const names = new Map<string, string>();
  const told = new Set<string>();
  const partsOf = (text: string): Parts =>
    text
      .split(new RegExp(`${mark}([A-Z0-9_]+)${mark}`))
      .map((part, index) => (index % 2 === 0 ? part : { variable: part }));
  const variablesIn = (text: string): string[] => [
    ...new Set(partsOf(text).flatMap((part) => (typeof part === 'string' ? [] : [part.variable]))),
  ];
  const notesOf = (name: string): string[] => {
    const how = names.get(name);
    if (how === undefined || told.has(name)) return [];
    told.add(name);
    const spelled = partsOf(how).map((part) => (typeof part === 'string' ? part : variableWord(part.variable)));
    // One variable may need another, which must be set first.
    return [...variablesIn(how).flatMap(notesOf), `Run first: export ${name}=${spelled.join('')}`];
  };
  return {
    leave(name, how) {
      const known = [...names].find(([, other]) => other === how)?.[0];
      if (known !== undefined) return marked(known);
      let free = name;
      for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
      names.set(free, how);
      return marked(free);
    },
    partsOf,
    notesFor: (text) => variablesIn(text).flatMap(notesOf),
  };
};
