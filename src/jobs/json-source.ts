/** Strings and punctuation: the tokens that give a valid JSON text its structure. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;

/**
 * Positions, counted from 1, in the list of a valid JSON text where an object has two fields of the same name.
 * `JSON.parse` would silently keep only the second one.
 */
export const placesWithDoubledNames = (json: string): Set<number> => {
  const places = new Set<number>();
  /** The field names so far of each open object; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let place = 1;
  let text = '';
  for (const [mark] of json.matchAll(token)) {
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ',') {
      if (open.length === 1 && open[0] === undefined) place += 1;
    } else if (mark === ':') {
      const names = open.at(-1)!;
      // The same name can be written in several ways, such as "\u0065mail".
      const name = JSON.parse(text) as string;
      if (names.has(name)) places.add(place);
      names.add(name);
    } else text = mark;
  }
  return places;
};
