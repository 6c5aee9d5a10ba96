/** What `events stats` can group by. */
export const groupings = ['host', 'event-type', 'day', 'week', 'month', 'weekday', 'hour', 'status'] as const;
export type Grouping = (typeof groupings)[number];
