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

type AddressInput = Input<ItemFile & { addresses: Addresses }>;

/** Addresses are read after all other values, whose problems are then known. */
const addressesFrom = (fileInput: Input<ItemFile>, withArguments: boolean): AddressInput => ({
  flags: fileInput.flags,
  arguments: withArguments ? [{ name: 'email', description: 'email address of an invitee', variadic: true }] : [],
  draft: async (invocation, how) => {
    const { context, problems } = invocation;
    const values = await (await fileInput.draft(invocation, how))(context);
    const args = withArguments ? [how.given.email ?? []].flat().map(String) : [];
    if (values.from === undefined && args.length === 0)
      if (withArguments)
        problems.report({ words: words`No addresses given. Add some as arguments, or a file with ${the('from')}` });
      else problems.missingFlag('from');
    const plan = await readBatchPlan(invocation, values, args, kind);
    const thing = values.from === undefined ? 'argument' : plan.isListed ? 'item' : 'line';
    return async () => ({ ...values, addresses: { plan, thing } });
  },
});

const fileInput = itemInput('addresses', 'address');

/** Addresses as arguments or in a file. */
export const addressInput = addressesFrom(related(fileInput, argumentsApart('email')), true);

/** Addresses in the file of a run that was made before. */
export const addressFileInput: AddressInput = addressesFrom(
  {
    ...fileInput,
    flags: fileInput.flags
      .filter(({ name }) => name !== 'again')
      .map((flag) => (flag.name === 'from' ? { ...flag, required: true } : flag)),
  },
  false,
);

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
