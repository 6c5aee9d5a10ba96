import { foldAddress } from '../../api/email-address.ts';
import { routingForms, type SentSubmission } from '../../api/routing-forms.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Context } from '../../cli/session/context.ts';

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
};

/** The addresses in a text, folded: the whole text, or words of it without the punctuation around them. */
const addressesInText = (text: string): string[] =>
  [text.trim(), ...text.split(/[\s"'<>()[\],;:=]+/)]
    .filter((word) => word.includes('@') && word.length <= 300)
    .flatMap((word) => foldAddress(word.replace(/[.!?]+$/, '')) ?? []);

/** The addresses anywhere in a record, folded. */
export const addressesIn = (record: object): string[] => textsIn(record).flatMap(addressesInText);

/**
 * Reads the routing form submissions of the organization, whatever their form. Returns what could not be read. A 404 is
 * no proof that there are none.
 */
export const eachSubmission = async (context: Context, take: (submission: SentSubmission) => void) => {
  const client = await context.client();
  // A dialect may say nothing about forms. That is no proof either.
  if (!client.offers(routingForms.list) || !client.offers(routingForms.submissions)) return ['routing forms'];
  const unread: string[] = [];
  const readOrNote = async (what: string, read: () => Promise<void>): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!hasCategory(error, 'forbidden', 'not-found')) throw error;
      unread.push(what);
    }
  };
  const readForm = async (form: unknown): Promise<void> => {
    for await (const page of client.pages(routingForms.submissions, { query: { form: String(form) } }))
      page.forEach(take);
  };
  await readOrNote('routing forms', async () => {
    const query = { organization: await context.identity.organization() };
    for await (const page of client.pages(routingForms.list, { query }))
      for (const { uri } of page) await readOrNote(`routing form ${idIn(uri)}`, () => readForm(uri));
  });
  return unread;
};
