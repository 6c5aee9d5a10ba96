import { nearest } from '../../../nearest.ts';
import { fieldList } from '../../../output/fields.ts';
import type { Invocation } from '../../command.ts';
import type { Tool } from './tools.ts';

/** Whether a path such as `events.list` matches a pattern such as `events.*`. */
const matches = (pattern: string, path: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
};

/** The tools that the patterns of a flag match. Adds a problem for each pattern that matches nothing. */
const matching = (
  flag: 'tools' | 'allow-writes',
  { typed, problems }: Invocation,
  tools: readonly Tool[],
  problemOf: (pattern: string) => string,
): Tool[] => {
  const value = String(typed[flag]);
  const patterns = fieldList(value);
  for (const pattern of patterns.filter((each) => !tools.some(({ path }) => matches(each, path))))
    problems.value(flag, value, `--${flag}: ${problemOf(pattern)}`);
  return tools.filter(({ path }) => patterns.some((pattern) => matches(pattern, path)));
};

/** The tools that `--tools` and `--allow-writes` choose. Without a value, `--allow-writes` allows all that write. */
export const chooseTools = (invocation: Invocation, all: readonly Tool[]): Tool[] => {
  const { typed, problems } = invocation;
  const { tools, 'allow-writes': allowWrites } = typed;
  const writes = all.filter(({ isWrite }) => isWrite);
  const noWrite = (pattern: string) =>
    `no tool that writes matches "${pattern}". Choose from ${writes.map(({ path }) => path).join(', ')}`;
  const isEach = typeof allowWrites === 'string' && fieldList(allowWrites).length > 0;
  const allowed = isEach ? matching('allow-writes', invocation, writes, noWrite) : writes;
  const available = all.filter((tool) => !tool.isWrite || (allowWrites !== undefined && allowed.includes(tool)));
  if (tools === undefined) return available;
  if (fieldList(String(tools)).length === 0) problems.add('--tools needs at least one name, such as events.*');
  return matching('tools', invocation, available, (pattern) => {
    const write = writes.find(({ path }) => matches(pattern, path));
    if (write !== undefined) return `"${write.path}" changes data. Add --allow-writes=${write.path}`;
    const paths = all.map(({ path }) => path);
    const meant = nearest(pattern, paths);
    return `no tool matches "${pattern}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
  });
};
