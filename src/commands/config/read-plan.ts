import { hasCategory } from '../../base/errors.ts';
import { brokenFile } from '../../cli/messages/broken-file.ts';
import type { Context } from '../../cli/session/context.ts';
import { sandboxService, serviceName } from '../../state/service-name.ts';
import type { ConfigText } from './input.ts';
import { diffConfig } from './work-diff.ts';
import { planDigest } from './work-digest.ts';
import type { Plan, Reach, ReadConfig, World } from './work-model.ts';
import { readConfig } from './work-read-file.ts';
import { reach as reachOf, readWorld, type WorldSource } from './work-read-service.ts';
import { type Unmanaged, unmanagedIn, wholeReach } from './work-unmanaged.ts';

/** Where a configuration is read from. `isTwice`: what is read now will be read once more. */
export const worldSource = async (context: Context, isTwice = false): Promise<WorldSource> => {
  let mostRequests = 0;
  const { baseUrl, isSandbox } = await context.connection();
  const { identity, now, notes } = context;
  return {
    client: await context.client(),
    origin: isSandbox ? sandboxService : serviceName(baseUrl),
    identity,
    now,
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

/** What a file doesn't manage. Webhooks of the organization count as far as the token may read them. */
export const readUnmanaged = async (context: Context, { name, text }: ConfigText): Promise<Unmanaged[]> => {
  const config = readConfig(text, name);
  if (!config.ok) throw brokenFile(name, config.problems);
  const reach = wholeReach(config.file.config);
  const source = await worldSource(context);
  const world = await readWorld(source, reach).catch((error: unknown) => {
    if (!hasCategory(error, 'forbidden')) throw error;
    context.notes.warn("Not checked: webhooks of the organization, which this token can't read");
    return readWorld(source, { ...reach, organization: false });
  });
  return unmanagedIn(config.file.config, world);
};

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
