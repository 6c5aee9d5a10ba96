import { describe, expect, test } from 'vitest';
import { failureOf } from '../../src/client/outcome.ts';
import { contentOf, withContent } from '../../src/client/read-reply.ts';
import type { HttpReply } from '../../src/http/message.ts';

const reply = (body: string): HttpReply => ({ status: 200, headers: {}, body });

describe('content', () => {
  test.each([
    ['{"a":1}', { json: { a: 1 } }],
    ['null', { json: null }],
    ['', 'empty'],
    [' \n', 'empty'],
    ['<p>', 'unreadable'],
    ['{"a":', 'unreadable'],
  ])('of %j is %j', (body, content) => {
    expect(contentOf(reply(body))).toEqual(content);
  });

  test('is parsed only once', async () => {
    const known = await withContent(async () => reply('{"a":1}'))({
      method: 'GET',
      url: 'https://x.example',
      headers: {},
    });
    // A second parse would show this other body.
    const later = { ...known, body: '<p>' };
    expect(contentOf(later)).toBe(known.content);
    expect(failureOf(later)).toBeUndefined();
  });
});
