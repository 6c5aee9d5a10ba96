import { openSandbox, type SandboxOptions } from '../../../src/sandbox/open.ts';
import { readWorld } from '../../../src/sandbox/world/file.ts';
import { closeLater } from '../../support/temporary.ts';
import { noon, origin } from '../world.ts';

/** A sandbox in memory with a clock that stands still. */
export const openAt = async (time = noon, options: Partial<SandboxOptions> = {}) => {
  const sandbox = await openSandbox({ file: ':memory:', clock: { now: () => time }, limits: false, ...options });
  closeLater(() => sandbox.close());
  const call = async (method: string, path: string, body?: unknown, token = 'sandbox_owner') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = path.startsWith('http') ? path : `${origin}${path}`;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await sandbox.service({ method, url, headers, ...sent });
    return { status: reply.status, text: reply.body, body: JSON.parse(reply.body || '{}') };
  };
  return { ...sandbox, call };
};

export type OpenSandbox = Awaited<ReturnType<typeof openAt>>;

/** Reads a world file that has no problems. */
export const worldIn = (text: string, now = noon) => {
  const read = readWorld(text, 'world.yaml', now);
  if (!read.ok) throw new Error(read.problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
  return read.value;
};

/** Every reply to a GET request of the owner: all lists page by page, and each record. */
export const everyBody = async ({ call }: OpenSandbox): Promise<Map<string, string>> => {
  const bodies = new Map<string, string>();
  const get = async (path: string) => {
    const { text, body } = await call('GET', path);
    bodies.set(path.replace(origin, ''), text);
    return body;
  };
  const walk = async (path: string, query: Record<string, string> = {}): Promise<Array<{ uri: string }>> => {
    const found: Array<{ uri: string }> = [];
    let next: string | null = `${path}?${new URLSearchParams({ ...query, count: '100' })}`;
    while (next) {
      const page: { collection?: Array<{ uri: string }>; pagination?: { next_page: string | null } } = await get(next);
      found.push(...(page.collection ?? []));
      next = page.pagination?.next_page ?? null;
    }
    return found;
  };
  const each = async (records: Array<{ uri: string }>) => {
    for (const { uri } of records) await get(uri);
    return records.map(({ uri }) => uri);
  };
  const { current_organization: organization } = (await get('/users/me')).resource;
  await get(organization);
  const members = await walk('/organization_memberships', { organization });
  await each(members);
  for (const { user } of members as unknown as Array<{ user: { uri: string } }>) {
    await get(user.uri);
    await get(`/locations?${new URLSearchParams({ user: user.uri })}`);
    await each(await walk('/webhook_subscriptions', { organization, scope: 'user', user: user.uri }));
  }
  for (const group of await each(await walk('/groups', { organization })))
    await each(await walk('/webhook_subscriptions', { organization, scope: 'group', group }));
  await each(await walk('/webhook_subscriptions', { organization, scope: 'organization' }));
  await each(await walk('/group_relationships', { organization }));
  for (const event_type of await each(await walk('/event_types', { organization }))) {
    await walk('/event_type_availability_schedules', { event_type });
    await walk('/event_type_memberships', { event_type });
  }
  for (const event of await each(await walk('/scheduled_events', { organization })))
    await each(await walk(`${event}/invitees`));
  await walk('/organization_invitations', { organization });
  for (const { uri: form } of await walk('/routing_forms', { organization }))
    await walk('/routing_form_submissions', { form });
  await walk('/activity_log_entries', { organization });
  return bodies;
};
