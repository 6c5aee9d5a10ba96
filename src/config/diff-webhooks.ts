import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../json.ts';
import type { ConfigPath, ReadConfig, WantedWebhook, WebhookChange } from './model.ts';
import { normalEvents } from './normalize.ts';
import { keySourcesOf } from './read-file.ts';

/** A list of webhooks of the file, and those that the service has. */
export interface WebhookList {
  path: ConfigPath;
  owner: string;
  scope: WebhookChange['scope'];
  wanted: readonly WantedWebhook[];
  current: readonly Json[];
}

/** URLs that the service has more than once in a list: it is not clear which of them an entry is. */
export const repeatedUrls = (webhooks: readonly Json[]): string[] => {
  const urls = webhooks.map(({ callback_url }) => String(callback_url));
  return [...new Set(urls.filter((url, index) => urls.indexOf(url) < index))];
};

export const webhookNotes = (webhooks: readonly Json[]): string[] =>
  webhooks
    .filter(({ state }) => state === 'disabled')
    .map(({ callback_url, retry_started_at: since }) => {
      const date = typeof since === 'string' ? ` since ${since.slice(0, 10)}` : '';
      return `webhook ${callback_url} is disabled: its deliveries failed${date}`;
    });

export const webhookChanges = (
  { path, owner, scope, wanted, current }: WebhookList,
  { lineOf }: ReadConfig,
  refuse: (path: ConfigPath, message: string) => void,
): WebhookChange[] => {
  for (const url of repeatedUrls(current))
    refuse(path, `the service has several webhooks for ${url}. Delete all but one with sched webhooks delete`);
  const common = { kind: 'webhook', owner, scope } as const;
  const written = wanted.flatMap((entry, index): WebhookChange[] => {
    const place = [...path, index];
    const found = current.find(({ callback_url }) => callback_url === entry.url);
    const [before, after] = [found ? normalEvents(found.events) : null, normalEvents(entry.events)];
    if (isDeepStrictEqual(before, after)) return [];
    if (keySourcesOf(entry).length === 0)
      refuse(
        place,
        `is ${found ? 'replaced by a new webhook' : 'new'}, so it needs a signing key: write signing_key_env, signing_key_file or signing_key: none`,
      );
    const what = { ...common, path: place, line: lineOf(place), label: entry.url, wanted: entry };
    const fields = { events: { before, after } };
    return [
      found ? { ...what, action: 'replace', uri: String(found.uri), fields } : { ...what, action: 'create', fields },
    ];
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
