import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';

/** Every secret starts with this, so that a leak can be found anywhere. */
export const canary = 'canary';

const secret = (kind: string) => `${canary}-${kind}-${randomBytes(9).toString('base64url')}`;

interface Family {
  refresh: string;
  accesses: Set<string>;
  spent: Set<string>;
  /** The reply to the token that was spent last. */
  last?: { token: string; reply: HttpReply };
  revoked: boolean;
}

/** A strict authorization server: single-use codes, PKCE, rotation, and reuse revokes the family. */
export const createOAuthServer = (
  options: {
    expiresIn?: number;
    /** Token requests are handled once this resolves. */
    hold?: Promise<void>;
    /** The reply is sent once this resolves. The token is spent by then. */
    holdReply?: () => Promise<void>;
    /** Whether the token that was spent last gets the same reply again, as within a replay window. */
    replays?: boolean;
  } = {},
) => {
  const codes = new Map<string, { challenge: string; redirectUri: string; clientId: string }>();
  const families: Family[] = [];
  const counts = { code: 0, refresh: 0, refused: 0, reuse: 0, replayed: 0, revoke: 0, overlapping: 0 };
  let inFlight = 0;
  let override: Partial<HttpReply> | undefined;

  const json = (status: number, value: unknown): HttpReply => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
  const refuse = (error: string) => {
    counts.refused += 1;
    return json(400, { error, error_description: 'no' });
  };
  const issue = (family: Family) => {
    family.refresh = secret('refresh');
    const access = secret('access');
    family.accesses.add(access);
    return json(200, {
      access_token: access,
      refresh_token: family.refresh,
      token_type: 'Bearer',
      scope: 'users:read',
      expires_in: options.expiresIn ?? 7200,
      created_at: 1,
      owner: 'https://api.example.com/users/U1',
      organization: 'https://api.example.com/organizations/O1',
    });
  };
  const newFamily = (): Family => {
    const family: Family = { refresh: '', accesses: new Set(), spent: new Set(), revoked: false };
    families.push(family);
    return family;
  };

  const token = (form: URLSearchParams): HttpReply => {
    if (form.get('grant_type') === 'authorization_code') {
      counts.code += 1;
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const fits =
        code?.challenge === challenge &&
        code.redirectUri === form.get('redirect_uri') &&
        code.clientId === form.get('client_id');
      return fits ? issue(newFamily()) : refuse('invalid_grant');
    }
    counts.refresh += 1;
    const given = form.get('refresh_token') ?? '';
    const family = families.find((each) => each.refresh === given || each.spent.has(given));
    const { last } = family ?? {};
    if (last?.token === given && options.replays) {
      counts.replayed += 1;
      return last.reply;
    }
    if (family?.spent.has(given)) {
      counts.reuse += 1;
      family.revoked = true;
    }
    if (family === undefined || family.revoked) return refuse('invalid_grant');
    family.spent.add(given);
    const reply = issue(family);
    family.last = { token: given, reply };
    return reply;
  };

  const send: Send = async (request: HttpRequest) => {
    const { pathname } = new URL(request.url);
    if (override !== undefined) {
      if (pathname === '/oauth/token') counts.code += 1;
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}', ...override };
    }
    const form = new URLSearchParams(request.body);
    if (pathname === '/oauth/revoke') {
      counts.revoke += 1;
      return json(200, {});
    }
    if (pathname !== '/oauth/token' || request.method !== 'POST') return json(404, {});
    if (inFlight > 0) counts.overlapping += 1;
    inFlight += 1;
    await options.hold;
    const reply = token(form);
    inFlight -= 1;
    await options.holdReply?.();
    return reply;
  };

  return {
    send,
    counts,
    families,
    /** Replies to every token request with this. */
    answerWith: (reply: Partial<HttpReply> | undefined) => {
      override = reply;
    },
    /** The user clicks Allow. Returns the redirect that the browser follows. */
    allow: (authorizeUrl: string, more: Record<string, string> = {}): string => {
      const { searchParams } = new URL(authorizeUrl);
      const code = secret('code');
      const redirectUri = searchParams.get('redirect_uri')!;
      codes.set(code, {
        challenge: searchParams.get('code_challenge')!,
        redirectUri,
        clientId: searchParams.get('client_id')!,
      });
      const url = new URL(redirectUri);
      const parameters = { code, state: searchParams.get('state')!, ...more };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    /** Creates a finished login. */
    start: (): { access: string; refresh: string } => {
      const { body } = issue(newFamily());
      const reply = JSON.parse(body);
      return { access: reply.access_token, refresh: reply.refresh_token };
    },
  };
};

/** Serves a `Send` on a socket, for other processes. */
export const serve = async (send: Send) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = await send({
      method: request.method ?? '',
      url: `http://127.0.0.1${request.url}`,
      headers: {},
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  server.keepAliveTimeout = 1;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
