import { basename, dirname, join, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { self, words } from '../../base/words.ts';
import type { TextAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { entry } from '../../cli/input/entry.ts';
import { input, taking } from '../../cli/input/input.ts';
import { accept, type Kind, refuse } from '../../cli/input/kind.ts';
import { toggle } from '../../cli/input/kinds.ts';
import type { Context } from '../../cli/session/context.ts';
import { chmod } from '../../node/files.ts';
import { makeDirectory } from '../../node/make-directory.ts';
import { attempt, realDisk } from '../../state/disk.ts';
import { writeWholeFile } from '../../state/whole-file.ts';
import type { Nouns } from '../schema/command.ts';

const skillText = async (registry: Nouns, form: 'skill' | 'agents'): Promise<string> =>
  (await import('./skill-text.ts')).skillText(registry, form);

/** The lines that differ, from the first to the last: old ones with `-`, new ones with `+`. */
const differences = (before: string, after: string): string => {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const changedLines = (all: string[], mark: string) =>
    all.slice(start, all.length - end).map((line) => `${mark}${line}`);
  return [`From line ${start + 1}:`, ...changedLines(old, '-'), ...changedLines(now, '+')].join('\n');
};

const currentText = async (path: string): Promise<string | undefined> => (await realDisk.read(path))?.toString();

/** There is no default: other programs obey what this file says. */
const directoryKind: Kind<string> = {
  json: 'string',
  read: (raw) => (raw === '' ? refuse(words`Missing argument ${self}`) : accept(raw)),
};

const planInstall = async (registry: Nouns, directory: string, { runtime }: Context): Promise<Plan> => {
  const path = join(directory, 'SKILL.md');
  const text = await skillText(registry, 'skill');
  const isNamed = basename(resolve(path, '..')) === 'sched';
  return ownPlan({
    read: () => currentText(path),
    nothingToDo: (before) =>
      before === text ? { kind: 'nothing', hints: [`already up to date: ${path}`] } : undefined,
    shown: (before) => ({
      kind: 'text',
      text: before === undefined ? text : differences(before, text),
      hints: isNamed ? [] : ['Many clients find a skill only in a directory of its name: sched'],
    }),
    question: (before) => ({
      question: `${before === undefined ? 'Write' : 'Replace'} ${path}?`,
      action: `write ${path}`,
    }),
    send: async (before) => {
      if ((await currentText(path)) !== before)
        throw new SchedError('environment', `${path} has changed meanwhile`, { advice: 'run the same command again' });
      await attempt('write', path, async () => {
        makeDirectory(dirname(path));
        const draft = `${path}.${Buffer.from(runtime.randomBytes(8)).toString('hex')}`;
        await writeWholeFile(path, { content: text, draft, ...(before === undefined ? {} : { replaceIn: runtime }) });
        // Not private: agents of other users may read it.
        await chmod(path, 0o644);
      });
      return { kind: 'nothing', hints: [`written: ${path}`] };
    },
  });
};

/** Made by the registry, which knows the nouns. */
export const skillCommands = (registry: Nouns): Command[] => [
  {
    name: 'print',
    summary: 'Print a skill that tells AI agents how to use sched',
    ...taking(
      input({ agents: toggle('print a section for AGENTS.md instead of a whole SKILL.md') }),
      async ({ agents }): Promise<TextAnswer> => ({
        kind: 'text',
        text: await skillText(registry, agents ? 'agents' : 'skill'),
      }),
    ),
    examples: ['skill print', 'skill print --agents >> AGENTS.md'],
    notes: [
      'The text has the ten commands that matter most, the exit codes, and rules: dry run first, few fields, never book twice, never print a token. All its command lines work in the sandbox.',
    ],
    local: true,
  },
  {
    name: 'install',
    summary: 'Write the skill as SKILL.md into a directory',
    ...taking(
      input({ dir: entry(directoryKind, 'directory of the skill, named sched', { place: 'argument', needed: true }) }),
      ({ dir }, { context }) => planInstall(registry, dir, context),
    ),
    examples: ['skill install .claude/skills/sched', 'skill install .agents/skills/sched --yes'],
    notes: [
      'Shows the file first, or the lines that change, and asks. Without a terminal it needs --yes. The directory is created if needed; there is no default.',
    ],
    local: true,
  },
];
