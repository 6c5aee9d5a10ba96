import { join } from 'node:path';
import { foldAddress } from '../../api/email-address.ts';
import { events } from '../../api/events.ts';
import { limits } from '../../api/limits.ts';
import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { Plan } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { both, type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { file } from '../../cli/input/kinds.ts';
import type { Context } from '../../cli/session/context.ts';
import { durationText } from '../../output/progress.ts';
import { receiptFolder } from '../bulk/find-run.ts';
import { type ItemFile, inputNote } from '../bulk/input.ts';
import { checkInvalid, noteLeftOut } from '../bulk/read-items.ts';
import { askRequester, type Requester } from '../bulk/requester.ts';
import type { Bulk } from '../bulk/run-answer.ts';
import { bulkPlan } from '../bulk/run-bulk.ts';
import { estimatedSeconds, linesText, type PlannedItem } from '../bulk/work-plan.ts';
import type { RunHistory } from '../bulk/work-receipt.ts';
import { type Addresses, addressesOf, addressFileInput } from './address-list.ts';
import { groupSize, type Look, openLook } from './look.ts';
import { receiptKeyFile } from './receipt-key.ts';
import { isSameService, keyOfRun, loadDeletion, offerRuns } from './receipts.ts';
import { findingsAnswer, recheckFields } from './recheck-report.ts';
import { type Finding, resultOf } from './work-finding.ts';
import { forgetSeen, openSeen } from './work-seen-events.ts';

const first = input({
  run: file('run ID or receipt file of the deletion', { place: 'argument', needed: true, offer: offerRuns }),
});

const keyPlace = { receiptKeyFile };

const recheckInput = both(both(first, addressFileInput), input(keyPlace));

type RecheckInput = { run: string; addresses: Addresses } & ItemFile & Values<typeof keyPlace>;

/** Only a run that has come to its end has an answer for each of its people. */
const checkFirst = async (context: Context, history: RunHistory, word: string): Promise<void> => {
  if (history.endedAt === undefined)
    throw new SchedError('conflict', 'The deletion of this receipt has not ended', {
      reason: 'nobody knows yet what became of its people',
      advice: 'finish it: run the same deletion again',
    });
  if (!(await isSameService(context, history)))
    throw new SchedError('conflict', 'This receipt is from another service', {
      reason: `${word} was sent to ${new URL(history.run.endpoint).origin}`,
    });
};

const checkOwner = ({ run }: RunHistory, { organization }: Requester): void => {
  if (run.organization === organization || [run.organization, organization].includes('unknown')) return;
  throw new SchedError('conflict', 'The token belongs to a different organization than the receipt', {
    reason: `the receipt is from ${run.organization}, and the token belongs to ${organization}`,
  });
};

/** The people of the input must be exactly those of the receipt: whoever is left out would seem to be gone. */
const checkPeople = ({ plan, thing }: Addresses, mark: (item: PlannedItem) => string, { outcomes }: RunHistory) => {
  const marks = plan.items.map(mark);
  const strange = plan.items.filter((_, index) => !outcomes.has(marks[index]!)).map(({ line }) => line);
  const missing = outcomes.size - (marks.length - strange.length);
  const reasons = [
    ...(strange.length === 0
      ? []
      : [
          `${thing}${strange.length === 1 ? '' : 's'} ${linesText(strange)} ${strange.length === 1 ? 'is' : 'are'} not in it`,
        ]),
    ...(missing === 0
      ? []
      : [`${counted(missing, 'address', 'addresses')} of it ${missing === 1 ? 'is' : 'are'} not in the input`]),
  ];
  if (reasons.length === 0) return;
  throw new SchedError('conflict', 'These are not the addresses of the receipt', {
    reason: reasons.join('; '),
    advice: 'use the file of the deletion, unchanged',
  });
};

/** In the background, half of the limit is used. */
const perMinute = limits.requestsPerMinute.paid / 2;

const announce = ({ notes }: Context, look: Look, people: number): void => {
  const requests = look.requests(people);
  if (requests === 0) return void notes.info('No events can be read, so only submissions are searched');
  const time = durationText(estimatedSeconds(requests, perMinute));
  notes.info(
    look.isByAddress
      ? `Searching for ${counted(people, 'address', 'addresses')}: ${counted(requests, 'request')}, and one for each person who is still there`
      : `This service doesn't search events by address, so the invitees of all events are read once: ${counted(requests, 'request')}`,
  );
  notes.info(`And one or more for each routing form. This takes about ${time} with half of the rate limit`);
};

/** What is looked for, with which key and in whose name. */
const recheckJob = async (values: RecheckInput, call: Call): Promise<Bulk<PlannedItem>> => {
  const { run: word, addresses, receiptKeyFile } = values;
  const { context } = call;
  const { plan } = addresses;
  const { history, finding } = await loadDeletion(context, word);
  const key = await keyOfRun(context, receiptKeyFile, history);
  const facts = addressesOf(addresses, key);
  await checkFirst(context, history, word);
  checkPeople(addresses, facts.mark, history);
  noteLeftOut(context, plan);
  const who = await askRequester(context, events.list);
  checkOwner(history, who);
  // The same letters can be written in several ways beyond ASCII.
  const letters = (folded: string) => folded.normalize('NFKC');
  const marks = new Map(plan.items.map((item) => [letters(foldAddress(item.text)!), facts.mark(item)]));
  const digest = key.mac(`recheck ${finding.head}`);
  const seenFile = join(receiptFolder(context), `seen-${digest.slice(0, 32)}`);
  let look: Look;
  let left: readonly PlannedItem[] = [];
  const findings = new Map<PlannedItem, Finding>();
  const task = {
    ...facts,
    done: 'gone',
    look: { rejected: 'still there', unknown: 'Unknown ones stay unknown until a token can read what is missing.' },
    fix: () => 'Look again in a few days, or request the deletion again with --again.',
  };
  return {
    ...task,
    operation: 'compliance.recheck',
    ...who,
    input: digest,
    after: { run: history.run.run, head: finding.head },
    report: async (run, path) => {
      // What is left of it, the next look removes before it begins.
      await forgetSeen(seenFile).catch(() => undefined);
      return findingsAnswer(context, task, run, path);
    },
    prepare: async (remaining, isResumed) => {
      if (!isResumed) await forgetSeen(seenFile);
      look = await openLook(context, {
        mark: (folded) => marks.get(letters(folded)),
        seen: () => openSeen(seenFile, context.runtime.randomBytes),
      });
      left = remaining;
      announce(context, look, remaining.length);
    },
    // Nothing is sent that changes anything, so each answer counts as looked up.
    send: async ([item]) => {
      if (!findings.has(item!)) {
        const from = left.indexOf(item!);
        const group = left.slice(from, from + groupSize);
        for (const [index, found] of (await look.at(group)).entries()) findings.set(group[index]!, found);
      }
      return resultOf(findings.get(item!)!);
    },
  };
};

const planRecheck = async (values: RecheckInput, call: Call): Promise<Plan> =>
  bulkPlan<PlannedItem>(
    call.context,
    { receipt: values.receipt, again: true },
    {
      begin: () => checkInvalid(call, values, values.addresses.plan, 'email address'),
      job: () => recheckJob(values, call),
    },
  );

export const recheckCommand: Command = {
  name: 'recheck',
  summary: 'Look whether the people of a deletion are gone',
  ...taking(recheckInput, planRecheck),
  fields: recheckFields,
  effect: 'read',
  background: () => true,
  mirror: 'it asks what the service still shows',
  examples: [
    'compliance recheck receipt.jsonl --from emails.txt',
    'compliance recheck 20261115T180000Z-a1b2c3 --from emails.txt --json',
    'compliance recheck receipt.jsonl --from emails.txt --receipt recheck.jsonl',
  ],
  notes: [
    'Says for each line of the file: gone, present (in events, invitee records or submissions), or unknown, because the service does not let this token look. The file must have exactly the addresses of the deletion. Exit codes: 0 if all are gone; 11 if some are present or unknown.',
    'Somebody counts as gone only if the search is known to work: it finds somebody who is there, and nobody who does not exist, before and after each hundred people. Otherwise the invitees of all events are read, once. Submissions of routing forms are read once too. What can not be read makes people unknown.',
    'Reads only, and leaves half of the rate limit to other commands. It says first how many requests it takes. After a kill, the same command continues. When it has ended, the next one looks anew.',
    'Writes a receipt of its own, which names the head of the first one. It has no addresses.',
    inputNote,
    'Never prints an address: messages give the line number in the input.',
  ],
};
