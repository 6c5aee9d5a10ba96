/**
 * A value next to a reference value of the same run, because ratios differ less between machines than absolute values.
 * Each `*.bench.ts` exports `measure: () => Promise<Figure[]>`.
 */
export interface Measurement {
  name: string;
  unit: string;
  value: number;
  /** The value to compare with, in the same unit. */
  reference: number;
  ratio: number;
  /** The same ratio of CPU times, which means something on a busy machine too. */
  cpu?: number;
  /** Empty if the measurement is only informative. */
  target: { least?: number; most?: number };
}

/** A measurement that could not be made here, and the reason. */
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

/**
 * Runs each candidate once to warm up, then all of them in alternating order, reversed every other round, so that other
 * load on the machine affects all of them equally.
 */
export const interleave = async <Name extends string, Result = number>(
  runs: Record<Name, () => Promise<Result>>,
  rounds: number,
): Promise<Record<Name, Result[]>> => {
  const names = Object.keys(runs) as Name[];
  const took = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (const name of names) await runs[name]();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) took[name].push(await runs[name]());
  }
  return took;
};

export const medianRatio = (values: readonly number[], references: readonly number[]): number =>
  median(values.map((value, round) => value / references[round]!));

/** Combines two series of the same rounds into one measurement. */
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
  ratio: medianRatio(values, references),
  target,
});

/** How long a run took and how much CPU time it used. */
export interface Spent {
  wall: number;
  cpu: number;
}

/** Combines two series with their CPU times. */
export const besideWithCpu = (
  name: string,
  unit: string,
  values: readonly Spent[],
  references: readonly Spent[],
  target: Measurement['target'] = {},
): Measurement => {
  const [wall, cpu] = (['wall', 'cpu'] as const).map((kind) =>
    [values, references].map((all) => all.map((each) => each[kind])),
  );
  return { ...beside(name, unit, wall![0]!, wall![1]!, target), cpu: medianRatio(cpu![0]!, cpu![1]!) };
};
