import { foldAddress } from '../../../api/email-address.ts';
import type { BatchPlan, PlannedItem } from '../../../jobs/batch-plan.ts';
import type { ReceiptKey } from '../../../jobs/receipt-key.ts';
import type { Call, Input } from '../../input/input.ts';
import { the, words } from '../../input/words.ts';
import { bulkFlags } from '../bulk/flags.ts';
import { checkInvalid, type ItemKind, readPlan, wrongLines } from '../bulk/read-items.ts';

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

/** Addresses as arguments or in a file. They are read after all other values, whose problems are then known. */
export const addressInput: Input<{ addresses: Addresses }> = {
  flags: bulkFlags('addresses', 'address'),
  arguments: [{ name: 'email', description: 'email address of an invitee', variadic: true }],
  draft: async (invocation, { given: { from, email } }) => {
    if (from === undefined && email === undefined)
      invocation.problems.report({
        words: words`No addresses given. Add some as arguments, or a file with ${the('from')}`,
      });
    const plan = await readPlan(invocation, kind);
    const thing = plan.isListed ? 'item' : 'line';
    return async () => ({ addresses: { plan, thing: from === undefined ? 'argument' : thing } });
  },
};

/** Rejects the input if it has invalid lines, unless --skip-invalid is set. */
export const checkAddresses = ({ bridge }: Call, { plan }: Addresses): void =>
  checkInvalid(bridge, plan, 'email address');

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
