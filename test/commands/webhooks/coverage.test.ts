import { beforeAll, describe, expect, it } from 'vitest';
import { webhookEvents } from '../../../src/api/webhooks.ts';
import { coverage, type Listened } from '../../../src/commands/webhooks/work-coverage.ts';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, jsonOf, outputs, type TestWorld } from '../../support/run.ts';

const origin = 'http://127.0.0.1:4010';
const uriOf = (collection: string, id: string) => `${origin}/${collection}/${id}`;
const hook = (id: string, scope: string, more: object = {}) => ({
  uri: uriOf('webhook_subscriptions', id),
  callback_url: `https://${id}.example/hooks`,
  events: ['invitee.created'],
  state: 'active',
  scope,
  ...more,
});
const [organization, user] = [uriOf('organizations', 'ORG'), uriOf('users', 'ME')];
const [inside, outside] = [uriOf('groups', 'IN'), uriOf('groups', 'OUT')];
const owners: Listened[] = [
  { scope: 'organization', owner: organization, name: 'Org' },
  { scope: 'group', owner: inside, name: 'In' },
  { scope: 'group', owner: outside, name: 'Out' },
  { scope: 'user', owner: user, name: 'Me', groups: ['IN'] },
];

describe('coverage', () => {
  /** The problems of invitee.created: of the organization, both groups, and the user. */
  const problems = (webhooks: object[], ...unread: ('organization' | 'group' | 'user')[]) =>
    coverage(webhooks as never, owners, new Set(unread))
      .filter(({ event }) => event === 'invitee.created')
      .map((row) => row.problems.join());
  const [ofOrg, ofMe] = [hook('a', 'organization'), hook('b', 'user', { user })];
  const ofGroup = hook('c', 'group', { group: inside });
  const none = 'unheard';

  it.each([
    ['nothing', [], [none, none, none, none]],
    ['the organization hears all', [ofOrg], ['', '', '', '']],
    ['a user hears only their own', [ofMe], [none, none, none, '']],
    ['a group hears its members', [ofGroup], [none, '', none, '']],
    ['webhooks of others', [hook('d', 'user', { user: uriOf('users', 'OTHER') })], [none, none, none, none]],
    ['two URLs', [ofOrg, ofMe], ['', '', '', '']],
    ['one URL twice', [ofOrg, { ...ofMe, callback_url: 'https://A.example:443/hooks' }], ['', '', '', 'overlap']],
    ['one that fails', [{ ...ofMe, retry_started_at: '2026-11-17T10:00:00Z' }, ofOrg], ['', '', '', 'failing']],
    ['one that is disabled', [{ ...ofMe, state: 'disabled' }], [none, none, none, 'unheard,disabled']],
    ['other events', [{ ...ofOrg, events: ['invitee.canceled'] }], [none, none, none, none]],
    [
      'what a service may send',
      [
        { ...ofOrg, events: 'all' },
        { scope: 'group', events: [none] },
      ],
      Array(4).fill(none),
    ],
  ])('finds what is missing: %s', (_, webhooks, expected) => {
    expect(problems(webhooks)).toEqual(expected);
  });

  it('calls nothing unheard that a webhook it could not read may hear', () => {
    expect(problems([], 'group')).toEqual([none, 'unknown', 'unknown', 'unknown']);
    expect(problems([ofGroup], 'organization')).toEqual(['unknown', '', 'unknown', '']);
  });

  it('has all events of the organization, and those of invitees for groups and users', () => {
    const eventsOf = (scope: string) =>
      coverage([], owners).filter((row) => row.scope === scope && row.owner !== outside);
    expect(eventsOf('organization').map(({ event }) => event)).toEqual(webhookEvents);
    expect([eventsOf('group').length, eventsOf('user').length]).toEqual([4, 4]);
  });
});

describe('webhooks list --coverage', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });
  const list = (flags: string, more = {}) => world.run(`webhooks list --coverage ${flags}`, more);

  it('reads the webhooks of the organization, its groups and the user', async () => {
    const result = await list('--json');
    expect([result.code, result.stderr]).toEqual([0, '']);
    const rows = jsonOf(result) as unknown as {
      scope: string;
      owner_name: string;
      event: string;
      problems: string[];
    }[];
    const found = (name: string, event: string) =>
      rows.find((row) => row.owner_name === name && row.event === event)?.problems;
    expect(found('Northlight Advisory', 'invitee_no_show.created')).toEqual(['unheard']);
    expect(found('Northlight Advisory', 'routing_form_submission.created')).toEqual([]);
    expect(found('Customer team', 'invitee_no_show.created')).toEqual(['unheard', 'disabled']);
    expect(found('Amara Lindqvist', 'invitee.created')).toEqual([]);
    expect(jsonOf(await list('--json --limit 3'))).toHaveLength(3);
  });

  it('says what the token may not read, and then calls nothing unheard', async () => {
    const { stdout, stderr, code } = await list('', { env: { SCHED_TOKEN: 'sandbox_user' } });
    expect(code).toBe(0);
    expect(stderr).toContain('Not checked: webhooks of scope organization (');
    expect(stderr).toContain('Not checked: webhooks of scope group (');
    expect(stdout).toContain('unknown');
    expect(stdout).not.toContain('unheard');
  });

  it('keeps hostile names and addresses from the terminal', async () => {
    const evil = 'x\u001b]0;evil\u0007\u202e\ny';
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const { pathname, searchParams } = new URL(request.url);
      const value = JSON.parse(reply.body);
      if (pathname === '/groups')
        value.collection = [
          { uri: inside, name: evil },
          { uri: evil, name: { a: [] } },
        ];
      else if (pathname === '/webhook_subscriptions' && searchParams.get('scope') === 'group')
        value.collection = [hook('c', 'group', { group: inside, callback_url: evil, retry_started_at: evil })];
      return { ...reply, body: JSON.stringify(value) };
    };
    const { stdout, stderr, code } = await list('', { send, terminals: outputs });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('\u0007')]);
    expect(stdout).not.toMatch(/\u001b\]|\u0007|\u202e/);
    expect(stdout).toContain('failing');
    const lines = (await list('', { send })).stdout.trimEnd().split('\n');
    expect(new Set(lines.map((line) => line.split('\t').length))).toEqual(new Set([6]));
  });

  it('refuses flags that would narrow it', async () => {
    for (const flag of ['--org current', '--user me', '--group X', '--scope group', '--page-size 20']) {
      const { code, stderr } = await list(flag);
      expect([code, stderr]).toEqual([2, expect.stringContaining("can't be used with --coverage")]);
    }
    expect(JSON.parse((await list('--dry-run')).stdout)).toHaveLength(3);
  });
});
