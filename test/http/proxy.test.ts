import { describe, expect, test } from 'vitest';
import { isLoopback } from '../../src/base/uri.ts';
import { proxyFor } from '../../src/http/proxy.ts';
import { everythingIn } from '../auth/support/memory.ts';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const proxy = 'http://proxy.example:3128';
const through = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.url;

describe('proxy', () => {
  test.each([
    ['https://api.example.com', { HTTPS_PROXY: proxy }, proxy],
    ['https://api.example.com', { https_proxy: proxy }, proxy],
    ['https://api.example.com', { HTTPS_PROXY: 'proxy.example:3128' }, proxy],
    ['https://api.example.com', { HTTPS_PROXY: '' }, undefined],
    ['https://api.example.com', { HTTP_PROXY: proxy }, undefined],
    ['http://api.example.com', { HTTP_PROXY: proxy }, proxy],
    ['http://api.example.com', { HTTPS_PROXY: proxy }, undefined],
    ['https://api.example.com', {}, undefined],
  ])('for %s with %o is %s', (url, env, expected) => {
    expect(through(url, env as Record<string, string>)).toBe(expected);
  });

  test.each([
    ['*', true],
    ['example.com', true],
    ['.example.com', true],
    ['API.EXAMPLE.COM', true],
    ['api.example.com', true],
    ['other.example, example.com', true],
    ['other.example example.com', true],
    ['example.com:443', true],
    ['example.com:8443', false],
    ['ample.com', false],
    ['api.example.com.evil', false],
    ['com.', false],
    ['', false],
    [' , ', false],
    ['other.example', false],
  ])('is bypassed with NO_PROXY=%j: %s', (list, exempt) => {
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(through('https://api.example.com/users/me', { HTTPS_PROXY: proxy, [name]: list })).toBe(
        exempt ? undefined : proxy,
      );
  });

  test('compares the port in NO_PROXY with the port of the URL', () => {
    const env = { HTTPS_PROXY: proxy, NO_PROXY: 'example.com:8443' };
    expect(through('https://api.example.com:8443', env)).toBeUndefined();
  });

  test.each([
    'http://127.0.0.1:4010',
    'http://127.9.8.7',
    'http://localhost:1',
    'https://localhost',
    'http://[::1]:4010',
  ])('is never used for %s', (url) => {
    expect(through(url, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy })).toBeUndefined();
  });

  test.each(['127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', '1127.0.0.1', '[::2]', '127.0.0.1.'])(
    'does not treat %s as a loopback address',
    (hostname) => expect(isLoopback(hostname)).toBe(false),
  );

  test.each(['http://', 'ftp://user:hunter2@proxy.example', '::::', 'http://user:hunter2%@proxy.example'])(
    'is rejected without printing it if it is invalid: %s',
    (value) => {
      const refuse = () => through('https://api.example.com', { HTTPS_PROXY: value });
      expect(refuse).toThrow('Invalid proxy in HTTPS_PROXY');
      expect(everythingIn(thrownBy(refuse))).not.toContain('hunter2');
    },
  );

  test.each([
    ['robot:p%40ss%3A1', 'robot:p@ss:1'],
    ['robot', 'robot:'],
    ['robot:', 'robot:'],
    ['r%C3%BC:ü', 'rü:ü'],
  ])('with the login %s is printed without it', (userinfo, login) => {
    expect(proxyFor(new URL('https://api.example.com'), { https_proxy: `${userinfo}@proxy.example:3128` })).toEqual({
      url: proxy,
      login: `Basic ${Buffer.from(login).toString('base64')}`,
      variable: 'https_proxy',
    });
  });
});
