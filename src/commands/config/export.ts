import { isDeepStrictEqual } from 'node:util';
import { SchedError } from '../../base/errors.ts';
import type { FileAnswer } from '../../cli/answer/answer.ts';
import type { Call } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { cutText, fitRecord } from '../mcp/shorten.ts';
import type { ExportInput } from './input.ts';
import { worldSource } from './read-plan.ts';
import type { ConfigFile } from './work-file-schema.ts';
import type { Reach } from './work-model.ts';
import { readConfig } from './work-read-file.ts';
import { readWorld } from './work-read-service.ts';
import { writeConfig } from './write-file.ts';

/** The file for a client. A result can't have long texts or line breaks, and a part of one must not be applied. */
const forTool = ({ notes }: Context, config: ConfigFile): ConfigFile => {
  const types = Object.values(config.users ?? {}).flatMap((user) => Object.values(user.event_types ?? {}));
  const long = types.filter(({ description_plain: text = '' }) => cutText(text) !== text);
  for (const type of long) delete type.description_plain;
  if (long.length > 0)
    notes.info(`Left out, because long texts don't fit: descriptions of ${long.map(({ name }) => name).join(', ')}`);
  if (isDeepStrictEqual(fitRecord(config, 16 * 1024), config)) return config;
  throw new SchedError('usage', 'The file is too large for a tool', {
    advice: ['a person can run ', { command: ['config', 'export'] }],
  });
};

export const runConfigExport = async (
  { user, org, with: parts }: ExportInput,
  { context }: Call,
): Promise<FileAnswer> => {
  const { notes } = context;
  const isAll = org !== undefined;
  const reach: Reach = {
    users: isAll ? 'all' : [{ key: user, types: true, hours: 'all', webhooks: true }],
    organization: isAll,
    groups: isAll ? 'all' : [],
  };
  const world = await readWorld(await worldSource(context), reach);
  if (!isAll && world.users.length === 0)
    throw new SchedError('not-found', `No member with the email address ${user}`, {
      hint: { command: ['members', 'list'] },
    });
  const { text, notes: fileNotes } = writeConfig(world, {
    dates: parts.includes('dates'),
    uris: parts.includes('uris'),
  });
  for (const note of fileNotes) notes.info(note);
  const file = readConfig(text, 'file');
  if (!file.ok) throw new Error(file.problems[0]!.message);
  const { config } = file.file;
  const next = commandHere(context, 'config', 'diff', 'team.yaml');
  return {
    kind: 'file',
    value: config,
    text,
    isYaml: true,
    footers: [`To make this a file, add > team.yaml. Then change it and compare: ${next}`],
    forTool: () => forTool(context, config),
  };
};
