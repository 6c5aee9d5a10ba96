import { fallBack } from '../../base/errors.ts';
import { isTime } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import type { Context } from '../../cli/session/context.ts';
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

/** The user a delivery names as its creator, or null if the token can't read its own user. */
export const creatorOf = ({ identity }: Context): Promise<string | null> =>
  identity.user().catch(fallBack(null, 'forbidden'));
