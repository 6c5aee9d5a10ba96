import { idIn } from '../../base/uri.ts';
import { conflict, requireFound } from '../error-replies.ts';
import type { Handlers } from '../handler.ts';
import { chooseOwner, requireAdministrator, requireEvent } from '../rules/access.ts';
import { cancelInvitees, withoutInvitees } from '../rules/cancellation.ts';
import { noticeCancellation } from '../rules/notices.ts';
import { uri } from '../store/names.ts';
import type { EventRecord, InviteeRecord, UserRecord } from '../store/records.ts';

/** Two ways to read the same list, each with an index in the default order. */
const listOfOrganization = { from: 'events e', id: 'e.id', columns: { start_time: 'e.start_time' } };
const listOfUser = {
  kind: 'events',
  from: 'event_hosts h CROSS JOIN events e ON e.id = h.event',
  id: 'h.event',
  columns: { start_time: 'h.start_time' },
};

export const events: Handlers<'events'> = {
  list({ query }, { store, caller }) {
    // Assumed (events.group-who): only admins and the owner can list the events of a group.
    if (query.group !== undefined) requireAdministrator(caller);
    const group = query.group && idIn(query.group);
    if (group !== undefined) requireFound(store.text('groups', group), 'group');
    const implied = group && uri('organizations', caller.organization);
    const owners = { user: query.user, organization: query.organization ?? implied };
    // Assumed (events.own): without `user` and `organization`, the list has the events of the token's own user.
    const user = chooseOwner(store, caller, owners, { user: uri('users', caller.user) });
    // Few events are those of one invitee: they are found first, and sorted. The plus keeps SQLite from walking all others.
    const isOfInvitee = query.invitee_email !== undefined;
    return {
      ...(user && !isOfInvitee ? listOfUser : listOfOrganization),
      doc: 'e.doc',
      defaultSort: 'start_time',
      where: [
        user && !isOfInvitee
          ? ['h.user = ?', user]
          : [`${isOfInvitee ? '+' : ''}e.organization = ?`, caller.organization],
        ['EXISTS (SELECT 1 FROM event_hosts o WHERE o.event = e.id AND o.user = ?)', isOfInvitee ? user : undefined],
        [`${isOfInvitee ? '+' : ''}e.status = ?`, query.status],
        // Assumed (events.group-members): the events of a group are the events its members host.
        [
          `EXISTS (SELECT 1 FROM event_hosts o JOIN group_members g ON g.user = o.user
                   WHERE o.event = e.id AND g."group" = ?)`,
          group,
        ],
        ['e.id IN (SELECT i.event FROM invitees i WHERE i.email = ?)', query.invitee_email],
      ],
    };
  },

  get: ({ params }, { store, caller }) => requireEvent(store, caller, params.event),

  // Assumed (events.cancel): past events can be canceled too, and canceling an event cancels all its invitees. Assumed
  // (events.cancel-twice): canceling a canceled event is refused with 409.
  cancel({ params, body }, context) {
    const { store, caller, now } = context;
    const event: EventRecord = JSON.parse(requireEvent(store, caller, params.event));
    if (event.status === 'canceled') throw conflict('The event is already canceled.');
    const invitees = store
      .all<{ doc: string }>("SELECT doc FROM invitees WHERE event = ? AND status = 'active'", params.event)
      .map(({ doc }): InviteeRecord => JSON.parse(doc));
    const canceled = withoutInvitees(event, event.invitees_counter.active, now);
    store.update('events', params.event, canceled);
    cancelInvitees(context, invitees, canceled);
    const { name } = store.get<UserRecord>('users', caller.user)!;
    const reason = body.reason ?? null;
    store.add('cancellations', {
      event: params.event,
      canceled_by: caller.user,
      reason,
      created_at: canceled.updated_at,
    });
    noticeCancellation(context, canceled, invitees, { canceled_by: name, reason });
    return canceled;
  },
};
