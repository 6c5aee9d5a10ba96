import { the, type Words, words } from '../base/words.ts';
import type { Command } from './command.ts';

export const changesSomething = 'it changes something';
export const aboutService = 'it is about the service itself';

/** Why a mirror has no answer for a command. Undefined if it has one. */
export const whyNoMirror = ({ operation, effect, mirror }: Command): string | undefined => {
  if (mirror !== undefined) return mirror;
  if (operation === undefined) {
    if (effect === 'read' || effect === 'any') return undefined;
    return effect === 'change' ? changesSomething : 'it reads no records of the service';
  }
  if (operation.method !== 'GET') return changesSomething;
  return /^(webhooks|mcp)\./.test(operation.name) ? aboutService : undefined;
};

/** The problem with `--mirror` for a command, if there is one. */
export const mirrorProblem = (command: Command): Words | undefined => {
  const reason = whyNoMirror(command);
  if (reason === undefined) return undefined;
  if (reason === changesSomething) return words`${the('mirror')} only reads: leave it out to change something`;
  return words`${the('mirror')} can't answer this: ${reason}`;
};
