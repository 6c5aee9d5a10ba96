import { brokenFile } from '../../cli/messages/broken-file.ts';
import type { Context } from '../../cli/session/context.ts';
import { sandboxService, serviceName } from '../../state/service-name.ts';
import type { ConfigText } from './input.ts';
import { diffConfig } from './work-diff.ts';
import { planDigest } from './work-digest.ts';
import type { Plan, Reach, ReadConfig, World } from './work-model.ts';
import { readConfig } from './work-read-file.ts';
import { reach as reachOf, readWorld, type WorldSource } from './work-read-service.ts';

/** Where a configuration is read from. `isTwice`: what is read now will be read once more. */
export const worldSource = async (context: Context, isTwice = false): Promise<WorldSource> => {
  let mostRequests = 0;
  const { baseUrl, isSandbox } = await context.connection();
  const { identity, runtime, serviceTime, notes } = context;
  return {
    client: await context.client(),
    origin: isSandbox ? sandboxService : serviceName(baseUrl),
    identity,
    clock: runtime.clock,
    serviceTime,
    onAhead: (requests) => {
      mostRequests = Math.max(mostRequests, requests);
      notes.ahead = () => ({ requests: requests + (isTwice ? mostRequests : 0), isMost: false });
    },
  };
};

export interface Comparison {
  file: ReadConfig;
  reach: Reach;
  world: World;
  plan: Plan;
  /** SHA-256 of the plan, in hex. */
  digest: string;
}

/** Compares a file with what the service has of it. Throws if the file has mistakes. */
export const compareWithService = async (
  context: Context,
  { name, text }: ConfigText,
  isTwice = false,
): Promise<Comparison> => {
  const config = readConfig(text, name);
  if (!config.ok) throw brokenFile(name, config.problems);
  const reach = reachOf(config.file.config);
  const world = await readWorld(await worldSource(context, isTwice), reach);
  const diff = diffConfig(config.file, world);
  if (!diff.ok) throw brokenFile(name, diff.problems);
  return { file: config.file, reach, world, plan: diff.plan, digest: planDigest(diff.plan) };
};
