import { describe, expect, test } from 'vitest';
import { addressProblem, readAddress, shownAddress, storedAddressProblem } from '../../../src/state/redis/address.ts';

describe('address of the shared state', () => {
  test.each([
    ['redis://h', 'redis://h:6379/0'],
    ['rediss://h:7000/3', 'rediss://h:7000/3'],
    ['redis://me@h', 'redis://me@h:6379/0'],
    ['redis://me:s3cret%40word@h', 'redis://me:…@h:6379/0'],
    ['redis://:s3cretword@[::1]:1/', 'redis://:…@[::1]:1/0'],
  ])('%s is shown as %s', (url, shown) => {
    expect(addressProblem(url)).toBeUndefined();
    expect(shownAddress(readAddress(url))).toBe(shown);
  });

  test('has a decoded login', () => {
    expect(readAddress('rediss://me%3A:p%40ss%2Fword@h:1/2')).toEqual({
      host: 'h',
      port: 1,
      isTls: true,
      database: 2,
      username: 'me:',
      password: 'p@ss/word',
    });
  });

  test.each([
    '',
    'h:6379',
    'unix:///tmp/redis',
    'http://h',
    'redis:/h',
    'redis://',
    'redis://h/a',
    'redis://h#x',
    'redis://h/1/2',
  ])('is refused: %j', (url) => {
    expect(addressProblem(url)).toEqual(expect.any(String));
  });

  test.each(['redis://me:s3cretword@h/x', 'redis://me:%zzs3cretword@h', 'redis://me:s3cretword@h?x'])(
    'is not repeated in its problem: %s',
    (url) => {
      expect(addressProblem(url)).not.toContain('s3cretword');
    },
  );

  test('has no password in a profile', () => {
    expect(storedAddressProblem('redis://me@h')).toBeUndefined();
    expect(storedAddressProblem('redis://me:s3cretword@h')).toMatch(/^a profile stores no password/);
  });
});
