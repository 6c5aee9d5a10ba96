import { shellVariable, shellVariablesIn } from '../output/curl.ts';

/** What `--curl` leaves to the reader's shell, because nothing is asked of the service: names, and how to set each. */
export interface Unknowns {
  /** What stands for the value in a request. The same value twice is one variable. */
  leave(name: string, how: string): string;
  /** How to set the variables in a text, a line each. */
  notesFor(text: string): string[];
}

export const createUnknowns = (): Unknowns => {
  const names = new Map<string, string>();
  return {
    leave(name, how) {
      const known = [...names].find(([, other]) => other === how)?.[0];
      if (known !== undefined) return shellVariable(known);
      let free = name;
      for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
      names.set(free, how);
      return shellVariable(free);
    },
    notesFor: (text) =>
      shellVariablesIn(text).flatMap((name) => {
        const how = names.get(name);
        return how === undefined ? [] : [`first: export ${name}=${how}`];
      }),
  };
};
