import { SchedError } from '../errors.ts';

/** Nobody knows whether it was carried out; a reply that says yes and does not fit is no better. */
export const isUndecided = (error: unknown): error is SchedError =>
  error instanceof SchedError &&
  (error.facts.outcome === 'unknown' || (error.category === 'integrity' && error.facts.outcome === 'applied'));
