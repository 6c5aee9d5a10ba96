import { describe, expect, test } from 'vitest';
import type { SchedError } from '../../src/base/errors.ts';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import { shippedDialects } from '../../src/dialects/read.ts';

const read = (text: string) => readDialect({ place: 'acme.yaml', text });

/** The lines of the error for a file. */
const problems = async (text: string): Promise<string> => {
  const error: SchedError = await read(text).then(
    () => expect.fail('the file should be refused'),
    (error) => error,
  );
  expect(error.category).toBe('environment');
  return error.facts.lines!.join('\n');
};

const withOperations = (lines: string): string => `dialect: 1\nname: acme\noperations:\n  ${lines}\n`;

describe('a dialect', () => {
  test.each(Object.keys(shippedDialects))('%s, which comes with sched, has no problems', async (name) => {
    expect((await read(shippedDialects[name]!)).name).toBe(name);
  });

  /** R54: the file and what is said about it. */
  const refused: [title: string, line: string, words: string][] = [
    ['a path on another host', 'users.me: { path: "https://evil.example/users/me" }', 'a path begins with /'],
    [
      'a path without a scheme on another host',
      'users.me: { path: "//evil.example/users" }',
      '"" can\'t be part of a path',
    ],
    ['a path with ..', 'users.me: { path: /users/../admin }', '".." can\'t be part of a path'],
    ['a path with a query', 'users.me: { path: "/users/me?admin=1" }', '"me?admin=1" can\'t be part of a path'],
    ['a path with a fragment', 'users.me: { path: "/users/me#x" }', '"me#x" can\'t be part of a path'],
    ['an encoded path', 'users.me: { path: "/users/%2e%2e" }', '"%2e%2e" can\'t be part of a path'],
    [
      'capital letters, which a lenient router ignores',
      'events.get: { path: "/scheduled_events/{event}/Cancellation" }',
      '"Cancellation" can\'t be part',
    ],
    ['a read that writes', 'events.get: { method: POST }', 'events.get only reads, so it must be GET'],
    ['a write that is sent as a read', 'events.cancel: { method: GET }', "events.cancel can't be GET"],
    [
      'a GET that cancels',
      'events.get: { path: "/scheduled_events/{event}/cancellation" }',
      "its path can't contain cancellation",
    ],
    [
      'a change that deletes',
      'event-types.update: { method: DELETE }',
      "event-types.update doesn't delete, so it can't be DELETE",
    ],
    [
      'a deletion behind an update',
      'event-types.update: { path: "/data_compliance/{event_type}" }',
      "its path can't contain data_compliance",
    ],
    [
      'a booking behind a share',
      'shares.create: { path: /invitees }',
      'POST /invitees is the address of invitees.create',
    ],
    [
      'a booking behind a no-show',
      "invitees.no-show: { path: /invitees, body: { invitee: '{invitee}' } }",
      'POST /invitees is the address of invitees.create',
    ],
    ['a booking behind a placeholder', "webhooks.create: { path: '/{organization|id}' }", 'is the address of'],
    [
      'a removal behind another one',
      "webhooks.delete: { path: '/organization_memberships/{webhook}' }",
      'is the address of members.remove',
    ],
    [
      'two moved writes with one address',
      'shares.create: { path: /new }\n  webhooks.create: { path: /new }',
      'POST /new is the address of',
    ],
    [
      'a name that is no input',
      "invitations.list: { path: '/a/{organisation|id}' }",
      '{organisation} is not an input of invitations.list; did you mean organization?',
    ],
    [
      'a name from the prototype',
      "shares.create: { body: { a: '{__proto__}', b: '{constructor}' } }",
      '{__proto__} is not an input of shares.create',
    ],
    ['an ID of what is no URI', "events.list: { path: '/events/{status|id}' }", '{status} is no URI'],
    ['a record that nothing names', 'events.get: { path: /event }', 'nothing says which event is meant: use {event}'],
    [
      'half of an input',
      "invitees.create: { body: { utm: '{tracking.utm_source}' } }",
      'tracking would lose {tracking.utm_campaign}',
    ],
    [
      'a field that the record lacks',
      "events.get: { reply: { record: { id: '{urn}' } } }",
      '{urn} is not a field of the event; did you mean uri?',
    ],
    [
      'a lacking input that is none',
      'events.list: { lacks: [groups] }',
      'groups is not an input of events.list; did you mean group?',
    ],
    [
      'a needed input that is none',
      'event-types.update: { needs: [zone] }',
      'zone is not an input of event-types.update',
    ],
    ['a body of a read', "events.list: { body: { a: '{status}' } }", 'events.list only reads, so it has no body'],
    ['a creation that is read back', 'shares.create: { reply: { read_back: true } }', 'only a change can be read back'],
    [
      'an unknown operation',
      'invitation.list: {}',
      'unknown operation invitation.list; did you mean invitations.list?',
    ],
    ['an operation of another server', 'mcp.metadata: { path: /x }', 'mcp.metadata is not part of the API'],
    ['a key that decides on consent', 'events.cancel: { confirm: false }', '"confirm" is not a field here'],
    ['braces that are no name', "shares.create: { body: { a: '{event_type' } }", 'braces are only for names'],
  ];

  test.each(refused)("can't have %s", async (_, line, words) => {
    expect(await problems(withOperations(line))).toContain(words);
  });

  test("can't have unknown records, or fields that a record lacks", async () => {
    const text = 'dialect: 1\nname: acme\nrecords:\n  invites: { a: "{uri}" }\n  invitee: { a: "{urn}" }\n';
    expect(await problems(text)).toMatch(
      /unknown record invites; did you mean invitee\?[\s\S]*\{urn\} is not a field of the invitee/,
    );
  });

  test('is refused with all problems at once, each with its line', async () => {
    const text = withOperations(
      'events.gett: {}\n  events.list:\n    lacks: [nothing]\n  shares.create: { path: /invitees }',
    );
    expect(await problems(text)).toMatchInlineSnapshot(`
      "error: acme.yaml has 3 problems
        acme.yaml:4:3: unknown operation events.gett; did you mean events.get?
            events.gett: {}
        acme.yaml:6:13: nothing is not an input of events.list
            lacks: [nothing]
        acme.yaml:7:26: POST /invitees is the address of invitees.create
            shares.create: { path: /invitees }"
    `);
  });

  test.each([
    ['more than 1 MiB', `dialect: 1\nname: acme\n# ${'x'.repeat(10_000_000)}`, 'larger than 1 MiB'],
    [
      'aliases that explode',
      `dialect: 1\nname: acme\noperations:\n  shares.create: { body: { a: &a [x,x,x,x,x,x,x,x,x], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b], d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c], e: [*d,*d,*d,*d,*d,*d,*d,*d,*d] } }`,
      'aliases stand for too much',
    ],
    ['a key twice', 'dialect: 1\nname: acme\nname: other', 'the same key is here twice'],
  ])("can't have %s", async (_, text, words) => {
    expect(await problems(text)).toContain(words);
  });
});
