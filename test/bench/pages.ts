import { createServer } from 'node:http';
import { unlimitedHeaders } from '../../src/sandbox/rules/rate-limits.ts';

export const pageSize = 100;

/** A record as long as the sandbox's events. */
const event = (index: number) => ({
  uri: `http://127.0.0.1/scheduled_events/EVENT${index}`,
  name: 'Intro call',
  meeting_notes_plain: null,
  meeting_notes_html: null,
  status: 'active',
  start_time: '2026-11-15T18:00:00.000000Z',
  end_time: '2026-11-15T18:30:00.000000Z',
  event_type: 'http://127.0.0.1/event_types/YBL6DUNR9FS4PNP6',
  location: { type: 'google_conference', location: null, join_url: 'https://meet.example/abc-defg', status: 'pushed' },
  invitees_counter: { total: 1, active: 1, limit: 1 },
  created_at: '2026-11-01T09:00:00.000000Z',
  updated_at: '2026-11-01T09:00:00.000000Z',
  event_memberships: [
    { user: 'http://127.0.0.1/users/XYCWQX76WEER7A9Y', user_email: 'owner@people.example', user_name: 'Zoë Müller' },
  ],
});

/**
 * Serves lists of events as fast as Node can: `/N/scheduled_events` has N events. Every page has the same records, but
 * its own token, which is the page number.
 */
export const pagesServer = () => {
  const records = JSON.stringify(Array.from({ length: pageSize }, (_, index) => event(index)));
  const me = JSON.stringify({ resource: { uri: 'http://127.0.0.1/users/U', current_organization: 'O' } });
  return createServer((request, response) => {
    const [, rows, path] = /^\/(\d+)\/(\w+)/.exec(request.url!) ?? [];
    const page = Number(/page_token=(\d+)/.exec(request.url!)?.[1] ?? 0);
    const isLast = (page + 1) * pageSize >= Number(rows);
    const next = isLast ? null : String(page + 1);
    const body =
      path === 'users' ? me : `{"collection":${records},"pagination":${JSON.stringify({ next_page_token: next })}}`;
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...unlimitedHeaders,
      })
      .end(body);
  });
};
