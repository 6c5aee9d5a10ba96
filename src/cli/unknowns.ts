import { shellVariable, shellVariablesIn } from '../output/curl.ts';

/** What `--curl` leaves to the reader's shell, because nothing is asked of the service: names, and how to set each. */
export interface Unknowns {
  /** What stands for the value in a request. The same value twice is one variable. */
  leave(name: string, how: string): string;
  /** How to set the variables in a text, a line each; of each variable only once. */
  notesFor(text: string): string[];
}

export const createUnknowns = (): Unknowns => {
  const names = new Map<string, string>();
  const told = new Set<string>();
  const notesOf = (name: string): string[] => {
    const how = names.get(name);
    if (how === undefined || told.has(name)) return [];
    told.add(name);
    // Finding one out may need another, which is set before it.
    const others = shellVariablesIn(how);
    const spelled = others.reduce((line, other) => line.replaceAll(shellVariable(other), () => `"$${other}"`), how);
    return [...others.flatMap(notesOf), `first: export ${name}=${spelled}`];
  };
  return {
    leave(name, how) {
      const known = [...names].find(([, other]) => other === how)?.[0];
      if (known !== undefined) return shellVariable(known);
      let free = name;
      for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
      names.set(free, how);
      return shellVariable(free);
    },
    notesFor: (text) => shellVariablesIn(text).flatMap(notesOf),
  };
};
