import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../json.ts';
import type { ConfigPath, ReadConfig, WantedWebhook, WebhookChange } from './model.ts';
import { normalEvents } from './normalize.ts';
import { keySourcesOf, type Refuse } from './read-file.ts';
import { repeated } from './repeated.ts';

/** A list of webhooks of the file, and those that the service has. */
export interface WebhookList {
  path: ConfigPath;
  owner: string;
  scope: WebhookChange['scope'];
  wanted: readonly WantedWebhook[];
  current: readonly Json[] | undefined;
}

/** Webhooks that have the URL of another one in their list: it is not clear which of them an entry means. */
export const sameUrls = (webhooks: readonly Json[]) => repeated(webhooks, ({ callback_url }) => callback_url);

export const webhookNotes = (webhooks: readonly Json[]): string[] =>
  webhooks
    .filter(({ state }) => state === 'disabled')
    .map(({ callback_url, retry_started_at: since }) => {
      const date = typeof since === 'string' ? ` since ${since.slice(0, 10)}` : '';
      return `webhook ${callback_url} is disabled: its deliveries failed${date}`;
    });

export const webhookChanges = (
  { path, owner, scope, wanted, current = [] }: WebhookList,
  { lineOf }: ReadConfig,
  refuse: Refuse,
): WebhookChange[] => {
  for (const [{ callback_url }] of sameUrls(current))
    refuse(path, `the service has several webhooks for ${callback_url}. Delete all but one with webhooks delete`);
  const common = { kind: 'webhook', owner, scope } as const;
  const written = wanted.flatMap((entry, index): WebhookChange[] => {
    const place = [...path, index];
    const found = current.find(({ callback_url }) => callback_url === entry.url);
    const [before, after] = [found ? normalEvents(found.events) : null, normalEvents(entry.events)];
    if (isDeepStrictEqual(before, after)) return [];
    const keys = 'write signing_key_env, signing_key_file or signing_key: none';
    if (keySourcesOf(entry).length === 0)
      refuse(place, `is ${found ? 'replaced by a new webhook' : 'new'}, so it needs a signing key: ${keys}`);
    const { signing_key_env: variable, signing_key_file: file } = entry;
    const source = file === undefined ? variable : `file ${file}`;
    const signing_key = { before: found ? 'the current one' : null, after: source ? `from ${source}` : 'none' };
    const fields = { events: { before, after }, signing_key };
    const what = { ...common, path: place, line: lineOf(place), label: entry.url, wanted: entry, fields };
    return [found ? { ...what, action: 'replace', uri: String(found.uri) } : { ...what, action: 'create' }];
  });
  const deleted = current
    .filter(({ callback_url }) => wanted.every(({ url }) => url !== callback_url))
    .map(({ callback_url, uri, events }): WebhookChange => {
      const fields = { events: { before: normalEvents(events), after: null } };
      const what = { ...common, path, line: lineOf(path), label: String(callback_url), uri: String(uri) };
      return { ...what, action: 'delete', fields };
    });
  return [...written, ...deleted];
};
