import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import { decideAfterFailure, effectOf, failureOf, mayRepeat } from '../../src/client/outcome.ts';
import { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpReply } from '../../src/http/message.ts';

const reply = (status: number, body = '{}'): HttpReply => ({ status, headers: {}, body });

// R26, copied by hand from the table in docs/reliability.md.
describe('outcome', () => {
  test.each([
    ['never-sent', 'retry', 'retry', 'retry', 'retry'],
    ['lost', 'retry', 'retry', 'read-back', 'look-up'],
    ['another-shape', 'refuse', 'done', 'done', 'done'],
    ['empty', 'retry', 'done', 'done', 'done'],
    ['unreadable', 'retry', 'done', 'done', 'look-up'],
  ] as const)('of %s leads to the documented decision', (failure, read, deletion, change, creation) => {
    expect(decideAfterFailure('read', failure)).toBe(read);
    expect(decideAfterFailure('deletion', failure)).toBe(deletion);
    expect(decideAfterFailure('change', failure)).toBe(change);
    expect(decideAfterFailure('creation', failure)).toBe(creation);
  });

  test('is declared by every write of the catalogue, and by no read', async () => {
    const rows = Object.entries(await loadCatalogue()).flatMap(([noun, verbs]) =>
      Object.entries(verbs).map(([verb, row]) => [`${noun} ${verb}`, row] as const),
    );
    const effects = Object.fromEntries(rows.map(([name, row]) => [name, row.effect]).filter(([, effect]) => effect));
    expect(effects).toEqual({
      'events cancel': 'change',
      'invitees create': 'creation',
      'invitees no-show': 'change',
      'invitees undo-no-show': 'deletion',
      'members remove': 'deletion',
      'invitations create': 'creation',
      'invitations revoke': 'deletion',
      'event-types create': 'creation',
      'event-types update': 'change',
      'availability update': 'change',
      'availability update-all': 'change',
      'shares create': 'creation',
      'webhooks create': 'creation',
      'webhooks delete': 'deletion',
      'one-offs create': 'creation',
      'compliance delete': 'deletion',
    });
    for (const [, row] of rows) expect(row.effect === undefined).toBe(row.method === 'GET');
  });

  test.each([
    ['POST', 'creation'],
    ['PATCH', 'change'],
    ['PUT', 'change'],
    ['DELETE', 'change'],
  ])('of %s outside the catalogue is a %s, which is never sent again after it left', (method, effect) => {
    expect(effectOf({ method })).toBe(effect);
    const request = { method, url: 'https://x/', headers: {} };
    for (const ending of [reply(503), reply(200, '<p>'), reply(204, ''), new NetworkFailure('x', 'reset', true)])
      expect(mayRepeat(request, ending)).toBe(false);
    expect(mayRepeat(request, new NetworkFailure('x', 'refused', false))).toBe(true);
  });

  test('of a body that the network cuts off depends on its status', () => {
    const cutOff = (status?: number) => failureOf(new NetworkFailure('x', 'reset', true, { status }));
    expect([cutOff(), cutOff(503), cutOff(201)]).toEqual(['lost', 'lost', 'unreadable']);
  });

  test.each([
    [200, '{}', undefined],
    [200, '[]', undefined],
    [204, '', 'empty'],
    [200, '', 'empty'],
    [200, ' \n', 'empty'],
    [200, '<html>', 'unreadable'],
    [200, '{"resource":{"uri":"x"}', 'unreadable'],
    [201, '{"a":"}', 'unreadable'],
    [302, '', undefined],
    [400, 'x', undefined],
    [408, '{}', 'lost'],
    [424, '{}', undefined],
    [429, '', undefined],
    [500, '', 'lost'],
    [503, '{}', 'lost'],
    [599, '{}', 'lost'],
  ])('of status %i with %j is %s', (status, body, failure) => {
    expect(failureOf(reply(status, body))).toBe(failure);
  });

  test('does not require JSON outside the catalogue', () => {
    const raw = { method: 'GET', url: 'https://x/', headers: {} };
    expect(mayRepeat(raw, reply(200, 'a,b'))).toBe(false);
    expect(mayRepeat({ ...raw, effect: 'read' }, reply(200, 'a,b'))).toBe(true);
  });
});
