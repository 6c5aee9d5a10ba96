import { valueAt } from '../../../output/fields.ts';
import type { Page, PageLine } from '../../../output/view.ts';
import { moment } from '../../operation/view-values.ts';

const sources: Readonly<Record<string, string>> = { file: 'credential file' };

/** Where the token is stored. */
export const tokenSource = (path: string): PageLine => ({
  label: 'Token',
  value: (record) => {
    const source = String(valueAt(record, path));
    return sources[source] ?? source;
  },
});

const kinds: Readonly<Record<string, string>> = { oauth: 'login', pat: 'personal access token', token: 'access token' };

export const loginPage: Page = {
  title: 'user_name',
  lines: [
    { label: 'Status', value: 'status', as: 'status' },
    { label: 'Service', value: 'base_url' },
    { label: 'Profile', value: 'profile' },
    tokenSource('source'),
    { label: 'Kind', value: ({ kind }) => kinds[String(kind)] },
    { label: 'Valid until', value: moment('expires_at') },
    { label: 'Scopes', value: ({ scopes }) => (Array.isArray(scopes) ? scopes.join(' ') : undefined) },
    { label: 'User ID', value: 'user', as: 'id' },
    { label: 'Organization ID', value: 'organization', as: 'id' },
  ],
};
