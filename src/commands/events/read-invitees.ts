import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { idIn } from '../../base/uri.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather, type ListOptions } from '../../client/paginate.ts';

/** The invitees of an event that the query asks for. */
export const inviteesOf = async (
  context: Context,
  event: SentEvent,
  query: Record<string, string> = {},
  options: ListOptions<SentInvitee> = {},
): Promise<SentInvitee[]> => {
  const { mirror } = await context.connection();
  const copied = Object.keys({ ...query, ...options }).length === 0 ? mirror?.inviteesOf(idIn(event.uri)) : undefined;
  if (copied !== undefined) return copied;
  const { invitees } = await import('../../api/invitees.ts');
  const client = await context.client();
  const input = { path: { event: idIn(event.uri) }, query };
  return gather(client.pages(invitees.list, input, { keep: rowFilter(invitees.list, query), ...options }));
};
