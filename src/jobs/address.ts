import { isEmailAddress } from '../api/email-address.ts';

/**
 * An address in the form that is compared and put into a receipt: lower-case. A local part may be told apart by case
 * (RFC 5321 §2.4), but no service is known that does; what is sent is what was typed.
 */
export const foldAddress = (text: string): string | undefined =>
  isEmailAddress(text) ? text.toLowerCase() : undefined;
