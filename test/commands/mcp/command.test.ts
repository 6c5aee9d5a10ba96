import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, type Result, type TestWorld } from '../../support/run.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('mcp metadata', () => {
  const env = { SCHED_MCP_URL: 'http://127.0.0.1:4010' };

  test('is requested without a token', async () => {
    const { code, stdout, requests } = await world.run('mcp metadata --json', { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).resource).toBe('http://127.0.0.1:4010');
    expect(requests).toHaveLength(1);
    expect(Object.keys(requests[0]!.headers)).not.toContain('authorization');
  });

  describe('of a server with a path', () => {
    const at = { SCHED_MCP_URL: 'http://127.0.0.1:4010/v1/mcp/' };
    const [own, host] = ['/.well-known/oauth-protected-resource/v1/mcp', '/.well-known/oauth-protected-resource'];
    /** A server with these documents, and a page for every other path. */
    const serving =
      (documents: Record<string, string>, status = 404): Send =>
      async ({ url }) => {
        const resource = documents[new URL(url).pathname];
        return resource === undefined
          ? { status, headers: { 'content-type': 'text/html' }, body: '<p>no</p>' }
          : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ resource }) };
      };
    /** Without repetitions: a page instead of JSON is asked for again. */
    const paths = ({ requests }: Result) => [...new Set(requests.map(({ url }) => new URL(url).pathname))];
    const root = 'http://127.0.0.1:4010';

    test('comes after the path of the metadata', async () => {
      const found = await world.run('mcp metadata', { env: at, send: serving({ [own]: `${root}/v1/mcp` }) });
      expect([found.code, paths(found)]).toEqual([0, [own]]);
      const planned = await world.run('mcp metadata --dry-run', { env: at });
      expect(JSON.parse(planned.stdout).url).toBe(`${root}${own}`);
    });

    test.each([
      [404, root],
      [200, `${root}/v1/mcp`],
    ])('falls back to the metadata of its host after a page with status %i', async (status, resource) => {
      const found = await world.run('mcp metadata', { env: at, send: serving({ [host]: resource }, status) });
      expect([found.code, paths(found)]).toEqual([0, [own, host]]);
    });

    test('must describe it, and is not replaced by that of the host if it may exist', async () => {
      const other = await world.run('mcp metadata', { env: at, send: serving({ [own]: root, [host]: root }) });
      expect([other.code, paths(other)]).toEqual([13, [own]]);
      const away = await world.run('mcp metadata', { env: at, send: serving({ [host]: root }, 501) });
      expect([away.code, paths(away)]).toEqual([9, [own]]);
    });
  });

  test('must describe the requested resource', async () => {
    const send = async () => ({ status: 200, headers: {}, body: '{"resource":"https://other.example"}' });
    expect((await world.run('mcp metadata', { env, send })).code).toBe(13);
  });

  test('needs the URL of the MCP server', async () => {
    expect((await world.run('mcp metadata')).code).toBe(3);
  });
});
