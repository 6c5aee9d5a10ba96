import { rowFilter } from '../../client/filter.ts';
import { gather, type ListOptions } from '../../client/paginate.ts';
import type { Json } from '../../json.ts';
import { idIn } from '../../uri.ts';
import type { Context } from '../session/context.ts';

/** The invitees of an event that the query asks for. */
export const inviteesOf = async (
  context: Context,
  event: Json,
  query: Record<string, string> = {},
  options: ListOptions<Json> = {},
): Promise<Json[]> => {
  const { invitees } = await import('../../api/invitees.ts');
  const client = await context.client();
  const input = { path: { event: idIn(event.uri) }, query };
  return gather(client.pages(invitees.list, input, { keep: rowFilter(invitees.list, query), ...options }));
};
