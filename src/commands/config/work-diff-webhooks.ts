import { isDeepStrictEqual } from 'node:util';
import type { SentWebhook } from '../../api/webhooks.ts';
import type { WantedWebhook } from './work-file-schema.ts';
import type { ConfigPath, ReadConfig, WebhookChange } from './work-model.ts';
import { findRepeats, normalEvents } from './work-normalize.ts';
import { keySourcesOf, type Refuse } from './work-read-file.ts';

/** A list of webhooks of the file, and those that the service has. */
export interface WebhookList {
  path: ConfigPath;
  owner: string;
  scope: WebhookChange['scope'];
  entries: readonly WantedWebhook[];
  current: readonly SentWebhook[] | undefined;
}

/** Webhooks that have the URL of another one in their list: it is not clear which of them an entry means. */
export const sameUrls = (webhooks: readonly SentWebhook[]) => findRepeats(webhooks, ({ callback_url }) => callback_url);

export const webhookNotes = (webhooks: readonly SentWebhook[]): string[] =>
  webhooks
    .filter(({ state }) => state === 'disabled')
    .map(({ callback_url, retry_started_at: since }) => {
      const date = typeof since === 'string' ? ` since ${since.slice(0, 10)}` : '';
      return `webhook ${callback_url} is disabled: its deliveries failed${date}`;
    });

export const webhookChanges = (
  { path, owner, scope, entries, current = [] }: WebhookList,
  { lineOf }: ReadConfig,
  refuse: Refuse,
): WebhookChange[] => {
  for (const [{ callback_url }] of sameUrls(current))
    refuse(path, `the service has several webhooks for ${callback_url}. Delete all but one with webhooks delete`);
  const common = { kind: 'webhook', owner, scope } as const;
  const newChanges = entries.flatMap((entry, index): WebhookChange[] => {
    const place = [...path, index];
    const existing = current.find(({ callback_url }) => callback_url === entry.url);
    const [before, after] = [existing ? normalEvents(existing.events) : null, normalEvents(entry.events)];
    if (isDeepStrictEqual(before, after)) return [];
    const keys = 'write signing_key_env, signing_key_file or signing_key: none';
    if (keySourcesOf(entry).length === 0)
      refuse(place, `is ${existing ? 'replaced by a new webhook' : 'new'}, so it needs a signing key: ${keys}`);
    const { signing_key_env: variable, signing_key_file: file } = entry;
    const source = file === undefined ? variable : `file ${file}`;
    const signing_key = { before: existing ? 'the current one' : null, after: source ? `from ${source}` : 'none' };
    const fields = { events: { before, after }, signing_key };
    const what = { ...common, path: place, line: lineOf(place), label: entry.url, entry, fields };
    return [existing ? { ...what, action: 'replace', uri: String(existing.uri) } : { ...what, action: 'create' }];
  });
  const deleted = current
    .filter(({ callback_url }) => entries.every(({ url }) => url !== callback_url))
    .map(({ callback_url, uri, events }): WebhookChange => {
      const fields = { events: { before: normalEvents(events), after: null } };
      const what = { ...common, path, line: lineOf(path), label: String(callback_url), uri: String(uri) };
      return { ...what, action: 'delete', fields };
    });
  return [...newChanges, ...deleted];
};
