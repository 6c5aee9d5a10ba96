import { beforeEach, describe, expect, test } from 'vitest';
import { once } from '../../src/base/once.ts';
import type { Send } from '../../src/http/message.ts';
import {
  createWorld,
  isWrite,
  jsonOf,
  replying,
  type TestWorld,
  terminals,
  type WorldOptions,
} from '../support/run.ts';
import { sample } from '../support/tier.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

const asking = (answer: string): WorldOptions => ({ terminals, stdin: `${answer}\n` });
const json = async (line: string, more: WorldOptions = {}) =>
  JSON.parse((await world.run(`${line} --json`, more)).stdout);
/** A service that doesn't know the paths of deletions. */
const without: Send = (request) =>
  request.method === 'DELETE' ? replying({ status: 404, body: '{}' })(request) : world.service(request);
/** The reply to the first deletion is lost. */
const losing = (): Send => {
  let isFirst = true;
  return async (request) => {
    const reply = await world.service(request);
    if (request.method !== 'DELETE' || !isFirst) return reply;
    isFirst = false;
    return { ...reply, status: 503, body: '' };
  };
};

describe('members remove', () => {
  test('names the role and the upcoming events, and removes the member after a yes', async () => {
    const refused = await world.run('members remove "Kofi Mensah"', asking('n'));
    expect([refused.code, refused.requests.filter(isWrite)]).toEqual([12, []]);
    expect(refused.screen).toMatch(
      /^Remove Kofi Mensah from the organization\?\nRole: user\nUpcoming events: 7: Wed 18 Nov 14:00 Support call, /,
    );
    const { code, stderr, stdout } = await world.run('members remove "Kofi Mensah"', asking('y'));
    // A person reads that once, in the sentence.
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Removed: Kofi Mensah\n');
    expect((await world.run('members get "Kofi Mensah"')).code).toBe(6);
    const [entry] = await json('activity list --limit 1 --sort occurred_at:desc');
    expect(entry).toMatchObject({ fully_qualified_name: 'OrganizationMembership.Delete', details: { role: 'user' } });
  });

  test.each([
    ['me', 'sandbox_owner', 'Amara Lindqvist is the owner of the organization'],
    ['me', 'sandbox_admin', "You can't remove yourself"],
  ])('refuses %s of %s', async (who, token, words) => {
    const env = { SCHED_TOKEN: token };
    const { code, stderr, requests } = await world.run(`members remove ${who} --yes`, { env });
    expect([code, requests.filter(isWrite)]).toEqual([2, []]);
    expect(stderr).toContain(words);
  });

  test('says that the service does not offer it, and believes a lost reply', async () => {
    const refused = await world.run('members remove "Kofi Mensah" --yes', { send: without });
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining("The service doesn't offer DELETE /org"),
    ]);
    const lost = await world.run('members remove "Kofi Mensah" --yes', { send: losing() });
    expect([lost.code, lost.requests.filter(isWrite).length]).toEqual([0, 2]);
  });
});

describe('invitations', () => {
  test('are created and revoked after a yes', async () => {
    const asked = await world.run('invitations create --email ada@engine.example', asking('n'));
    expect([asked.code, asked.requests.filter(isWrite)]).toEqual([12, []]);
    expect(asked.screen).toContain('Invite ada@engine.example to join the organization and send an email?\n');
    const created = await json('invitations create --email ada@engine.example --yes');
    expect(created).toMatchObject({ email: 'ada@engine.example', status: 'pending' });
    expect((await world.run('invitations create --email ADA@engine.example --yes')).code).toBe(7);
    const revoked = await world.run(`invitations revoke ${created.uri}`, asking('y'));
    expect([revoked.code, revoked.stderr]).toEqual([
      0,
      expect.stringContaining('Revoke the invitation of ada@engine.example?\n'),
    ]);
    await json('invitations create --email eve@engine.example --yes');
    expect(await json('invitations revoke eve@engine.example --yes')).toMatchObject({ status: 'revoked' });
    const again = await world.run(`invitations revoke ${created.uri} --yes`);
    expect([again.code, again.requests.filter(isWrite)]).toEqual([6, []]);
    expect((await json('invitations list')).map(({ email }: { email: string }) => email)).not.toContain(created.email);
  });

  test('can be chosen from the pending ones, and are not revoked twice after a lost reply', async () => {
    const chosen = await world.run('invitations revoke --accessible', { ...asking('1\ny'), send: losing() });
    expect([chosen.code, chosen.requests.filter(isWrite).length]).toEqual([0, 2]);
    expect(chosen.stderr).toMatch(/^Which invitation\?\n1: yasmin\.farouk@northlight\.example\n/);
    const [pending] = await json('invitations list --status pending');
    const refused = await world.run(`invitations revoke ${pending.uri} --yes`, { send: without });
    expect(refused.stderr).toContain("The service doesn't offer DELETE /organization_invitations/");
  });

  test('are asked about by sched api too', async () => {
    const { code, stderr } = await world.run('api POST /organization_invitations -f email=ada@engine.example');
    expect([code, stderr]).toEqual([12, expect.stringContaining('invite the person in the body')]);
  });
});

describe('invitees no-show --undo', () => {
  /** Every world has the same data. */
  const missed = once(async (): Promise<string> => {
    const events = await json('events list --past --with invitees');
    const people = events.flatMap(({ _sched }: { _sched: { invitees: object[] } }) => _sched.invitees);
    return people.find(({ no_show }: { no_show: unknown }) => no_show !== null).uri;
  });

  test('takes the mark back after a yes', async () => {
    const uri = await missed();
    const asked = await world.run(`invitees no-show ${uri} --undo`, asking('n'));
    expect([asked.code, asked.requests.filter(isWrite)]).toEqual([12, []]);
    expect(asked.screen).toMatch(/^Undo the no-show of .+\?\n {2}\w{3} \d+ \w{3} .+ · .+\n/);
    const { code, stderr, requests } = await world.run(`invitees no-show ${uri} --undo`, asking('y'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('No longer marked as no-show: ')]);
    expect(requests.filter(isWrite).map(({ url }) => url)).toEqual([expect.stringContaining('/invitee_no_shows/')]);
    expect(await json(`invitees get ${uri}`)).toMatchObject({ no_show: null });
    const again = await json(`invitees no-show ${uri} --undo`);
    expect(again._sched).toEqual({ already: true });
    expect(await json(`invitees no-show ${uri}`)).toMatchObject({ no_show: { uri: expect.any(String) } });
  });

  test('says that the service does not offer it, and believes a lost reply', async () => {
    const uri = await missed();
    const refused = await world.run(`invitees no-show ${uri} --undo --yes`, { send: without });
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining("doesn't offer DELETE /invitee_no_shows"),
    ]);
    const lost = await world.run(`invitees no-show ${uri} --undo --yes`, { send: losing() });
    expect([lost.code, lost.requests.filter(isWrite).length]).toEqual([0, 2]);
  });

  test('needs the event, and a mark with a URI', async () => {
    const uri = await missed();
    const invitee = uri.split('/').at(-1)!;
    // Alone, an ID is that of an event.
    const alone = await world.run(`invitees no-show ${invitee} --undo --yes`);
    expect([alone.code, alone.stderr, alone.requests.filter(isWrite)]).toEqual([
      6,
      expect.stringContaining(`No event with ID ${invitee}\n`),
      [],
    ]);
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/"no_show":\{[^}]*\}/g, '"no_show":{"uri":"../x y"}') };
    };
    const { code, requests } = await world.run(`invitees no-show ${uri} --undo --yes`, { send });
    expect([code, requests.filter(isWrite)]).toEqual([13, []]);
  });
});

describe('the organization', () => {
  test("is the token's own by default", async () => {
    const own = jsonOf(await world.run('orgs get --json'));
    expect(own.plan).toBe('enterprise');
    expect(jsonOf(await world.run(`org get ${own.uri} --json=uri`))).toEqual({ uri: own.uri });
  });

  test.each(
    sample(
      [
        'members list',
        'invitations list',
        'groups list',
        'groups relationships',
        'routing-forms list',
        'activity list --limit 30',
      ],
      3,
    ),
  )('is the default scope of %s', async (line) => {
    const { requests, code, stdout } = await world.run(`${line} --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).length).toBeGreaterThan(1);
    expect(requests.at(-1)!.url).toContain('organization=');
    expect(requests.at(-1)!.url).not.toContain('user=');
  });

  test('has members that can be named by email address', async () => {
    const { requests } = await world.run('events list --user jonas.weber@northlight.example --limit 1 --json');
    const { searchParams } = new URL(requests.at(-1)!.url);
    expect(searchParams.get('user')).toMatch(/\/users\//);
    expect(searchParams.get('organization')).toMatch(/\/organizations\//);
    expect((await world.run('events list --user nobody@northlight.example')).code).toBe(6);
  });

  test.each(['me', 'Amara.Lindqvist@northlight.example'])(
    'lists group relationships of the owner %s',
    async (owner) => {
      const [member] = jsonOf(await world.run('members list --user me --json'));
      const relationships = jsonOf(await world.run(`groups relationships --owner ${owner} --json`));
      expect(relationships.length).toBeGreaterThan(0);
      expect(relationships).toEqual(jsonOf(await world.run(`groups relationships --owner ${member.uri} --json`)));
      expect((await world.run('groups relationships --owner nobody@northlight.example')).code).toBe(6);
    },
  );

  test('lists the events of a group', async () => {
    const [group] = jsonOf(await world.run('groups list --json=uri'));
    const events = jsonOf(await world.run(`groups events ${group.uri} --json=uri`));
    expect(events.length).toBeGreaterThan(0);
    expect((await world.run('groups events')).code).toBe(2);
  });

  test('lists the form submissions of one form, and of all', async () => {
    const forms = jsonOf(await world.run('routing-forms list --json=uri'));
    let sum = 0;
    for (const { uri } of forms) sum += jsonOf(await world.run(`routing-forms submissions ${uri} --json=uri`)).length;
    expect(sum).toBeGreaterThan(10);
    expect(jsonOf(await world.run('routing-forms submissions --json=uri --page-size 7'))).toHaveLength(sum);
    expect(jsonOf(await world.run('routing-forms submissions --json=uri --limit 5'))).toHaveLength(5);
    expect(await world.run('routing-forms submissions --sort name')).toMatchObject({ code: 2, requests: [] });
  });
});

describe('invitations list', () => {
  test('shows the fields that came if they are those of the documentation', async () => {
    const item = {
      uri: 'http://127.0.0.1:4010/organization_invitations/I1',
      name: 'Acme',
      kind: 'individual',
      plan: 'pro',
    };
    const body = JSON.stringify({ collection: [{ ...item, created_at: '2026-11-01T09:00:00Z' }], pagination: {} });
    const send: Send = async (request) =>
      request.url.includes('/organization_invitations') ? { status: 200, headers: {}, body } : world.service(request);
    const { screen } = await world.run('invitations list', { send, terminals: ['stdout'], columns: 120 });
    expect(screen).toBe(
      'Invitations\nNAME  KIND        PLAN  CREATED AT (Europe/Paris)  ID\nAcme  individual  pro   Sun 1 Nov 10:00            I1\n',
    );
  });
});
