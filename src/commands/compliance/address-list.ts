import { foldAddress } from '../../api/email-address.ts';
import { the, words } from '../../base/words.ts';
import { type Input, related } from '../../cli/input/input.ts';
import { argumentsApart, type ItemFile, itemInput } from '../bulk/input.ts';
import { type ItemKind, readBatchPlan, wrongLines } from '../bulk/read-items.ts';
import type { BatchPlan, PlannedItem } from '../bulk/work-plan.ts';
import type { ReceiptKey } from '../bulk/work-receipt-key.ts';

const kind: ItemKind = {
  usual: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'email_address', 'emails'],
  isItem: (text) => text.includes('@'),
  isSurelyItem: (text) => foldAddress(text) !== undefined,
  fold: foldAddress,
};

/** The addresses of a call, and what one of them is called in messages, before its number. */
export interface Addresses {
  plan: BatchPlan;
  thing: 'argument' | 'item' | 'line';
}

const fileInput = related(itemInput('addresses', 'address'), argumentsApart('email'));

/** Addresses as arguments or in a file. They are read after all other values, whose problems are then known. */
export const addressInput: Input<ItemFile & { addresses: Addresses }> = {
  flags: fileInput.flags,
  arguments: [{ name: 'email', description: 'email address of an invitee', variadic: true }],
  draft: async (invocation, how) => {
    const { context, problems } = invocation;
    const values = await (await fileInput.draft(invocation, how))(context);
    const args = [how.given.email ?? []].flat().map(String);
    if (values.from === undefined && args.length === 0)
      problems.report({ words: words`No addresses given. Add some as arguments, or a file with ${the('from')}` });
    const plan = await readBatchPlan(invocation, values, args, kind);
    const thing = values.from === undefined ? 'argument' : plan.isListed ? 'item' : 'line';
    return async () => ({ ...values, addresses: { plan, thing } });
  },
};

/** What a run needs to know about its addresses. The receipt has their HMACs, and messages their lines. */
export const addressesOf = ({ plan, thing }: Addresses, key: ReceiptKey) =>
  ({
    things: 'addresses',
    key: key.id,
    items: plan.items,
    duplicates: plan.duplicates.length,
    wrong: wrongLines(plan, 'email address'),
    thing,
    mark: ({ text }: PlannedItem) => key.mac(foldAddress(text)!),
  }) as const;
