/** How many records are read at the same time, if the rate limit allows. */
const fewAtOnce = 4;

function* generateEntries<Item>(items: readonly Item[]) {
  yield* items.entries();
}

/** Processes up to `atOnce` items at a time. Results keep the order of the items. No item starts after a failure. */
export const mapConcurrent = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  atOnce = fewAtOnce,
): Promise<Result[]> => {
  const results: Result[] = new Array(items.length);
  const queue = generateEntries(items);
  // A failure leaves the loop, which closes the generator for all workers.
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
};
