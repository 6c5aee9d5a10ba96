import { hasCategory, SchedError } from '../../../errors.ts';
import type { BatchPlan } from '../../../jobs/batch-plan.ts';
import type { RunHistory } from '../../../jobs/receipt.ts';
import { counted, formatNumber } from '../../../numbers.ts';
import type { Invocation } from '../../command.ts';
import { serviceFacts } from '../../session/confirm.ts';
import { askText, askYes, factLines } from '../../session/prompt.ts';
import { checkCount, differs } from '../bulk/bulk.ts';
import { findKey } from './receipt-key.ts';
import type { Requester } from './requester.ts';

/** Up to this many addresses typed as arguments need no further confirmation than --yes: the user has seen them. */
const mostSeen = 10;

/** The flags that confirm a deletion. */
export interface DeletionFlags {
  confirm?: string;
  max?: number;
}

export const readConfirmation = ({ typed, problems }: Invocation): DeletionFlags => {
  const confirmation: DeletionFlags = {};
  if (typed.confirm !== undefined) {
    confirmation.confirm = String(typed.confirm).trim().toLowerCase();
    if (!/^(\d{1,9}|sha256:[0-9a-f]{64})$/.test(confirmation.confirm))
      problems.add('--confirm must be the number of addresses or the sha256:… digest that --dry-run prints');
  }
  if (typed.max !== undefined) {
    confirmation.max = /^\d{1,15}$/.test(String(typed.max)) ? Number(typed.max) : Number.NaN;
    if (Number.isNaN(confirmation.max)) problems.add('--max must be a whole number from 0 up');
  }
  return confirmation;
};

/** Fewer addresses could be guessed from a plain hash of them. */
const fewest = 10;

const noDigest = `fewer than ${fewest} addresses have a digest only with a receipt key`;

/** The digest that identifies the addresses of a plan. For a few addresses it is keyed, and missing without a key. */
export const planDigest = async (invocation: Invocation, { items, digest }: BatchPlan): Promise<string | undefined> => {
  if (items.length >= fewest) return digest;
  const key = await findKey(invocation, false).catch((error: unknown) => {
    if (hasCategory(error, 'environment')) return undefined;
    throw error;
  });
  // Not the value that the receipt contains.
  return key && `sha256:${key.mac(`confirm ${digest}`)}`;
};

/** Throws unless the input is what the flags confirm. */
const checkDifference = ({ confirm, max }: DeletionFlags, { items }: BatchPlan, digest: string | undefined): void => {
  const isDigest = confirm?.startsWith('sha256:') ?? false;
  const count = confirm === undefined || isDigest ? undefined : Number(confirm);
  checkCount('addresses', items.length, { confirm: count, max });
  if (isDigest && confirm !== digest)
    throw differs(
      'The addresses differ from the confirmed ones',
      digest === undefined ? noDigest : `their digest is ${digest}`,
    );
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
  checkDifference(confirmation, plan, digest);
  const count = plan.items.length;
  const isSeen = args.length > 0 && count <= mostSeen;
  const { confirm, max } = confirmation;
  if (count === 0 || confirm !== undefined || (yes && (max !== undefined || isSeen))) return true;
  if (canAsk) return false;
  throw new SchedError(
    'confirmation-required',
    `Confirmation needed to delete all data of ${counted(count, 'invitee')}, but there is no terminal to ask on`,
    {
      reason: yes ? '--yes alone works only for up to 10 addresses typed as arguments' : "a deletion can't be undone",
      hint: { flags: isSeen ? { yes: true } : { confirm: String(count) } },
      outcome: 'not-sent',
    },
  );
};

/** Prompts for the count. Shows the organization, the service and the profile, so that a mistake is noticed. */
export const askForCount = async (
  { context }: Invocation,
  plan: BatchPlan,
  who: Requester,
  isSandbox: boolean,
  history: RunHistory | undefined,
): Promise<void> => {
  const { settings } = context;
  const count = plan.items.length;
  const done = history === undefined ? 0 : history.counts.accepted + history.counts.rejected;
  const question = `Delete all data of ${counted(count, 'invitee')}? This can't be undone.`;
  const facts = [
    ...(await serviceFacts(context, `${who.organization}${isSandbox ? ' (sandbox)' : ''}`)),
    ...(history === undefined ? [] : [['already done', `${formatNumber(done)}, by run ${history.run.run}`] as const]),
  ] as const;
  const isMeant = async (): Promise<boolean> => {
    const asked = { question, facts, yes: 'continue and type the count', no: 'stop and send nothing' };
    // In accessible mode a number picks an answer, so the count gets a prompt of its own.
    if (settings.accessible && !(await askYes(context, asked, ''))) return false;
    const before = settings.accessible ? [] : [question, ...factLines(facts, false)];
    const answer = await askText(context, [...before, `Type the count to continue (${count}): `].join('\n'));
    return answer.replace(/[,.\s_']/g, '') === String(count);
  };
  if (await isMeant()) return;
  throw new SchedError('confirmation-required', 'Not confirmed. Nothing was sent', { outcome: 'not-sent' });
};
