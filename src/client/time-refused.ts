import { hasCategory, SchedError } from '../base/errors.ts';

/** A time that sched doesn't send, because it isn't free. */
export class TimeNotFree extends SchedError {}

/** Whether the time of a booking was refused. */
export const isTimeRefused = (error: unknown): error is SchedError =>
  error instanceof TimeNotFree || (hasCategory(error, 'conflict', 'partial') && error.facts.http !== undefined);
