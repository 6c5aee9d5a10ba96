/** A number with its noun in singular or plural: `1 event`, `1,200 events`, `2 entries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
