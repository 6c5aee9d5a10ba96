/**
 * One figure beside another of the same run: machines differ, ratios less. Each `*.bench.ts` exports
 * `measure: () => Promise<Measurement[]>`.
 */
export interface Measurement {
  name: string;
  unit: string;
  value: number;
  /** What it is held against, in the same unit. */
  reference: number;
  ratio: number;
  target: { least?: number; most?: number };
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
