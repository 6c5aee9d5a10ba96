import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { isWithin } from '../../base/numbers.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { type KeptDeliveries, mostRemembered } from './work-recent-deliveries.ts';

interface ListenerSettings {
  keyFile: string;
  host: string;
  port: number;
  toleranceMs: number;
}

/** A line of the file: when a delivery was accepted, and its key, which is a digest. */
const line = /^(\d{1,15}) ([\w+/=]{44})$/;

const deliveriesPath = ({ runtime }: Context, { keyFile, host, port }: ListenerSettings): string | undefined => {
  const directory = stateDirectory(runtime);
  const name = hash('sha256', JSON.stringify([resolve(keyFile), host, port])).slice(0, 40);
  return directory === undefined ? undefined : join(directory, 'webhooks', name);
};

/**
 * The deliveries that a listener at this port has accepted, in a private file. R51: a listener that is started again
 * knows them for as long as their signatures are valid. If the file can't be used, the listener works without it.
 */
export const openRecentFile = async (context: Context, listener: ListenerSettings): Promise<KeptDeliveries> => {
  const { runtime } = context;
  const { clock } = runtime;
  // A signature may be as far in the future as in the past.
  const keptMs = 2 * listener.toleranceMs;
  let lines: string[] = [];
  let path: string | undefined;
  const giveUp = (error: unknown): void => {
    if (!(error instanceof SchedError)) throw error;
    path = undefined;
    context.notes.warn(`After a restart, sched may show deliveries again: ${error.message} (${error.facts.reason})`);
  };
  const isKept = (text: string): boolean => {
    const [, at] = line.exec(text) ?? [];
    return isWithin(Number(at), clock.now() - keptMs, clock.now() + keptMs);
  };
  const write = async (): Promise<void> => {
    lines = lines.filter(isKept).slice(-mostRemembered);
    if (path !== undefined)
      await writePrivateFile(path, lines.map((each) => `${each}\n`).join(''), runtime).catch(giveUp);
  };
  try {
    path = deliveriesPath(context, listener);
    lines = ((path && (await readPrivateFile(path))) ?? '').split('\n').filter(isKept);
  } catch (error) {
    giveUp(error);
  }
  let writing = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    keys: lines.map((each) => line.exec(each)![2]!),
    add: (key) => {
      lines.push(`${clock.now()} ${key}`);
      // Deliveries that come during a write are written together.
      next ??= writing.then(() => {
        next = undefined;
        writing = write();
        return writing;
      });
      return next;
    },
  };
};
