const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns a duration such as `90s`, `2m`, `1h30m` or `500ms` in milliseconds, `undefined` for anything else. */
export const readDuration = (text: string): number | undefined => {
  if (!/^(\d{1,6}(ms|s|m|h))+$/.test(text)) return undefined;
  return Array.from(text.matchAll(/(\d+)(ms|s|m|h)/g)).reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
};
