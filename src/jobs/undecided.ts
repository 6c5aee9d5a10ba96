import { SchedError } from '../errors.ts';

/** Nobody knows whether it was carried out. */
export const isUndecided = (error: unknown): error is SchedError =>
  error instanceof SchedError && error.facts.outcome === 'unknown';
