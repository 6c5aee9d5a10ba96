import { collections } from '../../api/collections.ts';
import type { Argument, Command, Flag } from '../command.ts';
import type { Given } from '../input/given.ts';

/** The arguments that are missing: required ones, and those that know what to offer. */
export const missingArguments = (command: Command, given: Given): Argument[] =>
  command.arguments.filter(
    ({ name, required, offer }) => given[name] === undefined && (required === true || offer !== undefined),
  );

/** The required flags that are missing. A file with the whole body may hold their fields. */
export const missingFlags = ({ flags }: Command, given: Given): Flag[] =>
  given.body === undefined && given.from === undefined
    ? flags.filter(
        ({ name, required, unless }) =>
          given[name] === undefined && (unless === undefined ? required === true : given[unless] === undefined),
      )
    : [];

const canOffer = ({ collection, offer }: Argument): boolean =>
  offer !== undefined || (collection !== undefined && collections[collection].isNamed === true);

/**
 * Whether the command line lacks something, and a person can be asked for all of it: an argument to choose, or part of
 * a request. Other arguments, such as a file, must be given.
 */
export const canAskFor = (command: Command, given: Given): boolean => {
  const args = missingArguments(command, given);
  const isLacking = args.length > 0 || (command.operation !== undefined && missingFlags(command, given).length > 0);
  return args.every(canOffer) && (isLacking || command.askMore !== undefined);
};
