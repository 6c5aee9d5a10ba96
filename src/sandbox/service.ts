import { randomBytes as someBytes } from 'node:crypto';
import { oauthPaths } from '../api/oauth-paths.ts';
import type { Clock, RandomBytes } from '../base/system.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { speak } from './dialect.ts';
import { type Detail, Refusal, refusalOf, refuseInvalid } from './error-replies.ts';
import type { Caller } from './handler.ts';
import { authenticate, findHolder, type Holder, requireScope } from './oauth/authenticate.ts';
import type { OAuthOptions } from './oauth/oauth-call.ts';
import { type OAuthProfile, profiles } from './oauth/profiles.ts';
import { pageOperation } from './pages/visit.ts';
import { parseBody, parseQuery } from './parse.ts';
import { findRoute, type Route } from './route.ts';
import { carryOutDeletions, cleanFile, isDeletionDue } from './rules/deletion.ts';
import { type RateLimits, throttle, unlimitedHeaders } from './rules/rate-limits.ts';
import { requirePlan } from './rules/subscription.ts';
import { urlOf } from './server/request-url.ts';
import { type Listing, type Page, readPage } from './store/list-page.ts';
import { withOrigin } from './store/names.ts';
import type { Store } from './store/store.ts';

export interface ServiceOptions {
  store: Store;
  /** `offset`: milliseconds ahead of the computer's clock, by default 0. */
  clock: Pick<Clock, 'now'> & { readonly offset?: number };
  /** Default: true. */
  limits?: RateLimits;
  oauth?: OAuthOptions;
  /** The dialect that it speaks instead of the documented API. */
  dialect?: Dialect | undefined;
  /** Who asks, if the data is a mirror of another service: its records have their own origin, and requests no token. */
  mirror?: { caller: Caller; dialect: Dialect | undefined } | undefined;
  /** Names that it is reached by beside its loopback address, with or without a port. */
  hosts?: readonly string[] | undefined;
  /** The origin of links in replies. Default: the one that the request came to. */
  origin?: (() => string) | undefined;
  /** Source of randomness for secrets. */
  randomBytes?: RandomBytes;
  /** Gets an internal error before it is replied to with 500. */
  onError?: (error: unknown) => void;
}

const oauthAddresses: readonly string[] = Object.values(oauthPaths);

/** When a request is answered, and the headers of its reply so far. */
interface Moment {
  now: number;
  headers: Record<string, string>;
}

interface LoadedCode {
  isRead: boolean;
  answer(moment: Moment): HttpReply;
}

/** The list and its filters, without the position: a page token only works for the same list. */
const listOf = (url: URL, caller: Caller | undefined): string => {
  const filters = [...url.searchParams].filter(([name]) => name !== 'page_token' && name !== 'count');
  return JSON.stringify([caller?.user, url.pathname, ...filters.sort()]);
};

const recordText = (record: unknown): string => (typeof record === 'string' ? record : JSON.stringify(record));

/** A list that is never split has the envelope of every list. */
const wholeList = (records: unknown[]): Page => ({
  items: records.map(recordText).join(','),
  count: records.length,
  next: null,
  previous: null,
});

const wrapPage = ({ items, count, next, previous }: Page, url: URL, origin: string): string => {
  const address = (token: string | null) => {
    if (token === null) return null;
    const query = new URLSearchParams(url.searchParams);
    query.set('page_token', token);
    return `${origin}${url.pathname}?${query}`;
  };
  const pagination = {
    // Assumed (paging.count): `pagination.count` is the number of records on the page.
    count,
    next_page: address(next),
    previous_page: address(previous),
    next_page_token: next,
    previous_page_token: previous,
  };
  return `{"collection":[${items}],"pagination":${JSON.stringify(pagination)}}`;
};

/** All operations of the service as one function. */
export const createService = ({
  store,
  clock,
  limits = true,
  oauth = {},
  origin,
  randomBytes = someBytes,
  onError,
  dialect,
  hosts = [],
  mirror,
}: ServiceOptions): Send => {
  let requests = 0;
  const profile: OAuthProfile = profiles[oauth.profile ?? 'default'];
  const uses = new Map<string, number>();
  const hostNames = hosts.map((host) => host.replace(/:\d+$/, ''));

  /** Counts a request for the owner of its token, or for the address that it came from. */
  const count = (caller: Caller | undefined, { method }: HttpRequest, path: string, { now, headers }: Moment) => {
    if (limits !== false) throttle(store, caller, { method, path }, now, headers, limits);
    else Object.assign(headers, unlimitedHeaders);
  };

  const perform = (
    { row, params, handle }: Route,
    request: HttpRequest,
    url: URL,
    holder: Holder | undefined,
    { now, headers }: Moment,
    wrong: Detail[],
  ): HttpReply => {
    if (holder && isDeletionDue(store, now)) carryOutDeletions(store, now);
    const caller =
      row.scope === undefined
        ? undefined
        : (mirror?.caller ?? authenticate(holder, request.headers.authorization, now));
    if (caller) {
      requireScope(row, caller);
      requirePlan(row, caller.plan);
    }
    refuseInvalid(wrong);
    // A request without a server can have any name.
    const names = [...hostNames, url.hostname];
    const query = parseQuery(row, url, names);
    const body = row.method === 'GET' ? undefined : parseBody(row, request, names);
    const links = origin?.() ?? url.origin;
    const runHandler = () => handle({ params, query, body }, { store, caller, now, server: url.origin, origin: links });
    const result = row.method === 'GET' ? runHandler() : store.transaction(runHandler);
    const { kind, status } = row.reply;
    if (status === 204) return { status, headers, body: '' };
    const wrapped = () => {
      if (kind === 'one') return `{"resource":${recordText(result)}}`;
      if (kind === 'bare') return recordText(result);
      const page = Array.isArray(result)
        ? wholeList(result)
        : readPage(store, result as Listing, query as object, listOf(url, caller), now, mirror !== undefined);
      return wrapPage(page, url, links);
    };
    return { status, headers, body: mirror === undefined ? withOrigin(wrapped(), links) : wrapped() };
  };

  /** What is at the ID of a client that describes itself there, at servers that take such clients. */
  const documentFor = async ({ method }: HttpRequest, { pathname, searchParams }: URL) => {
    const id = searchParams.get('client_id') ?? '';
    const isAsked = method === 'GET' && pathname === oauthPaths.authorize && /^https?:/.test(id);
    if (!isAsked || oauth.sleep === undefined || !profile.clients.includes('document')) return undefined;
    return (await import('./oauth/client-document.ts')).readDocument(id, oauth.sleep);
  };

  /**
   * Loads the code for a request, and says whether it only reads. Whether the request is refused is decided later: it is
   * counted first.
   */
  const load = async (request: HttpRequest, wrong: Detail[]): Promise<LoadedCode> => {
    const url = urlOf(request);
    const path = url?.pathname ?? '';
    if (url && pageOperation(path) !== undefined) {
      const { answerPage } = await import('./pages/routes.ts');
      const links = origin?.() ?? url.origin;
      const embed = dialect?.embed;
      const systemNow = (now: number) => now - (clock.offset ?? 0);
      const answer = ({ now }: Moment) =>
        answerPage({ store, now, systemNow: systemNow(now), url, request, origin: links, randomBytes, embed });
      return { isRead: false, answer };
    }
    if (url && oauthAddresses.includes(path)) {
      const { answerOAuth } = await import('./oauth/endpoints.ts');
      const document = await documentFor(request, url);
      const answer = (moment: Moment) => {
        count(undefined, request, path, moment);
        const facts = { store, now: moment.now, url, request, limits: limits !== false, randomBytes };
        const reply = store.transaction(() => answerOAuth({ ...facts, ...oauth, profile, uses, document }));
        return { ...reply, headers: { ...moment.headers, ...reply.headers } };
      };
      return { isRead: false, answer };
    }
    const route = await findRoute(request.method, path, dialect ?? mirror?.dialect).catch(
      (refusal: Refusal) => refusal,
    );
    const answer = (moment: Moment) => {
      const holder = mirror === undefined ? findHolder(store, request.headers.authorization) : undefined;
      if (mirror === undefined) count(holder?.caller, request, path, moment);
      if (!url) throw new Refusal(400, 'Invalid Argument', 'The URL is malformed.');
      if (route instanceof Refusal) throw route;
      return perform(route, request, url, holder, moment, wrong);
    };
    return { isRead: request.method === 'GET', answer };
  };

  const send = async (request: HttpRequest, wrong: Detail[] = []): Promise<HttpReply> => {
    const { isRead, answer } = await load(request, wrong);
    const replyAt = (now: number): HttpReply => {
      const headers = {
        'content-type': 'application/json',
        'x-request-id': `${now.toString(36)}-${++requests}`,
        // From the sandbox clock, which may have been moved. The HTTP server would send the system time.
        date: new Date(now).toUTCString(),
      };
      try {
        return answer({ now, headers });
      } catch (error) {
        if (!(error instanceof Refusal)) onError?.(error);
        const { status, headers: more, body, missed } = refusalOf(error);
        return { status, headers: { ...headers, ...more }, body, ...(missed !== undefined && { missed }) };
      }
    };
    /** Undefined if this request has something to write. */
    const readOnly = (): HttpReply | undefined => {
      const now = clock.now();
      return (limits === false || store.counters.isAlone()) && !isDeletionDue(store, now) ? replyAt(now) : undefined;
    };
    // In one transaction, so that a reply never mixes data from before and after a restore, also in another process.
    const reply = (isRead ? store.reading(readOnly) : undefined) ?? store.transaction(() => replyAt(clock.now()));
    if (mirror === undefined) cleanFile(store);
    return reply;
  };
  return dialect ? speak(dialect)(send) : (request) => send(request);
};
