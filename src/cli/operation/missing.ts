import { collections } from '../../api/collections.ts';
import type { Argument, Command, Flag, Invocation, Typed } from '../command.ts';

/** The arguments that are missing: required ones, and those that know what to offer. */
export const missingArguments = (command: Command, { args }: Invocation): Argument[] =>
  command.arguments.slice(args.length).filter(({ required, offer }) => required === true || offer !== undefined);

/** The required flags that are missing. A file with the whole body may hold their fields. */
export const missingFlags = ({ flags }: Command, typed: Typed): Flag[] =>
  typed.body === undefined && typed.from === undefined
    ? flags.filter(
        ({ name, required, unless }) =>
          typed[name] === undefined && (unless === undefined ? required === true : typed[unless] === undefined),
      )
    : [];

const canOffer = ({ collection, offer }: Argument): boolean =>
  offer !== undefined || (collection !== undefined && collections[collection].isNamed === true);

/**
 * Whether the command line lacks something, and a person can be asked for all of it: an argument to choose, or part of
 * a request. Other arguments, such as a file, must be typed.
 */
export const canAskFor = (command: Command, invocation: Invocation): boolean => {
  const missing = missingArguments(command, invocation);
  const isLacking =
    missing.length > 0 || (command.operation !== undefined && missingFlags(command, invocation.typed).length > 0);
  return missing.every(canOffer) && (isLacking || command.askMore !== undefined);
};
