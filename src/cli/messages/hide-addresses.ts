import { ChildExit, ClosedPipe, type ErrorFacts, SchedError } from '../../base/errors.ts';
import { asSchedError } from './error-report.ts';
import { adviceText, noAccount } from './suggested-line.ts';

/**
 * Matches anything in a text that may be an address, including quoted local parts and IP literals. It matches too much
 * rather than too little, also with `%40` or quoted-printable `=40` instead of `@`: all non-blank characters before an `@`, except leading punctuation. It looks back at most 254
 * characters: no address is longer, and a long text without an address doesn't take minutes to search.
 */
const addresses =
  /(?:(?:"(?:[^"\\]|\\.){0,254}"|[^\s"'<>()[\],;:=])(?:"(?:[^"\\]|\\.){0,254}"|[^\s"<>]){0,254}?)?(?:@|%40|=40(?=[a-z]))(?:\[[^\s\]]*\]?|[^\s"'<>()[\],;:]+)/gi;

/** Replaces everything in a text that looks like an address. Keeps the name of a flag in front of it. */
export const replaceAddresses = (text: string, instead: (address: string) => string): string =>
  text.replace(addresses, (match) => {
    const [flag = ''] = /^--[a-z-]+=/.exec(match) ?? [];
    return `${flag}${instead(match.slice(flag.length))}`;
  });

/** Replaces everything in a text that looks like an address by `[address]`. */
export const hideAddresses = (text: string): string => replaceAddresses(text, () => '[address]');

/**
 * Returns a copy of an error without addresses in its texts and its stack. A closed pipe and a child's exit code are
 * not failures and are returned unchanged.
 */
export const withoutAddresses = (error: unknown): unknown => {
  if (error instanceof ClosedPipe || error instanceof ChildExit) return error;
  const { category, message, facts, stack, cause } = asSchedError(error);
  const hiddenFacts: ErrorFacts = { ...facts };
  if (facts.reason !== undefined) hiddenFacts.reason = hideAddresses(facts.reason);
  if (facts.advice !== undefined) hiddenFacts.advice = hideAddresses(adviceText(facts.advice, noAccount));
  // A command without its addresses is not the user's own command anymore.
  if (typeof facts.hint === 'string' && hideAddresses(facts.hint) !== facts.hint) delete hiddenFacts.hint;
  if (facts.lines !== undefined) hiddenFacts.lines = facts.lines.map(hideAddresses);
  const copy = new SchedError(category, hideAddresses(message), hiddenFacts);
  copy.stack = hideAddresses((cause instanceof Error ? cause.stack : stack) ?? '');
  return copy;
};
