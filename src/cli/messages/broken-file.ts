import { type Category, SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { FileProblem } from '../../yaml-file.ts';

/** The error for a file that a person wrote, with every mistake and its place. */
export const brokenFile = (
  name: string,
  problems: readonly FileProblem[],
  category: Category = 'usage',
): SchedError => {
  const lines = problems.flatMap(({ place, message, source }) => [
    `  ${place}: ${message}`,
    ...(source.trim() === '' ? [] : [`      ${source.trim().slice(0, 120)}`]),
  ]);
  return new SchedError(category, problems.map(({ place, message }) => `${place}: ${message}`).join('; '), {
    lines: [`error: ${name} has ${counted(problems.length, 'problem')}`, ...lines],
  });
};
