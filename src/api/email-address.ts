/** RFC 5321 §4.5.3.1.3: a path has at most 256 octets, including the brackets around the address. */
const longestOctets = 254;

/** Control characters, invisible bidi marks, and lone surrogates, which UTF-8 can't encode. */
const control = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u;

/**
 * One `@` outside quotes with text on both sides. Spaces, including zero-width ones, and the characters that lists, names
 * and links put around an address (RFC 5322 §3.2.3) are allowed only in quotes: `mailto:a@x.example` is a link.
 */
const form =
  /^(?:[^"@\p{Z}\u200B\uFEFF()<>[\]:;,\\]|"(?:[^"\\]|\\.)*")+@(?:[^"@\p{Z}\u200B\uFEFF()<>[\]:;,\\/?]+|\[[^"@\p{Z}\u200B\uFEFF()<>[\];,\\/?]+\])$/u;

/**
 * Whether a text can be an email address at all. Used by both the client and the sandbox.
 * Assumed (invitees.addresses): an email address has text on both sides of an `@`, no spaces outside quotes, no control
 * characters and at most 254 octets. The service checks everything else (RFC 5321, RFC 6531).
 */
export const isEmailAddress = (text: string): boolean =>
  // Checked first to skip the regexes for long texts: each character takes at least one octet.
  text.length <= longestOctets &&
  form.test(text) &&
  !control.test(text) &&
  new TextEncoder().encode(text).length <= longestOctets;

/**
 * An address in lower case, as it is compared and hashed for a receipt; undefined if the text isn't an address. Local
 * parts may be case-sensitive (RFC 5321 §2.4), but no known service treats them so. Requests send the address as given.
 */
export const foldAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && isEmailAddress(value) ? value.toLowerCase() : undefined;

/** RFC 2606: nobody has an address under .invalid. A service may show one in place of a deleted address. */
export const isPlaceholder = (address: string): boolean => /[@.]invalid$/.test(address);
