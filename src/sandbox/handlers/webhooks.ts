import type { WebhookScope } from '../../api/webhooks.ts';
import { idIn } from '../../base/uri.ts';
import { conflict, denied, invalidParameter, requireFound } from '../error-replies.ts';
import type { Caller, Handlers } from '../handler.ts';
import { requireAdministrator, requireOrganization, requireSelf } from '../rules/access.ts';
import { logActivity } from '../rules/activity.ts';
import { newWebhook, type WebhookRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

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
const requireAccess = (store: Store, caller: Caller, scope: WebhookScope, owner: string) => {
  if (scope === 'organization') requireAdministrator(caller);
  else if (scope === 'group') requireGroupAdmin(store, caller, owner);
  else requireSelf(caller, owner);
};

/**
 * The ID of the user, group or organization whose events a webhook reports.
 * Assumed (webhooks.owner): `user` and `group` of a webhook count only with their own scope; without `user`, it is the
 * caller; a group must be named.
 */
const chooseWebhookOwner = (
  store: Store,
  caller: Caller,
  { scope, user, group }: { scope: WebhookScope; user?: string | undefined; group?: string | undefined },
): string => {
  const owners = { organization: caller.organization, user: idIn(user ?? caller.user), group: group && idIn(group) };
  const owner = owners[scope];
  if (owner === undefined) throw invalidParameter('group', 'is required if scope is group', 'required');
  requireAccess(store, caller, scope, owner);
  if (scope !== 'organization') requireFound(store.text(`${scope}s`, owner), scope);
  return owner;
};

const requireWebhook = (store: Store, caller: Caller, id: string): WebhookRecord => {
  const row = store.first<{ doc: string; owner: string }>('SELECT doc, owner FROM webhooks WHERE id = ?', id);
  const { doc, owner } = requireFound(row, 'webhook subscription');
  const webhook: WebhookRecord = JSON.parse(doc);
  requireAccess(store, caller, webhook.scope, owner);
  return webhook;
};

export const webhooks: Handlers<'webhooks'> = {
  list({ query }, { store, caller }) {
    requireOrganization(caller, query.organization);
    // Assumed (webhooks.all-groups): admins and the owner can list the webhooks of all groups at once.
    const isOfAllGroups = query.scope === 'group' && query.group === undefined;
    if (isOfAllGroups) requireAdministrator(caller);
    const owner = isOfAllGroups ? undefined : chooseWebhookOwner(store, caller, query);
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
    const owner = chooseWebhookOwner(store, caller, body);
    // Assumed (webhooks.submissions): a routing form belongs to the organization, so webhooks of a user or group can't
    // report its submissions.
    if (scope !== 'organization' && events.includes('routing_form_submission.created'))
      throw invalidParameter('events', 'can include routing_form_submission.created only if scope is organization');
    const sql = 'SELECT 1 FROM webhooks WHERE scope = ? AND owner = ? AND callback_url = ?';
    if (store.first(sql, scope, owner, url))
      throw conflict('A webhook subscription with this URL and scope already exists.');
    const id = store.nextId('webhook');
    const webhook = newWebhook({ id, organization, scope, owner, events, url, now });
    store.insert('webhooks', id, webhook, { organization, owner, signing_key: body.signing_key ?? null });
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
