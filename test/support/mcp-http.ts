import { randomBytes } from 'node:crypto';
import {
  type Client,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type ConnectOptions, createClient } from './mcp-client.ts';
import { createWorld, network, someday } from './run.ts';
import { seededFile } from './seeded.ts';
import { startServing } from './serving.ts';
import { temporaryDirectory } from './temporary.ts';

/** `sandbox start` in this process, with an operator who has a login of their own. Its clock and timers are the test's. */
export const serveMcp = async (flags: string[] = [], env: Record<string, string> = {}) => {
  const world = await createWorld({ home: temporaryDirectory('mcp-http'), send: network, randomBytes });
  const clock = { time: someday, now: () => clock.time, sleep: async () => {} };
  const timers = new Set<() => void>();
  const { text, stop } = await startServing(world.run, ['--json', '--data', await seededFile(someday), ...flags], {
    clock,
    env,
    every: (_, call) => {
      timers.add(call);
      return () => void timers.delete(call);
    },
  });
  const { base_url: url, admin_token: secret } = JSON.parse(text);
  const tick = () => {
    for (const call of timers) call();
  };
  /** A request of the operator, such as `GET log`. */
  const admin = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { 'x-sandbox-admin': secret }, ...(body && { body: JSON.stringify(body) }) };
    return (await fetch(`${url}/__sandbox/${path}`, init)).json();
  };
  return { url: url as string, mcp: `${url}/mcp`, clock, tick, stop, admin };
};

export type McpSandbox = Awaited<ReturnType<typeof serveMcp>>;

/** The person at the consent page: gets its address, and returns where the browser is sent. */
export type Person = (page: URL) => Promise<string>;

/** Allows everything as this user, without a browser. */
export const allowing =
  (user = 'owner'): Person =>
  async (page) => {
    const text = await (await fetch(page)).text();
    const ticket = /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const form = new URLSearchParams({ ticket, user, decision: 'allow' });
    const reply = await fetch(new URL('/oauth/authorize', page), { method: 'POST', body: form, redirect: 'manual' });
    return reply.headers.get('location')!;
  };

/** What an official client stores between its steps. */
const createProvider = (person: Person, redirectUrl: string) => {
  const stored: {
    client?: StoredOAuthClientInformation | undefined;
    tokens?: StoredOAuthTokens | undefined;
    found?: OAuthDiscoveryState;
    verifier?: string;
    sent?: URL;
  } = {};
  const keep =
    <Name extends keyof typeof stored>(name: Name) =>
    (value: (typeof stored)[Name]): void => {
      stored[name] = value;
    };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'A client of the tests', redirect_uris: [redirectUrl] },
    clientInformation: () => stored.client,
    saveClientInformation: keep('client'),
    tokens: () => stored.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: async (page) => {
      stored.sent = new URL(await person(page));
    },
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => stored.verifier!,
    invalidateCredentials: () => {
      stored.tokens = undefined;
    },
    saveDiscoveryState: keep('found'),
    discoveryState: () => stored.found,
  };
  return { provider, stored };
};

type How = Pick<ConnectOptions, 'answer' | 'isModern'>;

/** The official client with a token that it already has. */
export const connectWith = async (mcp: string, token: string, how: How = {}, fetch?: FetchLike) => {
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(mcp), {
    requestInit: { headers },
    ...(fetch && { fetch }),
  });
  const client = createClient(how);
  await client.connect(transport);
  return { client, transport };
};

/** The official client, which finds the login, registers, lets the person log in, and connects. */
export const logInAndConnect = async (
  mcp: string,
  person: Person,
  redirectUrl = 'http://127.0.0.1:51515/callback',
  onError: (error: Error) => void = () => {},
) => {
  const { provider, stored } = createProvider(person, redirectUrl);
  const client: Client = createClient({});
  const first = new StreamableHTTPClientTransport(new URL(mcp), { authProvider: provider });
  await client.connect(first).catch(onError);
  await first.finishAuth(stored.sent!.searchParams);
  await first.close();
  const transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider: provider });
  await client.connect(transport);
  return { client, transport, stored };
};
