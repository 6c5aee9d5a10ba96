import type { Parsed } from '../command.ts';

type Typed = Pick<Parsed, 'args' | 'inOrder'>;

/** The words typed after the command: the arguments, then the flags in the form `--name=value`. */
export const typedWords = ({ args, inOrder }: Typed): string[] => {
  const flags = inOrder.map(([name, value]) => (value === undefined ? `--${name}` : `--${name}=${value}`));
  return args.some((arg) => arg.startsWith('-')) ? [...flags, '--', ...args] : [...args, ...flags];
};
