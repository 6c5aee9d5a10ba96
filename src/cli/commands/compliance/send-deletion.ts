import { compliance } from '../../../api/compliance.ts';
import type { Client } from '../../../client/client.ts';
import { forbiddenBy, refusalOf } from '../../../client/refusal.ts';
import { type ErrorFacts, isOutcomeUnknown, SchedError } from '../../../errors.ts';
import { requestIdOf } from '../../../http/message.ts';
import type { PlannedItem } from '../../../jobs/batch-plan.ts';
import type { Job, SendResult } from '../../../jobs/run.ts';

/** The reason for a 403, not in the service's words: those may quote an address (R49). */
const whyForbidden = ({ scopes, reason = '' }: ErrorFacts): string => {
  const about = scopes === undefined ? forbiddenBy(reason) : 'scope';
  if (about === 'scope') return `the token lacks the scope ${compliance.delete.scope}`;
  if (about === 'plan') return "the organization's plan doesn't include this: it needs the Enterprise plan";
  return "the token's role is too low: this needs an admin or the owner of the organization";
};

/** The same error without any words of the service. */
const silenced = ({ category, message, facts }: SchedError): SchedError => {
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
    const prepared = client.prepare(compliance.delete, { body: { emails: items.map(({ text }) => text) } });
    const request = { ...prepared, beforeSend: leaving };
    const reply = await client.send(request);
    const { status } = reply;
    const id = requestIdOf(reply);
    const facts = { status, request: id && redact(id) };
    if (status >= 200 && status <= 299) return { ...facts, verdict: 'accepted' };
    if (status === 413) return { ...facts, verdict: 'split', isTooLarge: true };
    if (status === 400 || status === 422) return { ...facts, verdict: 'split' };
    const error = silenced(refusalOf(request, reply));
    return isOutcomeUnknown(error) ? { ...facts, verdict: 'unknown' } : { ...facts, verdict: 'refused', error };
  };
