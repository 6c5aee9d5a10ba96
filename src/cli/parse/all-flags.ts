import { type Command, type Flag, flagHeadings, headingOf } from '../command.ts';
import { sharedFlags } from './shared-flags.ts';

/**
 * All flags of a command, grouped by heading: needed ones first, then its own, then the shared ones. A command's own
 * flags replace shared flags of the same name. The group of its first flag comes first: a list begins with its filters,
 * a change doesn't.
 */
export const allFlags = (command: Command): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name));
  const flags = [...command.flags, ...sharedFlags.filter(({ name }) => !own.has(name))];
  const isNeeded = ({ required = false, unless }: Flag) => required || unless !== undefined;
  const neededFirst = [...flags.filter(isNeeded), ...flags.filter((flag) => !isNeeded(flag))];
  const headings = new Set([...command.flags.slice(0, 1).map(headingOf), ...flagHeadings]);
  return [...headings].flatMap((heading) => neededFirst.filter((flag) => headingOf(flag) === heading));
};

/** The names that `--fields` accepts: the fields of the record that the command prints. */
export const knownFields = ({ fields, operation }: Command): string[] => [
  ...(fields ?? (operation === undefined ? [] : Object.keys(operation.reply.of.record.shape))),
];

/** How many arguments a command takes. A free-form one checks that itself. */
export const argumentRoom = ({ freeForm, arguments: parameters }: Command): number =>
  freeForm || parameters.at(-1)?.variadic ? Infinity : parameters.length;
