import { nearest } from '../../base/nearest.ts';
import { self, the, type Words, words } from '../../base/words.ts';
import type { Problems } from '../../cli/messages/problems.ts';
import type { ToolsInput } from './input.ts';
import type { Tool } from './tools.ts';

/** Whether a path such as `events.list` matches a pattern such as `events.*`. */
const matches = (pattern: string, path: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(path);
};

/** Whether the tool for several calls is offered. */
export const choosesBatch = ({ tools }: Pick<ToolsInput, 'tools'>): boolean =>
  tools === undefined || tools.some((pattern) => matches(pattern, 'batch'));

/** The tools that the patterns of a value match. Adds a problem for each pattern that matches nothing. */
const matching = (
  key: 'tools' | 'allowWrites',
  patterns: readonly string[],
  problems: Problems,
  tools: readonly Tool[],
  problemOf: (pattern: string) => Words,
): Tool[] => {
  for (const pattern of patterns.filter((each) => !tools.some(({ path }) => matches(each, path))))
    problems.report({ about: the(key), raw: patterns.join(), words: words`${self}: ${problemOf(pattern)}` });
  return tools.filter(({ path }) => patterns.some((pattern) => matches(pattern, path)));
};

/** The tools that were chosen. Throws if a pattern matches none. An empty `allowWrites` allows all that write. */
export const chooseTools = (
  { tools, allowWrites }: Pick<ToolsInput, 'tools' | 'allowWrites'>,
  problems: Problems,
  all: readonly Tool[],
): Tool[] => {
  const writes = all.filter(({ isWrite }) => isWrite);
  const noWrite = (pattern: string) =>
    words`no tool that writes matches "${pattern}". Choose from ${writes.map(({ path }) => path).join(', ')}`;
  const allowedWrites = allowWrites?.length ? matching('allowWrites', allowWrites, problems, writes, noWrite) : writes;
  const available = all.filter((tool) => !tool.isWrite || (allowWrites !== undefined && allowedWrites.includes(tool)));
  const noTool = (pattern: string) => {
    const write = writes.find(({ path }) => matches(pattern, path));
    if (write !== undefined) return words`"${write.path}" changes data. Add ${the('allowWrites')}=${write.path}`;
    const meant = nearest(
      pattern,
      all.map(({ path }) => path),
    );
    return words`no tool matches "${pattern}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
  };
  const ownTools = tools?.filter((pattern) => pattern !== 'batch');
  const chosenTools = ownTools === undefined ? available : matching('tools', ownTools, problems, available, noTool);
  problems.check();
  return chosenTools;
};
