/*
 * The time window of a list. In a query it is `min_FIELD` and `max_FIELD`; on the command line `--since` and `--until`.
 * A record is inside if its time is at or after `since` and before `until`.
 */

export interface TimeWindow {
  since?: string;
  until?: string;
}

const prefixes = { since: 'min_', until: 'max_' } as const;

type Edge = keyof typeof prefixes;

/** `min_start_time` is the `since` edge of `start_time`. Undefined for parameters that aren't part of a window. */
export const edgeOf = (parameter: string): { edge: Edge; field: string } | undefined => {
  for (const [edge, prefix] of Object.entries(prefixes) as [Edge, string][])
    if (parameter.startsWith(prefix)) return { edge, field: parameter.slice(prefix.length) };
  return undefined;
};

/** The window as query parameters: `{ min_start_time, max_start_time }`. */
export const windowQuery = <Field extends string>(field: Field, { since, until }: TimeWindow) =>
  ({
    ...(since === undefined ? {} : { [`${prefixes.since}${field}`]: since }),
    ...(until === undefined ? {} : { [`${prefixes.until}${field}`]: until }),
  }) as { [Name in `min_${Field}` | `max_${Field}`]?: string };

/** The window that a query asks for. */
export const windowIn = (query: object): TimeWindow => {
  const window: TimeWindow = {};
  for (const [name, value] of Object.entries(query)) {
    const edge = edgeOf(name)?.edge;
    if (edge !== undefined && value !== undefined) window[edge] = String(value);
  }
  return window;
};

/** Whether a time is on the right side of one edge of a window. A time that can't be read counts as inside. */
export const isInside = (time: unknown, edge: Edge, limit: unknown): boolean => {
  const [at, edgeTime] = [Date.parse(String(time)), Date.parse(String(limit))];
  return edge === 'since' ? !(at < edgeTime) : !(at >= edgeTime);
};
