import type { Operation } from '../../api/operation.ts';
import { scopes as catalogue } from '../../api/scopes.ts';
import type { Client } from '../../client/client.ts';
import { SchedError } from '../../errors.ts';

/** What is known of the credential in use. */
export interface TokenFacts {
  /** What it may do, where that is known. */
  scopes?: readonly string[] | undefined;
  /** The profile whose login it is; none for a token of the environment. */
  profile?: string | undefined;
}

/** A `:write` includes the `:read` of its domain. */
const includes = (held: readonly string[], scope: string): boolean =>
  held.includes(scope) || (scope.endsWith(':read') && held.includes(scope.replace(/:read$/, ':write')));

const logIn = (profile: string): string => `sched auth login -p ${profile}`;

/** How to get a credential that may do more. */
const mendOf = (scopes: readonly string[], { profile }: TokenFacts): string =>
  profile === undefined
    ? `a token that has ${scopes.join(', ')}`
    : `${logIn(profile)} --add-scopes ${scopes.join(',')}`;

/** Where to go on from an error that says nothing of it. */
const wayOut = ({ category, facts }: SchedError, { profile }: TokenFacts): string | undefined => {
  if (facts.hint !== undefined || facts.http === undefined) return undefined;
  // Of an environment's token only its place is known.
  if (category === 'auth') return profile === undefined ? 'sched auth status' : logIn(profile);
  return category === 'unavailable' && facts.http.status === undefined ? 'sched doctor' : undefined;
};

/** Ends a command for which the login is known not to suffice, before anything is sent. */
export const requireScope = ({ scope }: Operation, holder: TokenFacts): void => {
  // A service that names its scopes otherwise is the one to say what they allow.
  const held = holder.scopes?.some((each) => Object.hasOwn(catalogue, each)) ? holder.scopes : undefined;
  if (scope === undefined || held === undefined || includes(held, scope)) return;
  throw new SchedError('forbidden', `This login may not ${catalogue[scope]}`, {
    reason: `it lacks the scope ${scope}; nothing was sent`,
    hint: mendOf([scope], holder),
    outcome: 'not-sent',
  });
};

/** An error in which the way out fits the credential in use, and the plan that an operation needs is named. */
const explained = (error: unknown, operation: Operation | undefined, holder: TokenFacts): unknown => {
  if (!(error instanceof SchedError)) return error;
  const hint = wayOut(error, holder);
  if (hint !== undefined) return new SchedError(error.category, error.message, { ...error.facts, hint });
  if (error.category !== 'forbidden') return error;
  const { scopes, reason = '' } = error.facts;
  if (scopes !== undefined)
    return new SchedError('forbidden', error.message, { ...error.facts, hint: mendOf(scopes, holder) });
  const plan = operation?.plan;
  if (plan === undefined || reason.toLowerCase().includes(plan)) return error;
  return new SchedError('forbidden', error.message, {
    ...error.facts,
    reason: `${reason} (open to organizations on the ${plan} plan only)`,
  });
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

/** A client that sends nothing which the credential is known not to be allowed. */
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
      throw explained(error, operation, holder);
    });
  },
  pages: (operation, ...rest) => {
    requireScope(operation, holder);
    return explaining(client.pages(operation, ...rest), (error) => explained(error, operation, holder));
  },
  rawPages: (input, options, operation) =>
    explaining(client.rawPages(input, options, operation), (error) => explained(error, operation, holder)),
});
