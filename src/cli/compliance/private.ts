import { ClosedPipe, Ended, type ErrorFacts, SchedError } from '../../errors.ts';
import { asSchedError } from '../report.ts';

const addresses = /[^\s"'<>()[\],;:=]+(?:@|%40)[^\s"'<>()[\],;:]+/gi;

/** A text without anything that looks like an address. */
export const hideAddresses = (text: string): string => text.replace(addresses, '[address]');

/** An error without any address in it, its stack included. A closed pipe or a program's end is no failure, and stays what it is. */
export const withoutAddresses = (error: unknown): unknown => {
  if (error instanceof ClosedPipe || error instanceof Ended) return error;
  const { category, message, facts, stack, cause } = asSchedError(error);
  const hidden: ErrorFacts = { ...facts };
  if (facts.reason !== undefined) hidden.reason = hideAddresses(facts.reason);
  if (facts.hint !== undefined) hidden.hint = hideAddresses(facts.hint);
  if (facts.lines !== undefined) hidden.lines = facts.lines.map(hideAddresses);
  const copy = new SchedError(category, hideAddresses(message), hidden);
  copy.stack = hideAddresses((cause instanceof Error ? cause.stack : stack) ?? '');
  return copy;
};
