import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { addCanary } from '../support/canary.ts';

export const clientSecret = 'canary secret+of/the=client:with%signs';
addCanary(clientSecret);

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const client = {
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', deviceGrant],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/callback'],
};

const configuration = {
  clients: [
    { ...client, client_id: 'native', token_endpoint_auth_method: 'none' },
    { ...client, client_id: 'secret', client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_basic' },
  ],
  clientAuthMethods: ['none', 'client_secret_basic'],
  cookies: { keys: ['a key for tests'] },
  features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
  pkce: { methods: ['S256'], required: () => true },
  rotateRefreshToken: true,
  scopes: ['openid', 'offline_access', 'users:read'],
};

/** An OpenID provider that sched's authors did not write, with its own paths below `/id`, and an API for its tokens. */
export const startProvider = async () => {
  const globals = new Set(Object.getOwnPropertyNames(globalThis));
  let provider: Provider | undefined;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '' } = request;
    if (url.startsWith('/id/')) {
      // As express does for an application below a path.
      Object.assign(request, { originalUrl: url, url: url.slice('/id'.length) });
      return provider!.callback()(request, response);
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const found = await provider!.AccessToken.find(token);
    const me = {
      uri: `${origin}/users/${found?.accountId}`,
      name: 'Ada',
      current_organization: `${origin}/organizations/O`,
    };
    response.writeHead(found?.isValid ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found?.isValid ? { resource: me } : { title: 'Unauthenticated' }));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/id`;
  provider = new Provider(issuer, configuration);
  const grants: string[] = [];
  provider.on('grant.success', ({ oidc }) => grants.push(oidc.params.grant_type));
  const errors: Error[] = [];
  provider.on('server_error', (_, error) => errors.push(error));
  return {
    origin,
    issuer,
    /** The grant type of each token that was issued. */
    grants,
    /** Errors of the provider itself. */
    errors,
    isRefreshToken: async (token: string) => (await provider!.RefreshToken.find(token)) !== undefined,
    close: () => {
      server.closeAllConnections();
      // Its pages leave variables behind.
      for (const name of Object.getOwnPropertyNames(globalThis))
        if (!globals.has(name)) Reflect.deleteProperty(globalThis, name);
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
