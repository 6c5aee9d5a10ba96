import { type Command, type Flag, flagHeadings } from '../command.ts';
import { sharedFlags } from './shared-flags.ts';

/** Every flag of a command, its own first, gathered under their headings. Its own win over shared ones of their name. */
export const allFlags = (command: Command): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name));
  const flags = [...command.flags, ...sharedFlags.filter(({ name }) => !own.has(name))];
  return flagHeadings.flatMap((heading) => flags.filter((flag) => flag.heading === heading));
};

/** Names that `--fields` knows: those of the record a command answers with. */
export const knownFields = ({ fields, operation }: Command): string[] => [
  ...(fields ?? (operation === undefined ? [] : Object.keys(operation.reply.of.record.shape))),
];
