import { describe, expect, it } from 'vitest';
import { openSandbox, type SandboxOptions } from '../../../src/sandbox/open.ts';
import { recordTables } from '../../../src/sandbox/store/migrations.ts';
import type { Store } from '../../../src/sandbox/store/store.ts';
import { seededFile } from '../../support/seeded.ts';
import { closeLater, temporaryFile } from '../../support/temporary.ts';
import { amara, at, noon, openWorld, organization, system } from '../world.ts';

const open = async (options: Omit<SandboxOptions, 'clock'>) => {
  const sandbox = await openSandbox({ clock: system, ...options });
  closeLater(() => sandbox.close());
  return sandbox;
};

const kindIn = (store: Store) =>
  store.first<{ kind: string }>("SELECT doc ->> 'kind' AS kind FROM organizations")!.kind;
const members = (store: Store) => store.all('SELECT 1 FROM memberships').length;

describe('an individual organization', () => {
  it('has its owner, with their own event types and events, and nobody else', async () => {
    const file = temporaryFile();
    (await open({ file, kind: 'individual' })).close();
    const world = await openWorld({ file });
    expect((await world.get(new URL(organization).pathname)).body.resource.kind).toBe('individual');
    const people = await world.walk('/organization_memberships', { organization });
    expect(people.map(({ role, user }) => [role, user.uri])).toEqual([['owner', amara]]);
    expect(await world.walk('/groups', { organization })).toEqual([]);
    expect((await world.get('/users/me', {}, { token: 'sandbox_admin' })).status).toBe(401);
    const types = await world.walk('/event_types', { organization });
    expect(types.map(({ name }) => name)).toContain('Intro call');
    expect(types.filter(({ pooling_type }) => pooling_type !== null)).toEqual([]);
    expect((await world.walk('/scheduled_events', { organization })).length).toBeGreaterThan(10);
    expect((await world.book('intro-call', at('08:00'))).status).toBe(200);
    // No record refers to somebody who isn't there, and no submission led to an event type that isn't.
    const results = world.store.all<{ value: string }>(
      "SELECT doc ->> '$.result.value' AS value FROM submissions WHERE doc ->> '$.result.type' = 'event_type'",
    );
    expect(results.length).toBeGreaterThan(0);
    for (const { value } of results) expect((await world.get(value)).status).toBe(200);
    const users = recordTables.flatMap(
      (table) => JSON.stringify(world.store.all(`SELECT doc FROM ${table}`)).match(/\/users\/\w+/g) ?? [],
    );
    expect([...new Set(users)]).toEqual([new URL(amara).pathname]);
    expect(world.store.all('PRAGMA foreign_key_check')).toEqual([]);
  });

  it('invites nobody until it is a team', async () => {
    const file = temporaryFile();
    const sandbox = await open({ file, world: 'empty', kind: 'individual' });
    const world = await openWorld({ file });
    const invite = () =>
      world.call('POST', '/organization_invitations', { body: { organization, email: 'new@x.example' } });
    expect((await invite()).status).toBe(403);
    sandbox.close();
    expect(members((await open({ file, kind: 'team' })).store)).toBe(1);
    expect((await invite()).body.resource.kind).toBe('team');
  });

  it('is not made of a team that is there, because that would delete what its members did', async () => {
    const file = await seededFile(noon);
    await expect(open({ file, kind: 'individual' })).rejects.toThrow('has 9 members');
    const { store } = await open({ file });
    expect([kindIn(store), members(store)]).toEqual(['team', 9]);
  });

  it('is made by a reset, and stays one if the sandbox was opened so', async () => {
    const { store, reset } = await open({ file: ':memory:', world: 'empty' });
    reset({ kind: 'individual' });
    expect([kindIn(store), members(store)]).toEqual(['individual', 1]);
    reset();
    expect([kindIn(store), members(store)]).toEqual(['team', 9]);
    const other = await open({ file: ':memory:', world: 'empty', kind: 'individual' });
    other.reset();
    expect([kindIn(other.store), members(other.store)]).toEqual(['individual', 1]);
  });
});
