import type { WebhookScope } from '../../api/webhooks.ts';
import { idIn } from '../../uri.ts';
import { conflict, denied, found, invalidParameter } from '../error-replies.ts';
import type { Caller, Handlers } from '../handler.ts';
import { requireAdministrator, requireOrganization, requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { newWebhook, type WebhookRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** Whose events a webhook reports. The owner is the ID of the user, group or organization. */
interface WebhookPlace {
  scope: WebhookScope;
  owner: string;
}

const requireGroupAdmin = (store: Store, caller: Caller, group: string) => {
  const role = 'SELECT role FROM group_members WHERE "group" = ? AND user = ?';
  const isGroupAdmin = store.first<{ role: string }>(role, group, caller.user)?.role === 'admin';
  if (caller.role === 'user' && !isGroupAdmin)
    throw denied('Only an admin of the group, or an admin or the owner of the organization, can do this.');
};

/**
 * Assumed (webhooks.who): the organization's webhooks belong to its admins and owner, those of a user to the user and
 * the same people, and those of a group to the group's admins and the same people.
 */
const requirePlace = (store: Store, caller: Caller, { scope, owner }: WebhookPlace) => {
  if (scope === 'organization') requireAdministrator(caller);
  else if (scope === 'group') requireGroupAdmin(store, caller, owner);
  else requireSelf(caller, owner);
};

interface Named {
  user?: string | undefined;
  group?: string | undefined;
}

const requireOwner = (store: Store, { scope, owner }: WebhookPlace) => {
  if (scope === 'user') found(store.text('users', owner), 'user');
  if (scope === 'group') found(store.text('groups', owner), 'group');
};

/**
 * Assumed (webhooks.owner): `user` and `group` of a webhook count only with their own scope; without `user`, it is the
 * caller; a group must be named.
 */
const placeOf = (caller: Caller, scope: WebhookScope, { user, group }: Named): WebhookPlace => {
  if (scope === 'organization') return { scope, owner: caller.organization };
  if (scope === 'user') return { scope, owner: user === undefined ? caller.user : idIn(user) };
  if (group === undefined) throw invalidParameter('group', 'is required if scope is group', 'required');
  return { scope, owner: idIn(group) };
};

const requireWebhook = (store: Store, caller: Caller, id: string): WebhookRecord => {
  const row = store.first<{ doc: string; owner: string }>('SELECT doc, owner FROM webhooks WHERE id = ?', id);
  const { doc, owner } = found(row, 'webhook subscription');
  const webhook: WebhookRecord = JSON.parse(doc);
  requirePlace(store, caller, { scope: webhook.scope, owner });
  return webhook;
};

export const webhooks: Handlers<'webhooks'> = {
  list({ query }, { store, caller }) {
    requireOrganization(caller, query.organization);
    let owner: string | undefined;
    // Assumed (webhooks.all-groups): admins and the owner can list the webhooks of all groups at once.
    if (query.scope === 'group' && query.group === undefined) requireAdministrator(caller);
    else {
      const place = placeOf(caller, query.scope, query);
      requirePlace(store, caller, place);
      requireOwner(store, place);
      owner = place.owner;
    }
    return {
      from: 'webhooks',
      where: [
        ['organization = ?', caller.organization],
        ['scope = ?', query.scope],
        ['owner = ?', owner],
      ],
    };
  },

  get: ({ params }, { store, caller }) => requireWebhook(store, caller, params.webhook),

  create({ body }, context) {
    const { store, caller, now } = context;
    const { organization } = caller;
    const { scope, url, events } = body;
    requireOrganization(caller, body.organization);
    const place = placeOf(caller, scope, body);
    requirePlace(store, caller, place);
    requireOwner(store, place);
    // Assumed (webhooks.submissions): a routing form belongs to the organization, so webhooks of a user or group can't
    // report its submissions.
    if (scope !== 'organization' && events.includes('routing_form_submission.created'))
      throw invalidParameter('events', 'can include routing_form_submission.created only if scope is organization');
    const known = 'SELECT 1 FROM webhooks WHERE scope = ? AND owner = ? AND callback_url = ?';
    if (store.first(known, scope, place.owner, url))
      throw conflict('A webhook subscription with this URL and scope already exists.');
    const id = store.nextId('webhook');
    const webhook = newWebhook({ id, organization, ...place, events, url, now });
    store.insert('webhooks', id, webhook, {
      organization,
      owner: place.owner,
      signing_key: body.signing_key ?? null,
    });
    logActivity(context, 'WebhookSubscription.Create', { webhook: webhook.uri, scope });
    return webhook;
  },

  delete({ params }, context) {
    const { uri: webhook, scope } = requireWebhook(context.store, context.caller, params.webhook);
    context.store.run('DELETE FROM webhooks WHERE id = ?', params.webhook);
    logActivity(context, 'WebhookSubscription.Delete', { webhook, scope });
    return {};
  },
};
