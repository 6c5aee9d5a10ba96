import { isEmailAddress } from '../../api/email-address.ts';
import { isUri } from '../../client/ids.ts';
import type { Invocation } from '../command.ts';

/** Whether a text is an email address. A URI may also contain an `@`. */
export const isEmail = (text: string): boolean => isEmailAddress(text) && !isUri(text);

/** The value of a flag that takes a whole number. Without `most`, it may be as large as JavaScript can count. */
export const readWholeNumber = (
  name: string,
  { typed, problems }: Invocation,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined => {
  const raw = typed[name];
  if (raw === undefined) return undefined;
  const value = /^\d+$/.test(String(raw)) ? Number(raw) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`;
  problems.value(name, String(raw), `--${name} must be a whole number ${range}, not "${raw}"`);
  return undefined;
};
