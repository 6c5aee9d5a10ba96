import { compliance } from '../../../api/compliance.ts';
import type { Client } from '../../../client/client.ts';
import { forbiddenBy, refusalOf } from '../../../client/refusal.ts';
import { isOutcomeUnknown, SchedError } from '../../../errors.ts';
import { type HttpReply, requestIdOf } from '../../../http/message.ts';
import type { Job, SendResult } from '../../../jobs/run.ts';
import { isObject, type Json, jsonIn } from '../../../json.ts';

const bodyOf = ({ body }: HttpReply): Json => {
  const value = jsonIn(body);
  return isObject(value) ? value : {};
};

/** The reason for a 403, not in the service's words: those may quote an address (R49). */
const whyForbidden = (reply: HttpReply): string => {
  const { required_scopes: scopes, title, message } = bodyOf(reply);
  const words = `${title} ${message}`;
  const about = Array.isArray(scopes) ? 'scope' : forbiddenBy(words);
  if (about === 'scope') return `the token lacks the scope ${compliance.delete.scope}`;
  if (about === 'plan') return "the organization's plan doesn't include this: it needs the Enterprise plan";
  return "the token's role is too low: this needs an admin or the owner of the organization";
};

/** The same error without any words of the service. */
const silenced = ({ category, message, facts }: SchedError, reply: HttpReply): SchedError => {
  const { method, path } = facts.http!;
  const why = reply.status === 403 ? `: ${whyForbidden(reply)}` : '';
  return new SchedError(category, message, {
    reason: `HTTP ${reply.status}${why}`,
    outcome: facts.outcome ?? 'not-applied',
    http: { status: reply.status, method, path },
  });
};

const requestId = (reply: HttpReply, redact: (text: string) => string): { request?: string } => {
  const id = requestIdOf(reply);
  return id === undefined ? {} : { request: redact(id) };
};

/**
 * Requests the deletion of a batch of addresses. None of the service's text leaves this function, because it may quote
 * an address. Its request ID goes into the receipt, without secrets (R12).
 */
export const sendDeletion =
  (client: Client, redact: (text: string) => string): Job['send'] =>
  async (items, leaving): Promise<SendResult> => {
    const prepared = client.prepare(compliance.delete, { body: { emails: items } });
    const request = { ...prepared, beforeSend: leaving };
    const reply = await client.send(request);
    const { status } = reply;
    const facts = { status, ...requestId(reply, redact) };
    if (status >= 200 && status <= 299) return { ...facts, verdict: 'accepted' };
    if (status === 413) return { ...facts, verdict: 'split', isTooLarge: true };
    if (status === 400 || status === 422) return { ...facts, verdict: 'split' };
    const error = silenced(refusalOf(request, reply), reply);
    return isOutcomeUnknown(error) ? { ...facts, verdict: 'unknown' } : { ...facts, verdict: 'refused', error };
  };
