import { SchedError } from '../errors.ts';

/** Nobody knows whether it was carried out. */
export const isOutcomeUnknown = (error: unknown): error is SchedError =>
  error instanceof SchedError && error.facts.outcome === 'unknown';
