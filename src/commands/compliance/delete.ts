import { collections } from '../../api/collections.ts';
import { compliance } from '../../api/compliance.ts';
import { limits } from '../../api/limits.ts';
import { type ErrorFacts, isOutcomeUnknown, SchedError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { formatNumber } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { RecordAnswer } from '../../cli/answer/answer.ts';
import type { Plan, Prepared } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { referenceKind } from '../../cli/input/field-kinds.ts';
import { both, type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { accept, type Kind } from '../../cli/input/kind.ts';
import { count, toggle } from '../../cli/input/kinds.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import { sandboxAddress } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Client } from '../../client/client.ts';
import { forbiddenBy, refusalOf } from '../../client/refusal.ts';
import { toWire } from '../../client/wire.ts';
import { requestIdOf } from '../../http/message.ts';
import type { View } from '../../output/view.ts';
import { type ItemFile, inputNote } from '../bulk/input.ts';
import { checkInvalid, noteLeftOut } from '../bulk/read-items.ts';
import { forgetReasons } from '../bulk/reasons-file.ts';
import { askRequester, checkOrganization, type Requester } from '../bulk/requester.ts';
import type { Bulk } from '../bulk/run-answer.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import { resultFields } from '../bulk/run-result.ts';
import { estimatedSeconds, type PlannedItem } from '../bulk/work-plan.ts';
import type { Job, SendResult } from '../bulk/work-run.ts';
import { openForgetting } from '../mirror/forget-deleted.ts';
import { type Addresses, addressesOf, addressInput } from './address-list.ts';
import { agreement, checkConfirmed, confirmKind, countQuestion, planDigest } from './confirm-deletion.ts';
import { deletionUnconfirmed } from './evidence.ts';
import { findKey, receiptKeyFile, secondKeyDanger } from './receipt-key.ts';

const largestBatch = 1000;

/** It is only compared, so it stays text: a plan asks nobody who `current` is. */
const orgKind: Kind<string> = {
  ...referenceKind('organizations'),
  collection: undefined,
  read: (raw) => accept(raw),
};

const entries = {
  allowEmpty: toggle("don't fail if there are no addresses"),
  batchSize: count(`addresses per request, 1 to ${largestBatch} (default ${limits.deletionBatch})`, {
    least: 1,
    most: largestBatch,
    preset: limits.deletionBatch,
  }),
  confirm: entry(
    confirmKind,
    words`confirm this number of addresses, or their sha256:… digest from ${the('dryRun')} (under 10 addresses: with a receipt key)`,
    { heading: 'Safety' },
  ),
  max: count(words`stop if there are more addresses than this; with ${the('yes')}, skips the prompt`, {
    heading: 'Safety',
  }),
  org: entry(orgKind, 'stop unless the token belongs to this organization', { heading: 'Safety' }),
  receiptKeyFile,
};

type DeleteInput = Values<typeof entries> & ItemFile & { addresses: Addresses };

const own = input(entries);

/** Help shows the addresses first. */
const deleteInput = { ...both(own, addressInput), flags: [...addressInput.flags, ...own.flags] };

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
    { header: 'REQUESTS', path: 'requests' },
  ],
  id: 'digest',
};

/** The error of a check, as `answered`: the plan is shown in full, so the output isn't called incomplete. */
const failureOf = (check: () => void): SchedError | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    return error.with({ answered: true });
  }
};

const checkEmpty = ({ allowEmpty, addresses: { plan } }: DeleteInput): void => {
  const { items, invalid } = plan;
  if (items.length > 0 || allowEmpty) return;
  throw new SchedError('usage', 'No addresses in the input', {
    ...(invalid.length > 0 ? { reason: 'all its lines are invalid' } : {}),
    hint: { flags: { 'allow-empty': true } },
  });
};

/** The reason for a 403, not in the service's words: those may quote an address (R49). */
const whyForbidden = ({ scopes, reason = '' }: ErrorFacts): string => {
  const about = scopes === undefined ? forbiddenBy(reason) : 'scope';
  if (about === 'scope') return `the token lacks the scope ${compliance.delete.scope}`;
  if (about === 'plan') return "the organization's plan doesn't include this: it needs the Enterprise plan";
  return "the token's role is too low: this needs an admin or the owner of the organization";
};

/** The same error without any words of the service. */
const hideServiceWords = ({ category, message, facts }: SchedError): SchedError => {
  const { requestId: _, ...http } = facts.http!;
  const why = http.status === 403 ? `: ${whyForbidden(facts)}` : '';
  return new SchedError(category, message, { reason: `HTTP ${http.status}${why}`, outcome: facts.outcome!, http });
};

/**
 * Requests the deletion of a batch of addresses. None of the service's text leaves this function, because it may quote
 * an address. Its request ID goes into the receipt, without secrets (R12).
 */
export const sendDeletion =
  (client: Client, redact: (text: string) => string): Job<PlannedItem>['send'] =>
  async (items, leaving): Promise<SendResult> => {
    const preparedRequest = await client.prepare(compliance.delete, {
      body: { emails: items.map(({ text }) => text) },
    });
    const request = { ...preparedRequest, beforeSend: leaving };
    const reply = await client.send(request);
    const { status } = reply;
    const id = requestIdOf(reply);
    const facts = { status, request: id && redact(id) };
    if (status >= 200 && status <= 299) return { ...facts, verdict: 'accepted' };
    if (status === 413) return { ...facts, verdict: 'split', isTooLarge: true };
    if (status === 400 || status === 422) return { ...facts, verdict: 'split' };
    const error = hideServiceWords(refusalOf(request, reply));
    return isOutcomeUnknown(error) ? { ...facts, verdict: 'unknown' } : { ...facts, verdict: 'refused', error };
  };

/** The requests of a plan. R49: the input's lines stand for the addresses. A plan needs no account, so it may lack a URL. */
const requestsOf = async (context: Context, { plan, thing }: Addresses, batchSize: number) => {
  const { runtime, settings } = context;
  const dialect = await context.dialect();
  const base = settings.sandbox ? sandboxAddress : runtime.env.SCHED_BASE_URL || settings.account?.profile.base_url;
  return Array.from({ length: Math.ceil(plan.items.length / batchSize) }, (_, index) => {
    const items = plan.items.slice(index * batchSize, (index + 1) * batchSize);
    const emails = items.map(({ line }) => `[${thing} ${line}]`);
    const { method, path, body } = toWire(dialect, compliance.delete, { body: { emails } }, { my: {} });
    return { method, url: `${base?.replace(/\/+$/, '') ?? ''}${path}`, body };
  });
};

/** For a curl command that reads the addresses of one request from a file, because it must not name them. */
const curlRequest = async (context: Context): Promise<Prepared> => {
  const request = await (await context.client()).prepare(compliance.delete, { body: { emails: [] } });
  const [name] = Object.keys(parseJson(request.body!) as object);
  const from = `jq -Rn '{${name}: [inputs]}' addresses.txt`;
  return { prepared: [request], hidden: { from } };
};

const deletionPlan = async (
  context: Context,
  { addresses, batchSize, receiptKeyFile }: DeleteInput,
): Promise<RecordAnswer> => {
  const { plan } = addresses;
  const requests = await requestsOf(context, addresses, batchSize);
  const batches = requests.length;
  const digest = await planDigest(context, receiptKeyFile, plan);
  const record = {
    addresses: plan.items.length,
    duplicates: plan.duplicates.length,
    invalid_lines: plan.invalid.map(({ line }) => line),
    batches,
    estimated_s: estimatedSeconds(batches, limits.requestsPerMinute.paid),
    digest: digest ?? null,
    comments: plan.skipped.comment.length,
    header_lines: plan.skipped.header.length,
    blank_lines: plan.skipped.blank.length,
    requests,
  };
  return { kind: 'record', view: planView, record };
};

/** The file with the addresses, for a command line that reads them again. Those that were typed need one first. */
const fileOf = ({ from = '-' }: DeleteInput): string => (from === '-' ? 'FILE' : from);

/** What is sent, with which key and in whose name. People who are deleted disappear from the mirrors too. */
const deletionJob = async (context: Context, values: DeleteInput): Promise<Bulk<PlannedItem> & Requester> => {
  const { addresses, batchSize, org, receiptKeyFile } = values;
  const { plan } = addresses;
  // Throws if there is no account, before a key is created.
  await context.connection();
  const key = (await findKey(context, receiptKeyFile, true))!;
  const who = await askRequester(context, compliance.delete);
  if (org !== undefined) {
    const isCurrent = org === collections.organizations.self;
    checkOrganization(isCurrent ? idIn(await context.identity.organization()) : org, who);
  }
  const mirrors = await openForgetting(context, who.organization);
  await forgetReasons(context.runtime);
  return {
    ...addressesOf(addresses, key),
    done: 'accepted',
    operation: 'compliance.delete',
    ...who,
    input: key.mac(plan.digest),
    fix: (accepted) =>
      `Fix the failed ones and send them on their own${accepted === 0 ? '' : `: the other ${formatNumber(accepted)} ${accepted === 1 ? 'is' : 'are'} accepted`}.`,
    looks: (run) =>
      words`To look whether they are gone: ${commandHere(context, 'compliance', 'recheck', run, '--from', fileOf(values))}. To send it again: ${the('again')}`,
    batchSize,
    send: sendDeletion(await context.client(), context.runtime.secrets.redact),
    follow: mirrors.mark,
    conclude: mirrors.finish,
    beside: () => ({ hints: plan.items.length > 0 ? [`Accepted. ${deletionUnconfirmed}`] : [] }),
  };
};

const planDeletion = async (values: DeleteInput, call: Call): Promise<Plan> => {
  const { addresses, batchSize, receiptKeyFile } = values;
  const { plan } = addresses;
  const { context } = call;
  const checkAddresses = () => checkInvalid(call, values, plan, 'email address');
  // A plan never connects, so say here that it is for the sandbox.
  if (context.settings.sandbox) context.notes.place('sandbox');
  let who: Requester | undefined;
  return bulkPlan<PlannedItem>(context, values, {
    preview: async (_, isCurl) =>
      isCurl ? undefined : { ...(await deletionPlan(context, values)), failure: failureOf(checkAddresses) },
    requests: () => {
      checkAddresses();
      return curlRequest(context);
    },
    remarks: [`Put the addresses into addresses.txt, one per line, at most ${batchSize} for each request`],
    begin: () => {
      checkAddresses();
      checkEmpty(values);
      noteLeftOut(context, plan);
      return checkConfirmed(context, values, addresses);
    },
    ...agreement(values, addresses),
    danger: async () => {
      await context.connection();
      return secondKeyDanger(context, receiptKeyFile);
    },
    job: async () => {
      const job = await deletionJob(context, values);
      who = job;
      return job;
    },
    question: (remaining, _, isResumed) => countQuestion(addresses, who!, isResumed ? remaining.length : undefined),
  });
};

/** `compliance delete` in place of the generic command. */
export const deletion = (generic: GenericCommand): Command => ({
  ...generic,
  ...taking(deleteInput, planDeletion),
  fields: [...resultFields, ...planView.columns.map(({ path }) => path)],
  notes: [
    'Prompts for the number of addresses. To skip the prompt, pass --confirm COUNT or --confirm sha256:… (--dry-run prints both), or --yes with --max N. Up to 10 addresses typed as arguments need only --yes.',
    inputNote,
    'Never prints an address: messages give the line number in the input.',
    'The receipt is one file, written before and after every request. To resume an interrupted run, run the same command again. A finished run is not sent again within 12 hours. The receipt holds addresses as HMACs; their key is stored elsewhere, in CI in a file (sched compliance key FILE).',
    `A receipt proves what was sent, when, and that the service accepted it. It does not prove that data was deleted. ${deletionUnconfirmed}. Store the head hash elsewhere (--json and -v print it): only with it can you detect a receipt that was rewritten.`,
  ],
});
