import { ageText } from '../../output/progress.ts';
import type { View } from '../../output/view.ts';

const bytesText = ({ bytes }: object & { bytes?: unknown }): string => `${(Number(bytes) / 1e6).toFixed(1)} MB`;

const windowOf = ({ since, until }: { since?: unknown; until?: unknown }): string =>
  `${String(since).slice(0, 10)} to ${String(until).slice(0, 10)}`;

const ageOf = ({ complete, age_seconds: age }: { complete?: unknown; age_seconds?: unknown }): string =>
  complete === true ? ageText(Number(age) * 1000) : 'not complete';

export const statusView: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 5 },
    { header: 'SERVICE', path: 'base_url', priority: 4 },
    { header: 'ORGANIZATION', path: 'organization_name', priority: 3 },
    { header: 'AGE', path: 'age_seconds', value: ageOf, priority: 4 },
    { header: 'EVENTS', path: 'events', as: 'count', priority: 2 },
    { header: 'INVITEES', path: 'invitees', as: 'count', priority: 2 },
    { header: 'SIZE', path: 'bytes', value: bytesText, priority: 1 },
    { header: 'FILE', path: 'file', priority: 1 },
  ],
  page: {
    lines: [
      {
        label: 'Mirror of',
        value: ({ organization_name: name, base_url: url }) => `${name ?? 'the account'} at ${url}`,
      },
      { label: 'Age', value: ageOf },
      { label: 'As of', value: 'as_of', as: 'time' },
      { label: 'Events', value: 'events', as: 'count' },
      { label: 'Window', value: windowOf },
      { label: 'Invitees', value: 'invitees', as: 'count' },
      { label: 'Lists missing', value: 'missing_lists', as: 'count' },
      { label: 'Oldest list', value: 'oldest_list', as: 'time' },
      { label: 'Not read', value: ({ not_read: lists }) => (lists as string[]).join(', ') || undefined },
      { label: 'Forgotten', value: 'forgotten', as: 'count' },
      { label: 'Size', value: bytesText },
      { label: 'File', value: 'file' },
    ],
  },
  id: 'name',
};

export const statusFields =
  'name base_url organization organization_name complete as_of age_seconds syncing_since since until events invitees missing_lists oldest_list not_read forgotten bytes file'.split(
    ' ',
  );
