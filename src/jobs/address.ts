import { compliance } from '../api/compliance.ts';

const { element } = compliance.delete.body.fields.emails;

/** RFC 5321 §4.5.3.1.3, less the brackets around it. */
const longest = 254;

/**
 * An address in the form that is compared and put into a receipt: lower-case. A local part may be told apart by case
 * (RFC 5321 §2.4), but no service is known that does; what is sent is what was typed.
 */
export const foldAddress = (text: string): string | undefined =>
  text.length <= longest && element.schema.safeParse(text).success ? text.toLowerCase() : undefined;
