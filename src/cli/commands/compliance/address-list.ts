import { foldAddress } from '../../../api/email-address.ts';
import type { BatchPlan, PlannedItem } from '../../../jobs/batch-plan.ts';
import type { ReceiptKey } from '../../../jobs/receipt-key.ts';
import type { Invocation } from '../../command.ts';
import { type ItemKind, readPlan, wrongLines } from '../bulk/read-items.ts';

const kind: ItemKind = {
  usual: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'email_address', 'emails'],
  isItem: (text) => text.includes('@'),
  isSurelyItem: (text) => foldAddress(text) !== undefined,
  fold: foldAddress,
};

/** Reads the addresses of the command line or of --from. */
export const readAddresses = (invocation: Invocation): Promise<BatchPlan> => {
  const { args, typed, problems } = invocation;
  if (typed.from === undefined && args.length === 0)
    problems.add('No addresses given. Add some as arguments, or a file with --from');
  return readPlan(invocation, kind);
};

/** What an address of the input is called in messages, before its number. */
export const thingOf = ({ typed }: Invocation, plan: BatchPlan): 'argument' | 'item' | 'line' =>
  typed.from === undefined ? 'argument' : plan.isListed ? 'item' : 'line';

/** What a run needs to know about its addresses. The receipt has their HMACs, and messages their lines. */
export const addressesOf = (invocation: Invocation, plan: BatchPlan, key: ReceiptKey) =>
  ({
    things: 'addresses',
    key: key.id,
    items: plan.items,
    duplicates: plan.duplicates.length,
    wrong: wrongLines(plan, 'email address'),
    thing: thingOf(invocation, plan),
    mark: ({ text }: PlannedItem) => key.mac(foldAddress(text)!),
  }) as const;
