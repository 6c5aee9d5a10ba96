/** What gives a valid JSON text its structure. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;

/**
 * Places in the list that a valid JSON text is, counted from 1, at which an object has two fields of one name. Parsed,
 * only the second one is left.
 */
export const placesWithDoubledNames = (json: string): Set<number> => {
  const places = new Set<number>();
  /** The names so far of every object that is open here; nothing for a list. */
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
      // The same name can be written in several ways: "\u0065mail".
      const name = JSON.parse(text) as string;
      if (names.has(name)) places.add(place);
      names.add(name);
    } else text = mark;
  }
  return places;
};
