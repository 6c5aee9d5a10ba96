import { words } from '../../base/words.ts';
import type { Argument } from '../command.ts';
import { entry } from './entry.ts';
import type { Given } from './given.ts';
import type { Input } from './input.ts';
import { accept, refuse } from './kind.ts';

// biome-ignore lint/suspicious/noExplicitAny: each action takes something else
type Inputs = Readonly<Record<string, Input<any>>>;

/** What a command gets from an input. */
export type ValuesOf<I> = I extends Input<infer T> ? T : never;

type ActionValues<Actions extends Inputs> = {
  [Name in keyof Actions]: { action: Name } & ValuesOf<Actions[Name]>;
}[keyof Actions];

/**
 * Inputs behind one spelling: the argument `action` says which of them a call has. Help shows the arguments of all as
 * `shown`. `inFull` completes a short form.
 */
export const actions = <const Actions extends Inputs>(
  helpArguments: readonly Argument[],
  inputs: Actions,
  inFull = (given: Given): Given => given,
): Input<ActionValues<Actions> | { action: undefined }> => ({
  flags: [],
  arguments: helpArguments.map((each) => (each.name === 'action' ? { ...each, choices: Object.keys(inputs) } : each)),
  draft: async (call, how) => {
    const given = inFull(how.given);
    if (given.action === undefined) return async () => ({ action: undefined });
    const action = String(given.action);
    const input = Object.hasOwn(inputs, action) ? inputs[action] : undefined;
    if (input === undefined)
      call.problems.report({
        words: words`Unknown action "${action}". Use ${Object.keys(inputs).join(', ')}`,
      });
    const finish = await input?.draft(call, { ...how, given });
    return async (context) => ({ action, ...(await finish?.(context)) });
  },
});

/** The argument after an action: text, or empty. `problemOf` says what the action can't do with it. */
export const actionValue = (problemOf: (text: string) => string | false) =>
  entry(
    {
      json: 'string',
      read: (raw) => {
        const problem = problemOf(raw);
        return problem === false ? accept(raw) : refuse([problem]);
      },
    },
    '',
    { place: 'argument', preset: '' },
  );
