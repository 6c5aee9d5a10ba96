import { type SentWebhook, type WebhookScope, webhookEvents } from '../../api/webhooks.ts';
import { textOf } from '../../base/json.ts';
import { idIn, urlIn } from '../../base/uri.ts';

/** Whose events can be heard: those of the organization, of a group or of a user. */
export interface Listened {
  scope: WebhookScope;
  /** The URI of the organization, group or user. */
  owner: string;
  name: string | null;
  /** Of a user: the IDs of the groups, whose webhooks hear the user's events too. */
  groups?: readonly string[];
}

type Problem = 'unheard' | 'unknown' | 'overlap' | 'failing' | 'disabled';

/** Submissions are reported to the organization only, see the assumption webhooks.submissions. */
const eventsOf = (scope: WebhookScope): readonly string[] =>
  webhookEvents.filter((event) => scope === 'organization' || event.startsWith('invitee'));

const hears = (webhook: SentWebhook, { scope, owner, groups = [] }: Listened): boolean => {
  if (webhook.scope === 'organization') return true;
  if (webhook.scope === 'user') return scope === 'user' && idIn(webhook.user) === idIn(owner);
  const group = idIn(webhook.group);
  return scope === 'group' ? group === idIn(owner) : scope === 'user' && groups.includes(group);
};

const facts = ({ uri, callback_url: url, retry_started_at: since }: SentWebhook) => ({
  uri: textOf(uri) ?? null,
  callback_url: textOf(url) ?? null,
  retry_started_at: textOf(since) ?? null,
});

/**
 * For each event of each owner: the webhooks that hear it, and what is wrong. `unread` are scopes whose webhooks are not
 * known: one of those may hear what no other does.
 */
export const coverage = (
  webhooks: readonly SentWebhook[],
  owners: readonly Listened[],
  unread: ReadonlySet<WebhookScope> = new Set(),
) =>
  owners.flatMap((listened) =>
    eventsOf(listened.scope).map((event) => {
      const all = webhooks.filter(({ events }) => Array.isArray(events) && events.includes(event));
      const own = all.filter((webhook) => hears(webhook, listened));
      const heard = own.filter(({ state }) => state !== 'disabled').map(facts);
      const urls = heard.flatMap(({ callback_url: url }) => (url === null ? [] : [urlIn(url)?.href ?? url]));
      const failures = heard.flatMap(({ retry_started_at: since }) => since ?? []).sort();
      const isSure = listened.scope === 'organization' ? !unread.has('organization') : unread.size === 0;
      const found: [Problem, boolean][] = [
        [isSure ? 'unheard' : 'unknown', heard.length === 0],
        ['overlap', new Set(urls).size < urls.length],
        ['failing', failures.length > 0],
        ['disabled', heard.length < own.length],
      ];
      return {
        scope: listened.scope,
        owner: listened.owner,
        owner_name: listened.name,
        event,
        problems: found.flatMap(([problem, isThere]) => (isThere ? [problem] : [])),
        heard_by: heard,
        disabled: own.filter(({ state }) => state === 'disabled').map(facts),
        failing_since: failures.at(-1) ?? null,
      };
    }),
  );

/** What a row has. */
export const coverageFields = Object.keys(coverage([], [{ scope: 'user', owner: '', name: null }])[0]!);
