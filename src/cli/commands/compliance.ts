import { compliance } from '../../api/compliance.ts';
import { limits } from '../../api/limits.ts';
import { SchedError } from '../../errors.ts';
import type { Command, Invocation } from '../command.ts';
import { requireConsent } from '../consent.ts';
import { type OperationCommand, printRequest } from '../operation-command.ts';

export const examples = {
  delete: [
    'compliance delete ada@engine.example --yes',
    'compliance delete ada@engine.example bob@engine.example --dry-run',
  ],
};

/** Distinct addresses; a wrong one is named by its place, never repeated. */
const readAddresses = ({ args, problems }: Invocation): string[] => {
  const address = compliance.delete.body.shape.emails.element;
  const byFolded = new Map<string, string>();
  for (const [index, raw] of args.entries()) {
    const text = raw.trim();
    if (!address.safeParse(text).success) problems.add(`argument ${index + 1} is not an e-mail address`);
    else if (!byFolded.has(text.toLowerCase())) byFolded.set(text.toLowerCase(), text);
  }
  if (args.length === 0) problems.add('no address is given');
  return [...byFolded.values()];
};

/** A refusal without the service's own words: they may quote an address. */
const silenced = (error: unknown): unknown =>
  error instanceof SchedError && error.facts.http?.status !== undefined
    ? new SchedError(error.category, error.message, {
        ...error.facts,
        reason: `HTTP ${error.facts.http.status}${error.category === 'forbidden' ? ': it needs the Enterprise plan, the scope data_compliance:write and an administrator' : ''}`,
      })
    : error;

const runDelete = async (invocation: Invocation): Promise<void> => {
  const { context, args, problems } = invocation;
  const emails = readAddresses(invocation);
  problems.check();
  const batches: string[][] = [];
  for (let from = 0; from < emails.length; from += limits.deletionBatch)
    batches.push(emails.slice(from, from + limits.deletionBatch));
  if (context.settings.curl) {
    const inputs = batches.map((batch) => ({ body: { emails: batch } }));
    return printRequest(invocation, compliance.delete, inputs);
  }
  if (context.settings.dryRun) {
    const plan = { addresses: emails.length, duplicates: args.length - emails.length, batches: batches.length };
    return context.printer.text(JSON.stringify(plan, null, 2));
  }
  await requireConsent(
    context,
    `Delete all data of ${emails.length} ${emails.length === 1 ? 'invitee' : 'invitees'}? It cannot be undone.`,
  );
  const client = await context.client();
  let accepted = 0;
  try {
    for (const batch of batches) {
      await client.call(compliance.delete, { body: { emails: batch } });
      accepted += batch.length;
    }
  } catch (error) {
    if (accepted > 0) context.notes.insist(`accepted so far: ${accepted} of ${emails.length}`);
    throw silenced(error);
  }
  context.notes.say(`accepted: ${accepted}; the service deletes within days and does not say when it is done`);
  await context.printer.text(JSON.stringify({ total: emails.length, accepted }, null, 2));
};

export const decorate = {
  delete: (generic: OperationCommand): Command => ({
    ...generic,
    arguments: [{ name: 'email', description: 'address of an invitee', required: true, variadic: true }],
    flags: [],
    notes: ['Asks first. No address is ever printed. "Accepted" is the service\'s word: deletion follows within days.'],
    run: runDelete,
  }),
};
