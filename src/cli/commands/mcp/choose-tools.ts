import { nearest } from '../../../nearest.ts';
import { fieldList } from '../../../output/fields.ts';
import type { Invocation } from '../../command.ts';
import type { Tool } from './tools.ts';

/** Whether a path such as `events.list` matches a pattern such as `events.*`. */
const matches = (pattern: string, path: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
};

const matching = (pattern: string, tools: readonly Tool[]): Tool[] =>
  tools.filter(({ path }) => matches(pattern, path));

/** The write tools that `--allow-writes` allows: all of them if it has no value. */
const allowedWrites = ({ typed, problems }: Invocation, writes: readonly Tool[]): Tool[] => {
  const value = typed['allow-writes'];
  if (value === undefined) return [];
  const patterns = typeof value === 'string' ? fieldList(value) : [];
  if (patterns.length === 0) return [...writes];
  const paths = writes.map(({ path }) => path);
  for (const pattern of patterns.filter((each) => matching(each, writes).length === 0))
    problems.value(
      'allow-writes',
      String(value),
      `--allow-writes: no tool that writes matches "${pattern}". Choose from ${paths.join(', ')}`,
    );
  return writes.filter(({ path }) => patterns.some((pattern) => matches(pattern, path)));
};

/** The tools that `--tools` and `--allow-writes` choose. Adds a problem for each pattern that matches nothing. */
export const chooseTools = (invocation: Invocation, all: readonly Tool[]): Tool[] => {
  const { typed, problems } = invocation;
  const writes = all.filter(({ isWrite }) => isWrite);
  const allowed = new Set(allowedWrites(invocation, writes));
  const available = all.filter((tool) => !tool.isWrite || allowed.has(tool));
  if (typed.tools === undefined) return available;
  const patterns = fieldList(String(typed.tools));
  if (patterns.length === 0) problems.add('--tools needs at least one name, such as events.*');
  for (const pattern of patterns.filter((each) => matching(each, available).length === 0)) {
    const [write] = matching(pattern, writes);
    const meant = nearest(
      pattern,
      all.map(({ path }) => path),
    );
    const problem =
      write === undefined
        ? `--tools: no tool matches "${pattern}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`
        : `--tools: "${write.path}" changes data. Add --allow-writes=${write.path}`;
    problems.value('tools', String(typed.tools), problem);
  }
  return available.filter(({ path }) => patterns.some((pattern) => matches(pattern, path)));
};
