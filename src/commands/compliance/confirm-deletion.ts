import { fallBack } from '../../base/errors.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { self, the, words } from '../../base/words.ts';
import type { Final, Question } from '../../cli/answer/plan.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import type { Context } from '../../cli/session/context.ts';
import { checkCount, differs } from '../bulk/check-count.ts';
import type { Requester } from '../bulk/requester.ts';
import type { BatchPlan } from '../bulk/work-plan.ts';
import type { Addresses } from './address-list.ts';
import { findKey } from './receipt-key.ts';

/** Up to this many addresses typed as arguments need no further confirmation than --yes: the user has seen them. */
const mostSeen = 10;

/** The number of addresses, or their digest. */
export const confirmKind: Kind<number | string> = {
  value: 'COUNT|DIGEST',
  json: ['integer', 'string'],
  read: (raw) => {
    const text = raw.trim().toLowerCase();
    if (/^sha256:[0-9a-f]{64}$/.test(text)) return accept(text);
    if (/^\d{1,9}$/.test(text)) return accept(Number(text));
    return refuse(words`${self} must be the number of addresses or the sha256:… digest that ${the('dryRun')} prints`);
  },
};

/** What confirms a deletion. */
interface Confirmation {
  confirm?: number | string | undefined;
  max?: number | undefined;
  receiptKeyFile?: string | undefined;
}

/** Fewer addresses could be guessed from a plain hash of them. */
const fewest = 10;

const noDigest = `fewer than ${fewest} addresses have a digest only with a receipt key`;

/** The digest that identifies the addresses of a plan. For a few addresses it is keyed, and missing without a key. */
export const planDigest = async (
  context: Context,
  keyFile: string | undefined,
  { items, digest }: BatchPlan,
): Promise<string | undefined> => {
  if (items.length >= fewest) return digest;
  const key = await findKey(context, keyFile, false).catch(fallBack(undefined, 'environment'));
  // Not the value that the receipt contains.
  return key && `sha256:${key.mac(`confirm ${digest}`)}`;
};

/** Throws if the confirmed addresses are others. */
export const checkConfirmed = async (
  context: Context,
  { confirm, max, receiptKeyFile }: Confirmation,
  { plan }: Addresses,
): Promise<void> => {
  const count = plan.items.length;
  const digest = typeof confirm === 'string' ? await planDigest(context, receiptKeyFile, plan) : undefined;
  checkCount('addresses', { confirm: typeof confirm === 'number' ? confirm : undefined, max }, count);
  if (typeof confirm === 'string' && confirm !== digest)
    throw differs(
      'The addresses differ from the confirmed ones',
      digest === undefined ? noDigest : `their digest is ${digest}`,
    );
};

/** What agrees to a deletion besides a person. */
export const agreement = (
  { confirm, max }: Confirmation,
  { plan, thing }: Addresses,
): { isAgreed: boolean; final: Final } => {
  const count = plan.items.length;
  const isSeen = thing === 'argument' && count <= mostSeen;
  return {
    isAgreed: count === 0 || confirm !== undefined,
    final: {
      action: `delete all data of ${counted(count, 'invitee')}`,
      flags: isSeen ? { yes: true } : { confirm: String(count) },
      reason: "a deletion can't be undone",
      beyondYes:
        max !== undefined || isSeen
          ? undefined
          : words`${the('yes')} alone works only for up to 10 addresses typed as arguments`,
    },
  };
};

/** Asks for the count. `remaining` is the rest of a run that is resumed. */
export const countQuestion = (
  { plan }: Addresses,
  { organization }: Requester,
  remaining: number | undefined,
): Question => {
  const count = plan.items.length;
  return {
    question: `Delete all data about ${counted(count, 'invitee')}? This can't be undone.`,
    isFinal: true,
    action: 'delete',
    facts: remaining === undefined ? [] : [['already done', formatNumber(count - remaining)]],
    number: count,
    organization,
  };
};
