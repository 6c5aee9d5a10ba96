import { join } from 'node:path';
import { type Outcome, SchedError } from '../../base/errors.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { type Marks, markOf } from '../../sandbox/mirror/forget.ts';
import { fileMarks, isMarkKey, type MarkStore, newMarkKey } from '../../state/forgotten.ts';
import type { WorkNotes } from '../messages/notes.ts';
import type { RoomSettings } from './settings.ts';
import { openSharedState, stateDirectory } from './shared-state.ts';

/** Who is forgotten: on this machine and, with shared state, on all machines that share it. */
interface MirrorMarks {
  /** Throws if shared state is away: somebody whom another machine has deleted could be shown. */
  read(): Promise<Marks>;
  /** Marks people, and makes the keys of marks if there are none yet. */
  add(organization: string, addresses: readonly string[]): Promise<void>;
}

/** What a command needs to find the marks. */
export interface MarkPlace {
  runtime: HeadlessRuntime;
  settings: RoomSettings;
  notes: WorkNotes;
}

/** Files have their own errors. Those of Redis are plain. */
const trouble = (error: Error, outcome: Outcome): SchedError => {
  const facts =
    error instanceof SchedError
      ? { ...error.facts, reason: [error.message, error.facts.reason].filter(Boolean).join(': ') }
      : { reason: error.message, advice: 'check SCHED_SHARED_STATE and the server' };
  return new SchedError('environment', "Can't use the list of deleted people", { ...facts, outcome });
};

/** Asks all stores. */
const all = <Result>(answers: Promise<Result>[], outcome: Outcome): Promise<Result[]> =>
  Promise.all(answers).catch((error: Error) => {
    throw trouble(error, outcome);
  });

/** Does something with the marks, and closes the connection to shared state. */
export const withMarks = async <Result>(
  { runtime, settings, notes }: MarkPlace,
  work: (marks: MirrorMarks) => Promise<Result>,
): Promise<Result> => {
  const folder = stateDirectory(runtime);
  const files: MarkStore[] = folder === undefined ? [] : [fileMarks(join(folder, 'mirror'), runtime.randomBytes)];
  const shared =
    settings.sharedState === undefined || settings.sandbox
      ? undefined
      : await openSharedState(runtime, settings, notes, false);
  // The key of the machines that share state comes first: others know it already.
  const stores = shared?.marks === undefined ? files : [shared.marks, ...files];
  /** Gives each store what only others know: a server that lost its data gets it back from the machines. */
  const settle = async (outcome: Outcome, more?: (keys: readonly string[]) => readonly string[]) => {
    const known = await all(
      stores.map(async (store) => new Set(await store.read())),
      outcome,
    );
    const lines = new Set(known.flatMap((own) => [...own]));
    for (const line of more?.([...lines].filter(isMarkKey)) ?? []) lines.add(line);
    const added = stores.map(async (store, at) => {
      const missing = [...lines].filter((line) => !known[at]!.has(line));
      if (missing.length > 0 || more !== undefined) await store.add(missing);
    });
    await all(added, outcome);
    return [...lines];
  };
  try {
    return await work({
      read: async () => {
        const lines = await settle('not-sent');
        return { keys: lines.filter(isMarkKey), macs: new Set(lines.filter((line) => !isMarkKey(line))) };
      },
      add: async (organization, addresses) => {
        // With an unknown outcome, the same command asks for the deletion again, and marks the people then.
        await settle(addresses.length === 0 ? 'not-sent' : 'unknown', ([key = newMarkKey(runtime.randomBytes)]) => [
          key,
          ...addresses.map((address) => markOf(key, organization, address)),
        ]);
      },
    });
  } finally {
    await shared?.close();
  }
};
