import { SchedError } from '../../../errors.ts';
import type { Plan } from '../../../jobs/batch-plan.ts';
import type { RunHistory } from '../../../jobs/receipt.ts';
import type { Invocation } from '../../command.ts';
import { shownUrl } from '../../session/connection.ts';
import { askText, askYes, factLines } from '../../session/prompt.ts';
import type { Requester } from './requester.ts';

/** So many addresses typed as arguments were seen by whoever typed them. */
const mostSeen = 10;

const number = (value: number): string => value.toLocaleString('en-US');

/** What the flags say to a deletion. */
export interface Confirmation {
  confirm?: string;
  max?: number;
}

export const readConfirmation = ({ typed, problems }: Invocation): Confirmation => {
  const consent: Confirmation = {};
  if (typed.confirm !== undefined) {
    consent.confirm = String(typed.confirm).trim().toLowerCase();
    if (!/^(\d{1,9}|sha256:[0-9a-f]{64})$/.test(consent.confirm))
      problems.add('--confirm is the count of addresses or sha256:… as --dry-run prints them');
  }
  if (typed.max !== undefined) {
    consent.max = /^\d{1,15}$/.test(String(typed.max)) ? Number(typed.max) : Number.NaN;
    if (Number.isNaN(consent.max)) problems.add('--max is a count of addresses');
  }
  return consent;
};

const differs = (message: string, reason: string): SchedError =>
  new SchedError('conflict', message, { reason, hint: 'look at the plan: --dry-run', outcome: 'not-sent' });

/** What was confirmed must be what is there. */
const checkDifference = ({ confirm, max }: Confirmation, { items, digest }: Plan): void => {
  if (max !== undefined && items.length > max)
    throw differs(`There are more addresses than --max allows`, `${number(items.length)}, and at most ${number(max)}`);
  if (confirm?.startsWith('sha256:') && confirm !== digest)
    throw differs('The addresses are not the ones that were confirmed', `their digest is ${digest}`);
  if (confirm !== undefined && !confirm.startsWith('sha256:') && Number(confirm) !== items.length)
    throw differs(
      'The count of addresses is not the one that was confirmed',
      `there are ${number(items.length)}, and ${number(Number(confirm))} were confirmed`,
    );
};

/**
 * Whether the flags consent, before anything is asked or sent. `true`: they do; `false`: a person is to be asked.
 * Where nobody can be, nothing is done.
 */
export const isConfirmed = ({ context, args }: Invocation, consent: Confirmation, plan: Plan): boolean => {
  const { yes, canAsk } = context.settings;
  checkDifference(consent, plan);
  const count = plan.items.length;
  const isSeen = args.length > 0 && count <= mostSeen;
  if (count === 0 || consent.confirm !== undefined || (yes && (consent.max !== undefined || isSeen))) return true;
  if (canAsk) return false;
  throw new SchedError(
    'confirmation-required',
    `This asks first, and nobody can answer: delete all data of ${number(count)} ${count === 1 ? 'invitee' : 'invitees'}?`,
    {
      reason: yes ? '--yes alone is for up to 10 addresses typed as arguments' : 'a deletion cannot be undone',
      hint: isSeen ? 'add --yes' : `add --confirm ${count}, or --yes --max N`,
      outcome: 'not-sent',
    },
  );
};

/** Asks a person to type the count, with everything in sight that would show a mistake. */
export const askForCount = async (
  { context }: Invocation,
  plan: Plan,
  who: Requester,
  isSandbox: boolean,
  history: RunHistory | undefined,
): Promise<void> => {
  const { settings } = context;
  const connection = await context.connection();
  const count = plan.items.length;
  const done = history === undefined ? 0 : history.counts.accepted + history.counts.rejected;
  const profile =
    settings.account?.name ?? (settings.sandbox ? 'none, the sandbox' : 'none, the token of the environment');
  const question = `Delete all data of ${number(count)} ${count === 1 ? 'invitee' : 'invitees'}? It cannot be undone.`;
  const facts = [
    ['organization', `${who.organization}${isSandbox ? ' (sandbox)' : ''}`],
    ['origin', shownUrl(new URL(connection.baseUrl).origin, connection)],
    ['profile', profile],
    ...(history === undefined ? [] : [['done already', `${number(done)}, by run ${history.run.run}`] as const]),
  ] as const;
  const isMeant = async (): Promise<boolean> => {
    const asked = { question, facts, yes: 'go on, and type the count', no: 'stop, and send nothing' };
    // Numbers are for choosing, so what is typed to go on is asked for by itself.
    if (settings.accessible && !(await askYes(context, asked, ''))) return false;
    const before = settings.accessible ? [] : [question, ...factLines(facts, false)];
    const answer = await askText(context, [...before, `Type the count to go on (${count}): `].join('\n'));
    return answer.replace(/[,.\s_']/g, '') === String(count);
  };
  if (await isMeant()) return;
  throw new SchedError('confirmation-required', 'Not confirmed, nothing was sent', { outcome: 'not-sent' });
};
