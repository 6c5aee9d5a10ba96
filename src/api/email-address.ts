/** RFC 5321 §4.5.3.1.3: a path of 256 octets, less the brackets around it. */
const longestOctets = 254;

/** Also what a terminal or an editor hides: the directions of text, and halves of characters, which UTF-8 cannot write. */
const control = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u;

/** One `@` outside quotes, something on both sides of it, and no blank there. Zero-width spaces are blanks, too. */
const form = /^(?:[^"@\p{Z}\u200B\uFEFF]|"(?:[^"\\]|\\.)*")+@[^"@\p{Z}\u200B\uFEFF]+$/u;

/**
 * Whether a text can be an e-mail address at all. Client and sandbox both ask here.
 * Assumed: the service judges the rest (RFC 5321, RFC 6531), so nothing else is refused.
 */
export const isEmailAddress = (text: string): boolean =>
  // A character is at least one octet, so a long text isn't searched.
  text.length <= longestOctets &&
  form.test(text) &&
  !control.test(text) &&
  new TextEncoder().encode(text).length <= longestOctets;
