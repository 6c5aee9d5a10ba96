import { ChildExit, ClosedPipe, type ErrorFacts, SchedError } from '../../../errors.ts';
import { asSchedError } from '../../messages/error-report.ts';

/**
 * Whatever may be an address inside a text, with a quoted local part or an IP literal, too. It takes rather too much
 * than too little: all that stands before an `@` without a blank, but for punctuation at its beginning. It looks at most
 * 254 characters back: no address is longer, and a long text without one isn't searched for minutes.
 */
const addresses =
  /(?:(?:"(?:[^"\\]|\\.){0,254}"|[^\s"'<>()[\],;:=])(?:"(?:[^"\\]|\\.){0,254}"|[^\s"<>]){0,254}?)?(?:@|%40)(?:\[[^\s\]]*\]?|[^\s"'<>()[\],;:]+)/gi;

/** A text in which something else stands for all that looks like an address; the name of a flag before it stays. */
export const replaceAddresses = (text: string, instead: (address: string) => string): string =>
  text.replace(addresses, (found) => {
    const [flag = ''] = /^--[a-z-]+=/.exec(found) ?? [];
    return `${flag}${instead(found.slice(flag.length))}`;
  });

/** A text without anything that looks like an address. */
export const hideAddresses = (text: string): string => replaceAddresses(text, () => '[address]');

/** An error without any address in it, its stack included. A closed pipe or a program's end is no failure, and stays what it is. */
export const withoutAddresses = (error: unknown): unknown => {
  if (error instanceof ClosedPipe || error instanceof ChildExit) return error;
  const { category, message, facts, stack, cause } = asSchedError(error);
  const hidden: ErrorFacts = { ...facts };
  if (facts.reason !== undefined) hidden.reason = hideAddresses(facts.reason);
  if (facts.hint !== undefined) hidden.hint = hideAddresses(facts.hint);
  if (facts.lines !== undefined) hidden.lines = facts.lines.map(hideAddresses);
  const copy = new SchedError(category, hideAddresses(message), hidden);
  copy.stack = hideAddresses((cause instanceof Error ? cause.stack : stack) ?? '');
  return copy;
};
