import { hash } from 'node:crypto';
import { join } from 'node:path';
import { fallBack, SchedError } from '../../base/errors.ts';
import { isTime } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import { sandboxAddress } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { homeMissing } from '../../state/paths.ts';
import { settleFilters } from '../events/list.ts';
import type { FollowSource } from './read-news.ts';

/** Where news are read, given whose events are wanted. */
export const openSource = async (context: Context, { query = {}, rows }: RequestValues): Promise<FollowSource> => {
  const type = rows?.event_type;
  await settleFilters(context, query);
  return {
    client: await context.client(),
    query,
    keep: (event) => type === undefined || idIn(event.event_type) === idIn(type),
    serviceNow: () => {
      const time = context.serviceTime();
      return isTime(time) ? time : context.runtime.clock.now();
    },
  };
};

/**
 * Where a command remembers how far it came, by the service, the profile and what else it depends on. The built-in sandbox
 * has another port each time. Throws without a state directory: each start would begin anew.
 */
export const placeOfPosition = async (
  { runtime, settings, connection }: Context,
  { folder, purpose, of }: { folder: string; purpose: string; of: readonly unknown[] },
) => {
  const { machine, clock, randomBytes, interrupted } = runtime;
  const state = stateDirectory(runtime);
  if (state === undefined)
    throw new SchedError('environment', `There is no directory to remember ${purpose}`, {
      reason: homeMissing(runtime),
      advice: 'set SCHED_STATE_DIR',
    });
  const { baseUrl, isSandbox } = await connection();
  const facts = [isSandbox ? sandboxAddress : baseUrl, isSandbox, settings.account?.name ?? null, ...of];
  const name = hash('sha256', JSON.stringify(facts)).slice(0, 40);
  return { directory: join(state, folder), name, machine, clock, randomBytes, interrupted };
};

/** The user a delivery names as its creator, or null if the token can't read its own user. */
export const creatorOf = ({ identity }: Context): Promise<string | null> =>
  identity.user().catch(fallBack(null, 'forbidden'));
