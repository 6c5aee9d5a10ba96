import { isEmailAddress } from '../../api/email-address.ts';
import { isUri } from '../../client/ids.ts';

/** Whether a text is an email address. A URI may also contain an `@`. */
export const isEmail = (text: string): boolean => isEmailAddress(text) && !isUri(text);
