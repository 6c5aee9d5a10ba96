import type { Parsed } from '../command.ts';
import { commandLine } from '../messages/shell-line.ts';

type Typed = Pick<Parsed, 'args' | 'inOrder'>;

/** The words typed after the command: the arguments, then the flags in the form `--name=value`. */
export const typedWords = ({ args, inOrder }: Typed): string[] => {
  const flags = inOrder.map(([name, value]) => (value === undefined ? `--${name}` : `--${name}=${value}`));
  return args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...args] : [...args, ...flags];
};

/** The command as it was typed, with another value for one flag. */
export const withValue = ({ name, args, inOrder }: Pick<Parsed, 'name'> & Typed, flag: string, value: string): string =>
  commandLine(
    ...name.split(' '),
    ...typedWords({ args, inOrder: inOrder.map(([each, old]) => [each, each === flag ? value : old]) }),
  );
