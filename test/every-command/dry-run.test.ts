import { describe, expect, test } from 'vitest';
import { createWorld, type Result } from '../support/run.ts';

const world = await createWorld();

const sent = ({ requests }: Result) => requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);

/** A write for each kind of record, with an ID that nobody has. */
const lines = [
  ['events cancel ZZZZ', 'No event with ID ZZZZ'],
  ['events cancel ZZZZ YYYY', 'No event with ID ZZZZ'],
  ['invitees no-show ZZZZ YYYY', 'No invitee with ID YYYY'],
  ['event-types update http://127.0.0.1:4010/event_types/ZZZZ --name A', 'No event type with ID ZZZZ'],
  ['members remove http://127.0.0.1:4010/organization_memberships/ZZZZ', 'No member with ID ZZZZ'],
  ['invitations revoke ZZZZ', 'No invitation with the ID ZZZZ'],
  ['webhooks delete ZZZZ', 'No webhook with ID ZZZZ'],
];

describe('--dry-run', () => {
  test.each(lines)('of %s says that it does not exist', async (line, message) => {
    const result = await world.run(`${line} --dry-run`);
    expect([result.code, result.stderr]).toEqual([6, expect.stringContaining(message)]);
    expect(result.stdout).toBe('');
    expect(sent(result).every((each) => each.startsWith('GET'))).toBe(true);
  });

  test.each(lines)('of %s with --no-check sends nothing', async (line) => {
    const { code, stdout, requests } = await world.run(`${line} --dry-run --no-check`);
    expect([code, requests]).toEqual([0, []]);
    expect(stdout).toContain('"method"');
  });

  test('with --no-check takes no name, and is needed for --no-check', async () => {
    const named = await world.run('events cancel next -n --no-check');
    expect([named.code, named.requests]).toEqual([2, []]);
    expect(named.stderr).toContain('--no-check sends none');
    const alone = await world.run('events cancel ZZZZ --no-check --yes');
    expect([alone.code, alone.requests]).toEqual([2, []]);
  });

  test('prints a write to what the token may change but not read', async () => {
    const send: typeof world.service = async () => ({ status: 403, headers: {}, body: '{}' });
    expect((await world.run('events cancel ZZZZ -n', { send })).code).toBe(0);
  });
});

test('a list without its scope names that scope, although the organization is unknown too', async () => {
  const env = { SCHED_TOKEN: 'sandbox_events_only' };
  const groups = await world.run('groups list', { env });
  expect([groups.code, groups.stderr]).toEqual([5, expect.stringContaining('groups:read')]);
  expect(groups.stderr).not.toContain('--user');
  // A token that may read groups, but not its user.
  const send: typeof world.service = async (request) =>
    request.url.endsWith('/users/me') ? { status: 403, headers: {}, body: '{}' } : world.service(request);
  const open = await world.run('groups list', { send });
  expect(open.stderr).toContain('add --org ID, or set SCHED_ORG');
  expect(open.stderr).not.toContain('--user');
});
