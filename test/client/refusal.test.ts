import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import { blamesParameter, forbiddenBy, refusalOf, subjectIn } from '../../src/client/refusal.ts';

const get = { method: 'GET', url: 'https://api.example.com/users/me?x=1', headers: {} };
const post = { method: 'POST', url: 'https://api.example.com/invitees', headers: {}, body: '{}', isBooking: true };

const reply = (status: number, body: unknown = {}, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** A read of this path. */
const at = (path: string) => ({ ...get, url: `https://api.example.com${path}?a=b`, subject: subjectIn(path) });

/** A 404 that is about a record. */
const gone = reply(404, { title: 'Resource Not Found', message: "The event doesn't exist." });

const reasonOf = (body: unknown, status = 400) => refusalOf(get, reply(status, body)).facts.reason;

describe('refusal', () => {
  test.each([
    [400, 'usage', 'usage'],
    [401, 'auth', 'auth'],
    [403, 'forbidden', 'forbidden'],
    [404, 'not-found', 'not-found'],
    [405, 'usage', 'usage'],
    [408, 'unavailable', 'outcome-unknown'],
    [409, 'conflict', 'conflict'],
    [413, 'usage', 'usage'],
    [422, 'usage', 'usage'],
    [424, 'unavailable', 'unavailable'],
    [429, 'rate-limited', 'rate-limited'],
    [500, 'unavailable', 'outcome-unknown'],
    [502, 'unavailable', 'outcome-unknown'],
    [503, 'unavailable', 'outcome-unknown'],
    [504, 'unavailable', 'outcome-unknown'],
    [301, 'integrity', 'integrity'],
    [302, 'integrity', 'integrity'],
    [304, 'integrity', 'integrity'],
    [307, 'integrity', 'integrity'],
  ])('with status %i is %s for a read and %s for a write', (status, read, write) => {
    expect(refusalOf(get, reply(status)).category).toBe(read);
    const written = refusalOf(post, reply(status));
    expect(written.category).toBe(write);
    expect(written.facts.outcome).toBe(write === 'outcome-unknown' ? 'unknown' : 'not-applied');
  });

  test('is a conflict if all its details are about the time of a booking', () => {
    const of = (...names: unknown[]) =>
      reply(400, { details: names.map((parameter) => ({ parameter, message: 'no' })) });
    expect(refusalOf(post, of('start_time')).category).toBe('conflict');
    expect(refusalOf(post, of('start_time', 'invitee.email')).category).toBe('usage');
    expect(refusalOf(post, of()).category).toBe('usage');
    expect(refusalOf(post, reply(422, of('start_time').body)).category).toBe('usage');
    expect(refusalOf({ ...post, isBooking: false }, of('start_time')).category).toBe('usage');
    expect(refusalOf(get, of('start_time')).category).toBe('usage');
  });

  test.each([
    ['/scheduled_events/E1', 'No event with ID E1'],
    ['/v1/scheduled_events/E1/invitees', 'No event with ID E1'],
    ['/scheduled_events/E1/invitees/I1', 'No invitee with ID I1'],
    ['/invitees/I1/no_show', 'No invitee with ID I1'],
    ['/event_types/T1', 'No event type with ID T1'],
    ['/users/me', 'The service found nothing at /users/me'],
    ['/event_types', 'The service found nothing at /event_types'],
    ['/constructor/x', 'The service found nothing at /constructor/x'],
  ])('with status 404 names the record of %s', (path, message) => {
    expect(refusalOf(at(path), gone).message).toBe(message);
  });

  test.each([
    '{}',
    '',
    '<h1>Not Found</h1>',
    '{"message":"Not Found"}',
    '{"error":"not_found"}',
    '{"message":"no Route matched"}',
  ])('with status 404 and %s names the path, which the service may not have', (body) => {
    const { message, facts } = refusalOf(at('/organizations/O1'), reply(404, body));
    expect(message).toBe('The service found nothing at /organizations/O1');
    expect(facts.advice).toContain('may also not have this path');
  });

  test.each([
    ['assumed', "sched assumes this path: the documentation doesn't show it"],
    ['documented', 'check the base URL'],
  ] as const)('with status 404 says that the service lacks a path that is %s', (path, advice) => {
    const { message, facts } = refusalOf({ ...at('/groups'), path }, reply(404, '{"message":"Not Found"}'));
    expect([message, facts.advice]).toEqual(['This service has no /groups', advice]);
    expect(facts.hint).toEqual({ command: ['doctor'], flags: { api: true } });
    expect(refusalOf({ ...at('/groups'), path }, gone).message).toBe('The service found nothing at /groups');
  });

  test('with status 404 names the record of every path in the catalogue', async () => {
    const operations = Object.values(await loadCatalogue()).flatMap((rows) => Object.values(rows));
    const paths = operations.map(({ path }) => path).filter((path) => path.includes('{'));
    const messageOf = (path: string) => refusalOf(at(path.replaceAll(/[{}]/g, '')), gone).message;
    expect(paths.filter((path) => !messageOf(path).startsWith('No '))).toEqual([]);
    const ofRecords = operations.filter(({ path, method }) => method === 'GET' && /^\/\w+\/\{\w+\}$/.test(path));
    expect(ofRecords.map(({ path }) => messageOf(path).split(' with ')[0])).toEqual(
      ofRecords.map(({ reply }) => `No ${reply.of.name}`),
    );
  });

  test.each([
    [405, "The service doesn't support POST /shares"],
    [406, "The service can't reply with JSON"],
    [413, 'The request is too large for the service'],
    [415, "The service doesn't accept the content type of the request"],
    [422, 'The service rejected the input'],
  ])('with status %i says what the service does not take', (status, message) => {
    const request = { ...post, url: 'https://api.example.com/shares?x=1' };
    expect(refusalOf(request, reply(status)).message).toBe(message);
  });

  test.each([
    ['Insufficient scope: No.', 'scope'],
    ['Permission Denied: Please upgrade to the Enterprise plan.', 'plan'],
    ['Please upgrade.', 'plan'],
    ['Permission Denied: Only an admin or the owner of the organization can do this.', 'role'],
    ['Permission Denied: The planning team is closed.', 'role'],
    ['HTTP 403', 'role'],
  ])('with status 403 and "%s" is about the %s', (words, about) => {
    expect(forbiddenBy(words)).toBe(about);
  });

  test('says that the time is not available only for a booking', () => {
    expect(refusalOf(post, reply(409)).message).toBe("That time isn't available");
    expect(refusalOf({ ...post, isBooking: false }, reply(409)).message).toBe('The service reported a conflict');
  });

  test.each<[string, unknown, string]>([
    ['title and message', { title: 'Permission Denied', message: 'Not yours.' }, 'Permission Denied: Not yours.'],
    ['a title alone', { title: 'Resource Not Found' }, 'Resource Not Found'],
    [
      'a title that the message repeats',
      { title: 'Already Exists', message: 'It already exists.' },
      'It already exists.',
    ],
    ['a title that is the status', { title: 'Status 400', message: 'Wrong.' }, 'Wrong.'],
    ['the status alone', { title: 'HTTP 400' }, 'HTTP 400'],
    ['the OAuth form', { error: 'invalid_grant', error_description: 'It was used.' }, 'invalid_grant: It was used.'],
    [
      'details, dotted and indexed',
      {
        title: 'Invalid Argument',
        message: 'Wrong.',
        details: [
          { parameter: 'tracking.utm_content', message: 'is too long', code: 'length' },
          { parameter: 'questions_and_answers[0].question', message: 'is unknown' },
          { message: 'and more' },
        ],
      },
      'Invalid Argument: Wrong.; tracking.utm_content: is too long; questions_and_answers[0].question: is unknown; and more',
    ],
    [
      'the scopes that are needed',
      { title: 'Insufficient scope', message: 'No.', required_scopes: ['users:read', 'groups:read'] },
      'Insufficient scope: No. (needs users:read, groups:read)',
    ],
    ['nothing of an empty object', {}, 'HTTP 400'],
    ['nothing of an empty body', '', 'HTTP 400'],
    ['nothing of HTML', '<html><script>alert(1)</script></html>', 'HTTP 400'],
    ['nothing of an array', [1, 2], 'HTTP 400'],
    ['nothing of null', 'null', 'HTTP 400'],
    [
      'nothing of other shapes',
      { title: 5, message: { a: 1 }, details: { parameter: 'x' }, required_scopes: 'users:read', error: [] },
      'HTTP 400',
    ],
    ['what fits among details that do not', { details: [null, 7, 'text', { message: 1 }, { message: 'yes' }] }, 'yes'],
  ])('quotes %s', (_, body, reason) => {
    expect(reasonOf(body)).toBe(reason);
  });

  test("cuts the service's text to 500 characters", () => {
    expect(reasonOf({ title: 'T', message: 'x'.repeat(10_000) })).toHaveLength(500);
    expect(reasonOf({ details: Array.from({ length: 1000 }, () => ({ message: 'again' })) })).toHaveLength(500);
    const scopes = { title: 'T', required_scopes: Array.from({ length: 1000 }, () => 'users:read') };
    expect(reasonOf(scopes)!.length).toBeLessThan(600);
  });

  test('includes the request ID, the status, the method and the path without its query', () => {
    const { facts } = refusalOf(get, reply(500, {}, { 'x-request-id': 'r-7' }));
    expect(facts.http).toEqual({ status: 500, method: 'GET', path: '/users/me', requestId: 'r-7' });
    expect(facts.reason).toBe('the service had an internal error [request r-7]');
    for (const id of ['r'.repeat(10_000), 'a\x1b[31m', 'ann@example.com'])
      expect(refusalOf(get, reply(500, {}, { 'x-request-id': id })).facts.reason).toBe(
        'the service had an internal error',
      );
  });

  test('tells whether its details name a parameter', () => {
    const stale = reply(400, { details: [{ parameter: 'page_token', message: 'x' }] });
    expect(blamesParameter(stale, 'page_token')).toBe(true);
    expect(blamesParameter(stale, 'count')).toBe(false);
    for (const body of ['', '[]', 'null', '<p>', '{"details":"page_token"}', '{"details":[null]}'])
      expect(blamesParameter(reply(400, body), 'page_token')).toBe(false);
  });
});
