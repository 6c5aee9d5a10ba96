import { isEmailAddress } from '../api/email-address.ts';

/**
 * An address in lower case, as it is compared and hashed for a receipt; undefined if the text isn't an address. Local
 * parts may be case-sensitive (RFC 5321 §2.4), but no known service treats them so. Requests send the address as typed.
 */
export const foldAddress = (text: string): string | undefined =>
  isEmailAddress(text) ? text.toLowerCase() : undefined;
