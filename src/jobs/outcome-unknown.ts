import { SchedError } from '../errors.ts';

/** Whether the request may or may not have been carried out. */
export const isOutcomeUnknown = (error: unknown): error is SchedError =>
  error instanceof SchedError && error.facts.outcome === 'unknown';
