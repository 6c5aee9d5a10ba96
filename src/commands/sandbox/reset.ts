import { SchedError } from '../../base/errors.ts';
import type { NoAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan } from '../../cli/answer/plan.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { openSandboxData, sandboxDataError, sandboxFile } from '../../cli/session/open-sandbox.ts';
import { existsSync, rm } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { SandboxOptions, Serving } from '../../sandbox/open.ts';
import { isSandboxFile, sideFiles } from '../../sandbox/store/database.ts';
import { organizationKind, seedEntries, sharedData } from './input.ts';
import { askRunning, servingAround } from './running.ts';
import { newData } from './serving.ts';

const entries = { data: sharedData, ...seedEntries, kind: organizationKind };

/** Reports an error of the operating system as an environment error, not as an internal one. */
const orTrouble = <Value>(work: Promise<Value>, file: string, data: string | undefined): Promise<Value> =>
  work.catch((error) => {
    throw sandboxDataError(error, file, { data });
  });

/** Throws if a file named by the user is not a sandbox file: it could be anything, so never delete it. */
const requireOwn = async (runtime: HeadlessRuntime, file: string, data: string): Promise<void> => {
  if (await orTrouble(isSandboxFile(file), file, data)) return;
  // After a kill the last writes may be only in the WAL file. Opening the database merges them.
  const sandbox = await openSandboxData(runtime, { data: file }).catch(() => undefined);
  if (sandbox !== undefined) return sandbox.close();
  throw new SchedError('environment', "This is not a sandbox file, so it can't be reset", {
    reason: file,
    advice: 'use another file, or delete this one yourself',
    outcome: 'not-applied',
  });
};

/** What a reset puts in place of the data. */
type NewData = Pick<SandboxOptions, 'world' | 'now' | 'kind'>;

/** Resets intact data within its file, because a running sandbox may be using it. Returns false if that fails. */
const resetInPlace = async (
  runtime: HeadlessRuntime,
  data: string | undefined,
  seedData: NewData,
): Promise<boolean> => {
  // Opening would first seed data that is thrown away.
  if (!existsSync(sandboxFile(runtime, data))) return false;
  const sandbox = await openSandboxData(runtime, { data }).catch(() => undefined);
  try {
    sandbox?.reset(seedData);
    return sandbox !== undefined;
  } catch {
    return false;
  } finally {
    sandbox?.close();
  }
};

/** Deletes the files, so that this works with damaged data too. */
const startAfresh = async (runtime: HeadlessRuntime, data: string | undefined, seedData: NewData): Promise<void> => {
  const file = sandboxFile(runtime, data);
  const files = ['', ...sideFiles].map((suffix) => `${file}${suffix}`);
  for (const each of files) await orTrouble(rm(each, { force: true }), file, data);
  const sandbox = await openSandboxData(runtime, { data, ...seedData });
  sandbox.close();
};

const resetWords = (where: string): NoAnswer => ({ kind: 'nothing', hints: [`sandbox reset: ${where}`] });

const resetRunning = (runtime: HeadlessRuntime, serving: Serving, { world, now, kind }: NewData): Plan => {
  const name = `the sandbox at ${serving.url}`;
  return ownPlan({
    question: () => ({
      question: `Delete the data of ${name} and seed it again?`,
      action: `delete the data of ${name}`,
    }),
    send: async () => {
      await askRunning(runtime, serving, {
        call: 'POST /__sandbox/reset',
        body: {
          seed: typeof world === 'object' ? world.world : world,
          now: now === undefined ? undefined : new Date(now).toISOString(),
          kind,
        },
        refusal: `Can't reset ${name}`,
      });
      return resetWords(serving.url);
    },
  });
};

/** Replaces the data by new data seeded around today. */
const reset = async ({ data, ...values }: Values<typeof entries>, { context: { runtime } }: Call): Promise<Plan> => {
  const seedData = await newData(values);
  const serving = servingAround(runtime, data);
  if (serving !== undefined) return resetRunning(runtime, serving, seedData);
  const file = sandboxFile(runtime, data);
  if (data !== undefined) await requireOwn(runtime, file, data);
  return ownPlan({
    question: () => ({
      question: `Delete the sandbox data in ${file} and seed it again?`,
      action: `delete the sandbox data in ${file}`,
    }),
    send: async () => {
      if (!(await resetInPlace(runtime, data, seedData))) await startAfresh(runtime, data, seedData);
      return resetWords(file);
    },
  });
};

export const resetCommand: Command = {
  name: 'reset',
  summary: 'Delete the sandbox data and seed it again',
  ...taking(input(entries), reset),
  examples: [
    'sandbox reset',
    'sandbox reset --seed large:10000 --yes',
    'sandbox reset --data ./sandbox.db --seed world.yaml --yes',
    'sandbox reset --data ./sandbox.db --yes',
  ],
};
