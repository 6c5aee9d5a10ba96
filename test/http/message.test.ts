import { describe, expect, test } from 'vitest';
import { requestIdOf } from '../../src/http/message.ts';

// R49
describe('the ID of a request', () => {
  const idOf = (id: string) => requestIdOf({ status: 200, headers: { 'x-request-id': id }, body: '' });

  test.each([
    'mi3kx1-4',
    '0b2f6d1e-3c4a-4f5b-8c7d-9e0f1a2b3c4d',
    '01JCV0W2M5Y7Z8A9B0C1D2E3F4',
    '1-67891233-abcdef012345678912345678',
    '8e2f4f3a6b7c1234-FRA',
    'dGhpcyBpcyBub3QgYW4gYWRkcmVzcw==',
  ])('%s is kept', (id) => {
    expect(idOf(id)).toBe(id);
  });

  test('is dropped if it spells an email address', () => {
    for (const address of [
      'ada@engine.example',
      'ada.lovelace+x@a.b-c.example',
      'ü@engine.example',
      'a@bücher.example',
    ]) {
      const bytes = Buffer.from(address);
      const spellings = ['hex', 'base64', 'base64url'] as const;
      for (const text of [address, address.replace('@', '=40'), ...spellings.map((each) => bytes.toString(each))])
        for (const id of [text, `req-${text}`, `r:${text}.1`]) expect([id, idOf(id)]).toEqual([id, undefined]);
    }
  });
});
