import type { Parsed } from '../command.ts';
import { commandLine } from '../messages/shell-line.ts';

type Typed = Pick<Parsed, 'args' | 'inOrder'>;

/** What was typed behind the command: its arguments, then its flags by their long names, values joined to them. */
export const typedWords = ({ args, inOrder }: Typed): string[] => {
  const flags = inOrder.map(([name, value]) => (value === undefined ? `--${name}` : `--${name}=${value}`));
  return args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...args] : [...args, ...flags];
};

/** The command as it was typed, with another value behind a flag. */
export const withValue = ({ name, args, inOrder }: Pick<Parsed, 'name'> & Typed, flag: string, value: string): string =>
  commandLine(
    ...name.split(' '),
    ...typedWords({ args, inOrder: inOrder.map(([each, old]) => [each, each === flag ? value : old]) }),
  );
