import { hash } from 'node:crypto';
import { allOperations } from '../api/catalogue.ts';
import { version } from '../base/system.ts';
import type { FileProblem } from '../yaml-file.ts';
import calendly from './calendly.yaml' with { type: 'text' };
import type { Dialect } from './dialect.ts';

/** The dialects that come with sched, by name. */
export const shippedDialects: Readonly<Record<string, string>> = { calendly };

export interface DialectSource {
  /** The file, or the name of a shipped dialect. */
  place: string;
  text: string;
}

/** The digest of a dialect. Another version may read the same text in another way. */
export const digestOf = (text: string): string => hash('sha256', `${version}\n${text}`, 'hex').slice(0, 32);

/** Reads and checks a dialect. All its mistakes are found at once. */
export const parseDialect = async ({
  place,
  text,
}: DialectSource): Promise<{ ok: true; value: Dialect } | { ok: false; problems: FileProblem[] }> => {
  const [{ readYaml }, { DialectFile }, { problemsIn }] = await Promise.all([
    import('../yaml-file.ts'),
    import('./schema.ts'),
    import('./check.ts'),
  ]);
  const content = readYaml(text, place, DialectFile);
  if (!content.ok) return content;
  const problems = problemsIn(content.value, await allOperations());
  if (problems.length === 0) return { ok: true, value: { ...content.value, digest: digestOf(text), place } };
  return { ok: false, problems: problems.map(({ path, message }) => content.problem(path, message)) };
};
