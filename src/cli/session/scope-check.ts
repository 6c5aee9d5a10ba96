import type { CreatedName } from '../../api/catalogue.ts';
import type { Operation } from '../../api/operation.ts';
import { scopes as catalogue } from '../../api/scopes.ts';
import { isOutcomeUnknown, type NextStep, SchedError, type Suggestion, sameCommand } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { forbiddenBy } from '../../client/refusal.ts';

export interface TokenFacts {
  /** Its scopes, if known. */
  scopes?: readonly string[] | undefined;
  /** The profile whose login it is; undefined for a token from the environment. */
  profile?: string | undefined;
  /** The variable that the token is from. */
  variable?: string | undefined;
}

/** A `:write` scope includes the `:read` scope of the same name. */
const includesScope = (scopes: readonly string[], scope: string): boolean =>
  scopes.includes(scope) || (scope.endsWith(':read') && scopes.includes(scope.replace(/:read$/, ':write')));

/** How to get a credential with more scopes. */
const moreScopes = (scopes: readonly string[], { profile }: TokenFacts): NextStep =>
  profile === undefined
    ? { advice: `use a token with ${scopes.join(', ')}` }
    : { hint: { command: ['auth', 'login'], flags: { 'add-scopes': scopes.join(',') } } };

/** A hint for an error that has none. */
const hintFor = ({ category, facts }: SchedError, { profile }: TokenFacts): Suggestion | undefined => {
  if (facts.hint !== undefined || facts.http === undefined) return undefined;
  // For a token from the environment, `auth status` shows where it comes from.
  if (category === 'auth') return { command: ['auth', profile === undefined ? 'status' : 'login'] };
  return category === 'unavailable' && facts.http.status === undefined
    ? { command: ['doctor'], flags: { network: true } }
    : undefined;
};

/** Throws, before anything is sent, if the credential is known to lack the operation's scope. */
export const requireScope = ({ scope }: Operation, holder: TokenFacts): void => {
  // If none of the scopes is known here, the service names them differently: let the service decide.
  const scopes = holder.scopes?.some((each) => Object.hasOwn(catalogue, each)) ? holder.scopes : undefined;
  if (scope === undefined || scopes === undefined || includesScope(scopes, scope)) return;
  throw new SchedError('forbidden', `This login is not allowed to ${catalogue[scope]}`, {
    reason: `it lacks the scope ${scope}; nothing was sent`,
    ...moreScopes([scope], holder),
    outcome: 'not-sent',
  });
};

/** Adds a hint that fits the current credential to an error, or the plan that the operation needs. */
const explained = (error: unknown, operation: Operation | undefined, holder: TokenFacts): unknown => {
  if (!(error instanceof SchedError)) return error;
  const hint = hintFor(error, holder);
  if (hint !== undefined) {
    const isOfVariable = error.facts.http?.status === 401 && holder.variable !== undefined;
    const message = isOfVariable ? `The service rejected the token in ${holder.variable}` : error.message;
    return new SchedError(error.category, message, { ...error.facts, hint });
  }
  if (error.category !== 'forbidden') return error;
  const { scopes, reason = '' } = error.facts;
  if (scopes !== undefined) return error.with(moreScopes(scopes, holder));
  const plan = operation?.plan;
  if (plan === undefined || forbiddenBy(reason) !== 'plan' || reason.toLowerCase().includes(plan)) return error;
  return error.with({ reason: `${reason} (only available on the Enterprise plan)` });
};

const noListOfLinks: NextStep = {
  advice: 'run the command again only if a second link does no harm: the service has no list of links to check',
};

/** How to check whether something was created. Without an entry the code doesn't compile. */
const places: Record<CreatedName, NextStep> = {
  'event type': { hint: { command: ['event-types', 'list'], flags: { sort: 'created_at:desc', limit: '5' } } },
  // Bookings need nothing, because sched looks them up.
  invitee: {},
  invitation: { hint: { command: ['invitations', 'list'], flags: { status: 'pending' } } },
  webhook: {
    // Assumed (webhooks.once): creating a webhook again with the same URL and scope is refused with 409.
    advice: 'you can run the command again: sched assumes that the service accepts a URL only once per scope',
    hint: sameCommand,
  },
  share: noListOfLinks,
  'scheduling link': noListOfLinks,
};

/** What to do if the reply to a write was lost. */
const afterLostReply = (operation: Operation | undefined): NextStep => {
  if (operation === undefined) return { advice: 'check whether it was carried out before you send it again' };
  if (operation.effect === 'creation') return places[operation.reply.of.name as CreatedName];
  return { advice: 'you can run the same command again: it changes nothing twice', hint: sameCommand };
};

/** Adds to an error with an unknown outcome how to find out, or that the command can be run again. */
export const addPlaceToLook = (error: unknown, operation: Operation | undefined): unknown => {
  if (!isOutcomeUnknown(error)) return error;
  const category = operation?.effect === 'creation' ? 'outcome-unknown' : error.category;
  return new SchedError(category, error.message, { ...error.facts, ...afterLostReply(operation) });
};

async function* explaining<Value>(
  pages: AsyncGenerator<Value>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Value> {
  try {
    yield* pages;
  } catch (error) {
    throw explain(error);
  }
}

/** A client that checks the scope of each operation before sending it, and explains refusals. */
export const withScopeCheck = (client: Client, holder: TokenFacts): Client => ({
  ...client,
  call: async (operation, ...rest) => {
    requireScope(operation, holder);
    return client.call(operation, ...rest).catch((error: unknown) => {
      throw explained(error, operation, holder);
    });
  },
  write: async (operation, ...rest) => {
    requireScope(operation, holder);
    return client.write(operation, ...rest).catch((error: unknown) => {
      // R26: sched never sends a creating write again, so it says how to find out what became of it.
      throw addPlaceToLook(explained(error, operation, holder), operation);
    });
  },
  pages: (operation, ...rest) => {
    requireScope(operation, holder);
    return explaining(client.pages(operation, ...rest), (error) => explained(error, operation, holder));
  },
  rawPages: (input, options, operation) =>
    explaining(client.rawPages(input, options, operation), (error) => explained(error, operation, holder)),
});
