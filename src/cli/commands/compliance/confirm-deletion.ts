import { fallBack, SchedError } from '../../../errors.ts';
import type { BatchPlan } from '../../../jobs/batch-plan.ts';
import { counted, formatNumber } from '../../../numbers.ts';
import type { Invocation } from '../../command.ts';
import { readWholeNumber } from '../../operation/values.ts';
import { placeOf } from '../../session/confirm.ts';
import { askText, askYes, laidOut } from '../../session/prompt.ts';
import { checkCount, differs, type ExpectedCount } from '../bulk/check-count.ts';
import { hideAddresses } from './hide-addresses.ts';
import { findKey } from './receipt-key.ts';
import type { Requester } from './requester.ts';

/** Up to this many addresses typed as arguments need no further confirmation than --yes: the user has seen them. */
const mostSeen = 10;

/** The flags that confirm a deletion: a number of addresses, or their digest. */
interface DeletionFlags extends ExpectedCount {
  digest?: string;
}

export const readConfirmation = (invocation: Invocation): DeletionFlags => {
  const { typed, problems } = invocation;
  const max = readWholeNumber('max', invocation, 0);
  const text = String(typed.confirm ?? '')
    .trim()
    .toLowerCase();
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return { digest: text, max };
  if (/^\d{1,9}$/.test(text)) return { confirm: Number(text), max };
  if (typed.confirm !== undefined)
    problems.add('--confirm must be the number of addresses or the sha256:… digest that --dry-run prints');
  return { max };
};

/** Fewer addresses could be guessed from a plain hash of them. */
const fewest = 10;

const noDigest = `fewer than ${fewest} addresses have a digest only with a receipt key`;

/** The digest that identifies the addresses of a plan. For a few addresses it is keyed, and missing without a key. */
export const planDigest = async (invocation: Invocation, { items, digest }: BatchPlan): Promise<string | undefined> => {
  if (items.length >= fewest) return digest;
  const key = await findKey(invocation, false).catch(fallBack(undefined, 'environment'));
  // Not the value that the receipt contains.
  return key && `sha256:${key.mac(`confirm ${digest}`)}`;
};

/**
 * Returns true if the flags confirm the deletion, false if the user must be prompted. Nothing has been asked or sent
 * yet. Throws if neither is possible.
 */
export const isConfirmed = (
  { context, args }: Invocation,
  confirmation: DeletionFlags,
  plan: BatchPlan,
  digest: string | undefined,
): boolean => {
  const { yes, canAsk } = context.settings;
  const count = plan.items.length;
  checkCount('addresses', confirmation, count);
  const { confirm, max } = confirmation;
  if (confirmation.digest !== undefined && confirmation.digest !== digest)
    throw differs(
      'The addresses differ from the confirmed ones',
      digest === undefined ? noDigest : `their digest is ${digest}`,
    );
  const isSeen = args.length > 0 && count <= mostSeen;
  const isCounted = confirm !== undefined || confirmation.digest !== undefined;
  if (count === 0 || isCounted || (yes && (max !== undefined || isSeen))) return true;
  if (canAsk) return false;
  throw new SchedError(
    'confirmation-required',
    `Confirmation needed to delete all data of ${counted(count, 'invitee')}, but there is no terminal to ask on`,
    {
      reason: yes ? '--yes alone works only for up to 10 addresses typed as arguments' : "a deletion can't be undone",
      hint: { flags: isSeen ? { yes: true } : { confirm: String(count) } },
    },
  );
};

/**
 * Prompts for the count. Shows the organization, the service and the profile, so that a mistake is noticed. `left` is
 * the rest of a run that is resumed.
 */
export const askForCount = async (
  { context }: Invocation,
  plan: BatchPlan,
  { organization, isSandbox }: Requester,
  left: number | undefined,
): Promise<void> => {
  const { settings, runtime, notes } = context;
  const count = plan.items.length;
  const question = `Delete all data of ${counted(count, 'invitee')}? This can't be undone.`;
  // R49: the name of an organization is the service's text.
  const place = (await placeOf(context, organization)).map(([label, value]) => {
    const isServed = isSandbox && label === 'service' && value !== 'sandbox';
    return [label, hideAddresses(isServed ? `${value} (sandbox)` : value)] as const;
  });
  const change = {
    question,
    isFinal: true,
    facts: left === undefined ? [] : [['already done', formatNumber(count - left)] as const],
    place,
  };
  const isMeant = async (): Promise<boolean> => {
    const asked = { ...change, yes: 'continue and type the count', no: 'stop and send nothing' };
    // In accessible mode a number picks an answer, so the count gets a prompt of its own.
    if (settings.accessible && !(await askYes(context, asked, ''))) return false;
    const before = settings.accessible ? [] : await laidOut(change, runtime.stderr.columns, notes.color);
    const answer = await askText(context, [...before, `Type the count to continue (${count}): `].join('\n'));
    return answer.replace(/[,.\s_']/g, '') === String(count);
  };
  if (await isMeant()) return;
  throw new SchedError('confirmation-required', 'Not confirmed. Nothing was sent');
};
