import type { Argument } from '../command.ts';
import { entry } from './entry.ts';
import type { Input } from './input.ts';
import { accept, type Given, refuse } from './kind.ts';
import { words } from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: each action takes something else
type Inputs = Readonly<Record<string, Input<any>>>;

/** What a command gets from an input. */
export type ValuesOf<I> = I extends Input<infer T> ? T : never;

type Chosen<Actions extends Inputs> = {
  [Name in keyof Actions]: { action: Name } & ValuesOf<Actions[Name]>;
}[keyof Actions];

/**
 * Inputs behind one spelling: the argument `action` says which of them a call has. Help shows the arguments of all as
 * `shown`. `inFull` completes a short form.
 */
export const actions = <const Actions extends Inputs>(
  shown: readonly Argument[],
  inputs: Actions,
  inFull = (given: Given): Given => given,
): Input<Chosen<Actions> | { action: undefined }> => ({
  flags: [],
  arguments: shown.map((each) => (each.name === 'action' ? { ...each, choices: Object.keys(inputs) } : each)),
  draft: async (invocation, how) => {
    const given = inFull(how.given);
    if (given.action === undefined) return async () => ({ action: undefined });
    const action = String(given.action);
    const chosen = Object.hasOwn(inputs, action) ? inputs[action] : undefined;
    if (chosen === undefined)
      invocation.problems.report({
        words: words`Unknown action "${action}". Use ${Object.keys(inputs).join(', ')}`,
      });
    const finish = await chosen?.draft(invocation, { ...how, given });
    return async (context) => ({ action, ...(await finish?.(context)) });
  },
});

/** The argument after an action: text, or empty. `problemOf` says what the action can't do with it. */
export const actionValue = (problemOf: (text: string) => string | false) =>
  entry(
    {
      json: 'string',
      read: (raw) => {
        const problem = problemOf(String(raw));
        return problem === false ? accept(String(raw)) : refuse([problem]);
      },
    },
    '',
    { place: 'argument', preset: '' },
  );
