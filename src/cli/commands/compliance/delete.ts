import { compliance } from '../../../api/compliance.ts';
import { limits } from '../../../api/limits.ts';
import { SchedError } from '../../../errors.ts';
import { foldAddress } from '../../../jobs/address.ts';
import { estimatedSeconds, type Plan } from '../../../jobs/batch-plan.ts';
import type { View } from '../../../output/view.ts';
import type { Command, Flag, Invocation } from '../../command.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { sandboxAddress } from '../../session/connection.ts';
import { bulkFlags, inputNote } from '../bulk/flags.ts';
import { checkInvalid, type ItemKind, noteLeftOut, readPlan } from '../bulk/read-items.ts';
import { resultFields } from '../bulk/result.ts';
import { runBulk } from '../bulk/run.ts';
import { askForCount, isConfirmed, readConfirmation } from './confirm-deletion.ts';
import { findKey, keyFileFlag } from './receipt-key.ts';
import { askRequester, checkOrganization, isSandboxed } from './requester.ts';
import { sendDeletion } from './send.ts';

const largestBatch = 1000;

const flags: Flag[] = [
  ...bulkFlags('addresses', 'address'),
  { name: 'allow-empty', description: 'no address at all is no failure', heading: 'Flags' },
  {
    name: 'batch-size',
    value: 'N',
    description: `addresses a request, 1 to ${largestBatch} (default ${limits.deletionBatch})`,
    heading: 'Flags',
  },
  {
    name: 'confirm',
    value: 'COUNT',
    description: 'consent to this count of addresses, or to sha256:…, as --dry-run prints them',
    heading: 'Safety',
  },
  {
    name: 'max',
    value: 'N',
    description: 'refuse more addresses than this; with --yes it consents',
    heading: 'Safety',
  },
  { name: 'org', value: 'ID', description: 'refuse unless the token belongs to this organization', heading: 'Safety' },
  keyFileFlag,
];

const planView: View = {
  columns: [
    { header: 'ADDRESSES', path: 'addresses', as: 'count' },
    { header: 'DUPLICATES', path: 'duplicates', as: 'count' },
    { header: 'INVALID LINES', path: 'invalid_lines', as: 'list' },
    { header: 'BATCHES', path: 'batches', as: 'count' },
    { header: 'ESTIMATED S', path: 'estimated_s', as: 'count' },
    { header: 'DIGEST', path: 'digest', shrink: false },
    { header: 'COMMENTS', path: 'comments', as: 'count' },
    { header: 'HEADER LINES', path: 'header_lines', as: 'count' },
    { header: 'BLANK LINES', path: 'blank_lines', as: 'count' },
  ],
  id: 'digest',
};

const addresses: ItemKind = {
  usual: ['email', 'e-mail', 'mail', 'email address', 'e-mail address', 'email_address', 'emails'],
  isItem: (text) => text.includes('@'),
  isSurelyItem: (text) => foldAddress(text) !== undefined,
  fold: foldAddress,
};

const readBatchSize = ({ typed, problems }: Invocation): number => {
  const text = typed['batch-size'];
  if (text === undefined) return limits.deletionBatch;
  const size = /^\d{1,4}$/.test(String(text)) ? Number(text) : 0;
  if (size >= 1 && size <= largestBatch) return size;
  problems.add(`--batch-size is a number from 1 to ${largestBatch}`);
  return limits.deletionBatch;
};

/** What fails after the plan was printed takes nothing from it. */
const answered = (check: () => void): void => {
  try {
    check();
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    throw new SchedError(error.category, error.message, { ...error.facts, answered: true });
  }
};

const checkEmpty = ({ typed }: Invocation, { items, invalid }: Plan): void => {
  if (items.length > 0 || typed['allow-empty'] === true) return;
  throw new SchedError('usage', 'There is no address in the input', {
    ...(invalid.length > 0 ? { reason: 'every line of it is invalid' } : {}),
    hint: 'add --allow-empty where a night without requests is fine',
    outcome: 'not-sent',
  });
};

const printPlan = ({ context }: Invocation, plan: Plan, batchSize: number): Promise<void> => {
  const batches = Math.ceil(plan.items.length / batchSize);
  return context.printer.one(planView, {
    addresses: plan.items.length,
    duplicates: plan.duplicates.length,
    invalid_lines: plan.invalid.map(({ line }) => line),
    batches,
    estimated_s: estimatedSeconds(batches, limits.requestsPerMinute.paid),
    digest: plan.digest,
    comments: plan.skipped.comment.length,
    header_lines: plan.skipped.header.length,
    blank_lines: plan.skipped.blank.length,
  });
};

const run = async (invocation: Invocation): Promise<void> => {
  const { context, typed, problems } = invocation;
  // A plan needs no service, and must not be taken for one of the real account.
  if (context.settings.sandbox) context.notes.sandbox();
  const consent = readConfirmation(invocation);
  const batchSize = readBatchSize(invocation);
  if (typed.from === undefined && invocation.args.length === 0)
    problems.add('no address is given: name some, or a file with --from');
  const plan = await readPlan(invocation, addresses);
  if (context.settings.curl) {
    checkInvalid(invocation, plan, 'e-mail address');
    return printRequest(invocation, compliance.delete, [{ body: { emails: plan.items.slice(0, batchSize) } }]);
  }
  if (context.settings.dryRun) {
    problems.check();
    await printPlan(invocation, plan, batchSize);
    return answered(() => checkInvalid(invocation, plan, 'e-mail address'));
  }
  checkInvalid(invocation, plan, 'e-mail address');
  problems.check();
  checkEmpty(invocation, plan);
  noteLeftOut(invocation, plan);
  const isAgreed = isConfirmed(invocation, consent, plan);
  const { baseUrl, isSandbox: isEmbedded } = await context.connection();
  const key = (await findKey(invocation, true))!;
  const who = await askRequester(context);
  if (typed.org !== undefined) checkOrganization(String(typed.org), who);
  const isSandbox = await isSandboxed(context);
  await runBulk(context, {
    command: 'compliance delete',
    things: 'addresses',
    done: 'accepted',
    operation: 'compliance.delete',
    endpoint: `${isEmbedded ? sandboxAddress : baseUrl}${compliance.delete.path}`,
    ...who,
    isSandbox,
    key: key.id,
    input: key.mac(plan.digest),
    plan,
    items: plan.items,
    mark: (item) => key.mac(foldAddress(item)!),
    batchSize,
    send: sendDeletion(await context.client(), context.runtime.secrets.redact),
    receipt: typed.receipt as string | undefined,
    again: typed.again === true,
    confirm: async (history) => {
      if (!isAgreed) await askForCount(invocation, plan, who, isSandbox, history);
    },
  });
  if (plan.items.length > 0) context.notes.info('accepted: the service deletes within days, and does not say when');
};

/** `compliance delete` in place of the generic command. */
export const deletion = (generic: GenericCommand): Command => ({
  ...generic,
  arguments: [{ name: 'email', description: 'address of an invitee', variadic: true }],
  flags,
  fields: [...resultFields, ...planView.columns.map(({ path }) => path)],
  notes: [
    'Asks first: a person types the count. Without one: --confirm COUNT or --confirm sha256:… as --dry-run prints them, or --yes with --max N; up to 10 addresses typed as arguments need only --yes.',
    inputNote,
    'No address is ever printed: lines of the input are named by number.',
    'The receipt is one file, written before and after every request. An interrupted run is continued by the same command; a finished one is not sent again within 12 hours. Addresses stand in it as HMACs under a key that is kept elsewhere; in CI that is a file (sched compliance key FILE).',
    'A receipt proves what was sent, when, and that the service said "accepted". It does not prove that data was deleted: the service does that within days and does not say when. Keep the head hash that is printed at the end elsewhere: it alone shows a receipt that was written anew.',
  ],
  run,
});
