import { readdirSync } from 'node:fs';

/**
 * One HTTP exchange, typed by hand from the service's documentation, and from our own decisions where it is silent.
 * Transcripts don't import `src/api`, so that they catch mistakes made there.
 */
export interface Transcript {
  /** Method, path and query, with URL-encoded references; the full URL if it isn't on the API's host. */
  line: string;
  headers: Record<string, string>;
  body?: unknown;
  status: number;
  reply: Record<string, unknown>;
  /** Fields that may contain more than is shown. */
  open?: string[];
}

/** The user of the documentation. */
export const user = {
  uri: 'https://api.example.com/users/USER_ID',
  name: 'Grace Hopper',
  slug: 'grace',
  email: 'grace@example.com',
  scheduling_url: 'https://example.com/grace',
  timezone: 'America/New_York',
  avatar_url: 'https://example.com/grace.png',
  created_at: '2026-01-01T10:00:00.000000Z',
  updated_at: '2026-01-01T10:00:00.000000Z',
  current_organization: 'https://api.example.com/organizations/ORGANIZATION_ID',
  locale: 'en',
  resource_type: 'User',
};

/** Headers of a request without a body. */
export const plain = {
  accept: 'application/json',
  'user-agent': 'sched/VERSION',
  authorization: 'Bearer ACCESS_TOKEN',
};

/** Headers of a request with a JSON body. */
export const json = { ...plain, 'content-type': 'application/json' };

export const lastPage = (count: number) => ({
  count,
  next_page: null,
  previous_page: null,
  next_page_token: null,
  previous_page_token: null,
});

/** Loads all transcripts by noun and verb; there is one file per noun. */
export const loadTranscripts = async (): Promise<Record<string, Transcript>> => {
  const directory = new URL('./transcripts/', import.meta.url);
  const files = readdirSync(directory);
  const loaded = await Promise.all(
    files.map(async (file): Promise<{ transcripts: Record<string, Transcript> }> => {
      const address = new URL(file, directory).href;
      return import(/* @vite-ignore */ address);
    }),
  );
  return Object.assign({}, ...loaded.map(({ transcripts }) => transcripts));
};
