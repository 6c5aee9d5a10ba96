import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { scopes } from '../../../src/api/scopes.ts';
import { serve } from '../../../src/sandbox/server/http-server.ts';
import { openWorld, parametersOf, type World } from '../world.ts';

const path = '/.well-known/oauth-protected-resource';

describe('mcp', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  it('describes the requested address, without a token or an envelope', async () => {
    const { status, body } = await world.get(`http://localhost:9999${path}`, {}, { token: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      resource: 'http://localhost:9999',
      authorization_servers: ['http://localhost:9999'],
      scopes_supported: Object.keys(scopes),
      bearer_methods_supported: ['header'],
    });
    expect((await world.get(path, {}, { token: 'wrong' })).body.resource).toBe('http://127.0.0.1:4010');
  });

  it('rejects a query and other methods', async () => {
    expect(parametersOf((await world.get(path, { verbose: '1' })).body)).toEqual(['verbose']);
    expect((await world.call('POST', path)).status).toBe(405);
    expect((await world.get('/.well-known/other')).status).toBe(404);
  });

  it('uses the host name the server was reached by', async () => {
    const server = await serve(world.send, { port: 0 });
    /** Sends the host name in the header only; the connection always goes to the same address. */
    const askAs = (host: string) =>
      new Promise<string>((resolve, reject) => {
        const sent = request(server.url + path, { headers: { host } }, async (reply) => {
          let text = '';
          for await (const chunk of reply) text += chunk;
          resolve(JSON.parse(text).resource);
        });
        sent.on('error', reject).end();
      });
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`])
      expect(await askAs(host)).toBe(`http://${host}`);
    await server.close();
  });
});
