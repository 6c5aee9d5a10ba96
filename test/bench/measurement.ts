/**
 * One figure beside another of the same run: machines differ, ratios less. Each `*.bench.ts` exports
 * `measure: () => Promise<Figure[]>`.
 */
export interface Measurement {
  name: string;
  unit: string;
  value: number;
  /** What it is held against, in the same unit. */
  reference: number;
  ratio: number;
  /** Empty where it is only good to know. */
  target: { least?: number; most?: number };
}

/** What could not be measured here, and why. */
export interface Skipped {
  name: string;
  skipped: string;
}

export type Figure = Measurement | Skipped;

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

type Run = () => Promise<number>;

/**
 * Runs everything once for warmth, then turn about, every other round the other way round: what else the machine does
 * then falls on all of them.
 */
export const interleave = async <Name extends string>(
  runs: Record<Name, Run>,
  rounds: number,
): Promise<Record<Name, number[]>> => {
  const names = Object.keys(runs) as Name[];
  const took = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await runs[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) took[name].push(await runs[name]());
  }
  return took;
};

/** Two series of the same rounds as one measurement. */
export const beside = (
  name: string,
  unit: string,
  values: readonly number[],
  references: readonly number[],
  target: Measurement['target'] = {},
): Measurement => ({
  name,
  unit,
  value: median(values),
  reference: median(references),
  ratio: median(values.map((value, round) => value / references[round]!)),
  target,
});
