import { diffConfig } from '../../../config/diff.ts';
import { digestOf } from '../../../config/digest.ts';
import type { Plan, Reach, ReadConfig, World } from '../../../config/model.ts';
import { reach as reachOf } from '../../../config/reach.ts';
import { readConfig } from '../../../config/read-file.ts';
import { readWorld, type WorldSource } from '../../../jobs/config-world.ts';
import { sandboxService, serviceName } from '../../../state/ledger.ts';
import { brokenFile } from '../../messages/broken-file.ts';
import type { Context } from '../../session/context.ts';
import type { ConfigText } from './input.ts';

/** Where a configuration is read from. `isTwice`: what is read now will be read once more. */
export const worldSource = async (context: Context, isTwice = false): Promise<WorldSource> => {
  let whole = 0;
  const { baseUrl, isSandbox } = await context.connection();
  const { identity, runtime, serviceTime, notes } = context;
  return {
    client: await context.client(),
    origin: isSandbox ? sandboxService : serviceName(baseUrl),
    identity,
    clock: runtime.clock,
    serviceTime,
    onAhead: (requests) => {
      whole = Math.max(whole, requests);
      notes.ahead = () => ({ requests: requests + (isTwice ? whole : 0), isMost: false });
    },
  };
};

export interface ReadPlan {
  read: ReadConfig;
  reach: Reach;
  world: World;
  plan: Plan;
  /** SHA-256 of the plan, in hex. */
  digest: string;
}

/** Compares a file with what the service has of it. Throws if the file has mistakes. */
export const readPlan = async (context: Context, { name, text }: ConfigText, isTwice = false): Promise<ReadPlan> => {
  const config = readConfig(text, name);
  if (!config.ok) throw brokenFile(name, config.problems);
  const reach = reachOf(config.read.config);
  const world = await readWorld(await worldSource(context, isTwice), reach);
  const diffed = diffConfig(config.read, world);
  if (!diffed.ok) throw brokenFile(name, diffed.problems);
  return { read: config.read, reach, world, plan: diffed.plan, digest: digestOf(diffed.plan) };
};
