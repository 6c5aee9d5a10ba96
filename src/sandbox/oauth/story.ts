import { oauthPaths } from '../../api/oauth-paths.ts';
import { isObject, jsonIn } from '../../base/json.ts';
import type { HttpRequest } from '../../http/message.ts';
import { basicIn, expiredRule, isForm, tokenIn } from './authenticate.ts';
import { forgottenRule } from './clients.ts';

/** The steps of a client, in the order of a login. */
export const steps = ['discovery', 'registration', 'authorize', 'token', 'refresh', 'call'] as const;

type Step = (typeof steps)[number];

/** What a request was for a client. */
export interface OAuthFacts {
  step: Step;
  /** The ID of the client, if the request or its token has one. */
  client: string | null;
  /** The rule that the client missed, in a sentence. */
  missed: string | null;
}

interface LoggedRequest {
  number: number;
  status: number | null;
  oauth: OAuthFacts | null;
}

const longestId = 200;

const formIn = (request: HttpRequest): URLSearchParams => new URLSearchParams(isForm(request) ? request.body : '');

/** The step, and the client if the request names one. `clientOf` finds the client of a token. */
export const oauthFacts = (
  request: HttpRequest,
  url: URL,
  { status, body, missed }: { status: number; body: string; missed?: string | undefined },
  clientOf: (token: string) => string | undefined,
): OAuthFacts | null => {
  const { pathname, searchParams } = url;
  const facts = (step: Step, client: string | null | undefined, why = missed): OAuthFacts => ({
    step,
    client: client?.slice(0, longestId) ?? null,
    missed: why ?? null,
  });
  if (pathname.startsWith('/.well-known/')) return facts('discovery', null);
  if (pathname === oauthPaths.register) {
    const reply = status === 201 ? jsonIn(body) : undefined;
    return facts('registration', isObject(reply) ? String(reply.client_id) : null);
  }
  if (pathname === oauthPaths.authorize)
    return request.method === 'GET' ? facts('authorize', searchParams.get('client_id')) : null;
  if (pathname === oauthPaths.token || pathname === oauthPaths.device) {
    const form = formIn(request);
    const step = form.get('grant_type') === 'refresh_token' ? 'refresh' : 'token';
    return facts(step, form.get('client_id') ?? basicIn(request)?.id);
  }
  const inAddress = searchParams.get('access_token');
  if (inAddress !== null)
    return facts(
      'call',
      clientOf(inAddress),
      'RFC 6750 §2.3: send the token in the header Authorization, never in a URL.',
    );
  const token = tokenIn(request.headers.authorization);
  const client = token === undefined ? undefined : clientOf(token);
  return client === undefined ? null : facts('call', client);
};

/** What a client did in one step, one after the other with the same result. */
export interface StoryLine {
  client: string | null;
  step: Step;
  requests: number;
  status: number | null;
  /** Only at the first step that went wrong. */
  missed: string | null;
}

/** Missed by a client that goes on after the metadata. */
export const issuerRule =
  "RFC 8414 §3.3: don't use metadata whose issuer is another one than the address that it was asked from.";

/** So many calls with an expired token, and no new token after them, are a mistake: one is how a client learns of it. */
const mostExpired = 3;

type ClientRequest = LoggedRequest & { oauth: OAuthFacts };

/** The first request at which the client missed a rule. `registered` is the last registration of any client. */
const firstWrong = (requests: readonly ClientRequest[], registered: number): number | undefined => {
  const hasStopped = requests.every(({ oauth }) => oauth.step === 'discovery');
  const isRenewal = ({ status, oauth: { step } }: ClientRequest) =>
    step === 'refresh' || (step === 'token' && status === 200);
  const renewed = requests.findLast(isRenewal)?.number ?? 0;
  const ignored = requests.filter(({ number, oauth }) => oauth.missed === expiredRule && number > renewed);
  /** Rules that a request alone doesn't show to be missed. */
  const proofs: Partial<Record<string, (request: ClientRequest) => boolean>> = {
    [expiredRule]: (request) => ignored.length >= mostExpired && ignored.includes(request),
    [forgottenRule]: ({ number }) => number > registered,
    [issuerRule]: () => !hasStopped,
  };
  return requests.find((request) => {
    const { step, missed } = request.oauth;
    return missed !== null && (proofs[missed]?.(request) ?? (step !== 'discovery' || hasStopped));
  })?.number;
};

/**
 * What each client of the log did, step by step, and the rule that it missed at the first step that went wrong. Requests
 * without a client, such as discovery, belong to the client that comes next.
 */
export const storiesIn = (log: readonly LoggedRequest[]): StoryLine[] => {
  const byClient = new Map<string | null, ClientRequest[]>();
  const registered = log.findLast(({ oauth }) => oauth?.step === 'registration')?.number ?? 0;
  let waiting: ClientRequest[] = [];
  for (const { number, status, oauth } of log) {
    if (oauth === null || status === null) continue;
    waiting.push({ number, status, oauth });
    if (oauth.client === null) continue;
    byClient.set(oauth.client, [...(byClient.get(oauth.client) ?? []), ...waiting]);
    waiting = [];
  }
  if (waiting.length > 0) byClient.set(null, waiting);
  return [...byClient].flatMap(([client, requests]) => {
    const wrong = firstWrong(requests, registered);
    const lines: StoryLine[] = [];
    for (const { number, status, oauth } of requests) {
      const last = lines.at(-1);
      const missed = number === wrong ? oauth.missed : null;
      if (last?.step === oauth.step && last.status === status && last.missed === missed) last.requests += 1;
      else lines.push({ client, step: oauth.step, requests: 1, status, missed });
    }
    return lines;
  });
};
