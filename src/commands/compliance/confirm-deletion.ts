import { fallBack, SchedError } from '../../base/errors.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { self, the, words } from '../../base/words.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { hideAddresses } from '../../cli/messages/hide-addresses.ts';
import { allowWrites, declined, placeFacts, withoutTerminal } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { askText, askYes, laidOut } from '../../cli/session/prompt.ts';
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
  confirm: number | string | undefined;
  max: number | undefined;
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

/**
 * Returns true if the flags confirm the deletion, false if the user must be prompted. Nothing has been asked or sent
 * yet. Throws if neither is possible.
 */
export const isConfirmed = (
  context: Context,
  { confirm, max }: Confirmation,
  { plan, thing }: Addresses,
  digest: string | undefined,
): boolean => {
  const { yes, canAsk } = context.settings;
  const count = plan.items.length;
  checkCount('addresses', { confirm: typeof confirm === 'number' ? confirm : undefined, max }, count);
  if (typeof confirm === 'string' && confirm !== digest)
    throw differs(
      'The addresses differ from the confirmed ones',
      digest === undefined ? noDigest : `their digest is ${digest}`,
    );
  const isSeen = thing === 'argument' && count <= mostSeen;
  if (count === 0 || confirm !== undefined || (yes && (max !== undefined || isSeen))) return true;
  if (canAsk) return false;
  throw new SchedError(
    'confirmation-required',
    `Confirmation needed to delete all data of ${counted(count, 'invitee')}, but there is no terminal to ask on`,
    {
      reason: yes
        ? words`${the('yes')} alone works only for up to 10 addresses typed as arguments`
        : "a deletion can't be undone",
      ...withoutTerminal(context, isSeen ? { yes: true } : { confirm: String(count) }),
    },
  );
};

/**
 * Prompts for the count. Shows the organization, the service and the profile, so that a mistake is noticed. `left` is
 * the rest of a run that is resumed.
 */
export const askForCount = async (
  context: Context,
  plan: BatchPlan,
  { organization, isSandbox }: Requester,
  remaining: number | undefined,
): Promise<void> => {
  const { settings, runtime, notes } = context;
  const count = plan.items.length;
  const question = `Delete all data about ${counted(count, 'invitee')}? This can't be undone.`;
  // R49: the name of an organization is the service's text.
  const place = (await placeFacts(context, organization)).map(([label, value]) => {
    const isServed = isSandbox && label === 'service' && value !== 'sandbox';
    return [label, hideAddresses(isServed ? `${value} (sandbox)` : value)] as const;
  });
  const change = {
    question,
    isFinal: true,
    facts: remaining === undefined ? [] : [['already done', formatNumber(count - remaining)] as const],
    place,
  };
  const isMeant = async (): Promise<boolean> => {
    const confirmation = { ...change, yes: 'continue and type the count', no: 'stop and send nothing' };
    // In accessible mode a number picks an answer, so the count gets a prompt of its own.
    if (settings.accessible && !(await askYes(context, confirmation, ''))) return false;
    const before = settings.accessible ? [] : await laidOut(change, runtime.stderr.columns, notes.color);
    const answer = await askText(context, [...before, `Type the count to continue (${count}): `].join('\n'));
    return answer.replace(/[,.\s_']/g, '') === String(count);
  };
  if (!(await isMeant())) throw declined('delete');
  allowWrites(context);
};
