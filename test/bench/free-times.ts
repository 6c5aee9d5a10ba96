const day = 86_400_000;

/** Free quarters of an hour from Monday to Friday, after all seeded events: always in the afternoon in Berlin. */
export function* freeTimes(): Generator<string> {
  const start = Date.now() + 70 * day;
  for (let number = Math.ceil(start / day); ; number += 1) {
    const date = new Date(number * day);
    if ([0, 6].includes(date.getUTCDay())) continue;
    for (let quarter = 0; quarter < 12; quarter += 1)
      yield new Date(date.getTime() + 12 * 3_600_000 + quarter * 900_000).toISOString();
  }
}
