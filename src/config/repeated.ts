/** Items that are the same as an earlier one, with that one. */
export const repeated = <Item>(items: readonly Item[], idOf: (item: Item) => unknown): [again: Item, first: Item][] =>
  items.flatMap((item): [Item, Item][] => {
    const first = items.find((other) => idOf(other) === idOf(item))!;
    return first === item ? [] : [[item, first]];
  });
