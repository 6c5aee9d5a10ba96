import { nounOf } from '../../api/operation.ts';
import { windowIn } from '../../api/window.ts';
import { SchedError } from '../../base/errors.ts';
import { type Json, parseJson } from '../../base/json.ts';
import { formatNumber } from '../../base/numbers.ts';
import type { Clock } from '../../base/system.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { HttpReply, Send } from '../../http/message.ts';
import { Refusal } from '../error-replies.ts';
import { findRoute, type Route } from '../route.ts';
import { createService } from '../service.ts';
import { rankOf } from '../store/list-page.ts';
import type { Store } from '../store/store.ts';
import { isComplete, type MirrorFacts } from './open.ts';

/** How to answer what only the service knows. */
const atService = { flags: { mirror: false, 'max-age': false } } as const;
const sync = { command: ['mirror', 'sync'] } as const;

/** The error for a command that changes something. */
const onlyReads = (): SchedError =>
  new SchedError('usage', words`${the('mirror')} only reads: leave it out to change something`, { hint: atService });

const missing = (what: string): SchedError =>
  new SchedError('not-found', `${what} is not in the mirror`, {
    reason: 'it may exist at the service',
    hint: atService,
    outcome: 'not-applied',
  });

export const unread = (what: string): SchedError =>
  new SchedError('environment', `The mirror is not complete: ${what}`, { hint: sync, outcome: 'not-applied' });

/** Throws while people may be missing. */
export const requireAllInvitees = (store: Store): void => {
  const sql = 'SELECT count(*) AS count FROM mirror_events WHERE read_at IS NULL';
  const { count } = store.first<{ count: number }>(sql)!;
  if (count > 0) throw unread(`invitees of ${formatNumber(count)} events are missing`);
};

/** What is about the service itself, or what only it can work out. */
const onlyAtService = new Set(['webhooks', 'mcp', 'event-types.available-times', 'users.busy']);

/** The list that a request needs, by the name under which `mirror sync` keeps it. Undefined if a record is asked for. */
const listFor = ({ row: { name, reply }, params }: Route, query: URLSearchParams, user: string): string | undefined => {
  const of = (parameter: string) => `${name}/${idIn(query.get(parameter) ?? user)}`;
  switch (name) {
    case 'event-types.hosts':
    case 'availability.list':
      return of('event_type');
    case 'locations.list':
    case 'availability.list-user':
      return of('user');
    case 'routing-forms.submissions':
      return of('form');
    case 'invitees.list':
      return undefined;
    case 'users.me':
    case 'orgs.get':
      return name;
    default:
      return reply.kind === 'many' && Object.keys(params).length === 0 ? name : undefined;
  }
};

interface ListRow {
  status: number | null;
  refusal: string | null;
}

interface AnswerOptions {
  store: Store;
  facts: MirrorFacts;
  clock: Pick<Clock, 'now'>;
  /** What the service has besides the catalogue. */
  dialect: Dialect | undefined;
  /** The window of the mirror in words. */
  window: string;
  /** Says something about the answer, once. */
  note(text: string): void;
}

/** All operations of the service that a mirror can answer. */
export const answerFromMirror = ({ store, facts, clock, dialect, window, note }: AnswerOptions) => {
  const { baseUrl, root, organization, role } = facts;
  const user = idIn(facts.user);
  const { origin, pathname: rootPath, hostname } = new URL(root);
  const known = { user, organization: idIn(organization), role };
  const caller = { ...known, plan: 'enterprise', scopes: null, token: '' } as const;
  const service = createService({
    store,
    clock,
    limits: false,
    hosts: [hostname],
    origin: () => root,
    mirror: { caller, dialect },
    // A mirror that can't be read is no reply of the service.
    onError: (error: unknown): never => {
      throw error;
    },
  });
  let isNoted = false;

  const listRow = (list: string) =>
    store.first<ListRow>('SELECT status, refusal FROM mirror_lists WHERE list = ?', list);

  const refusedList = (list: string): HttpReply | undefined => {
    const { status = null, refusal = '' } = listRow(list) ?? {};
    return status === null
      ? undefined
      : { status, headers: { 'content-type': 'application/json' }, body: refusal ?? '' };
  };

  /** The service's own refusal of a list, if it refused it. Throws if the list was not read. */
  const refusalOf = (list: string, isOwn: boolean): HttpReply | undefined => {
    // The own list was asked for by itself if that of the organization was refused.
    if (isOwn && listRow(`${list}/own`) !== undefined) return refusedList(`${list}/own`);
    if (listRow(list) !== undefined) return refusedList(list);
    if (!isComplete(facts)) throw unread(`${list.split(/[./]/)[0]} are missing`);
    throw missing(list.includes('/') ? `What belongs to ${list.split('/')[1]}` : 'This list');
  };

  /** The service's refusal of the invitees of an event. Throws if they were not read. */
  const inviteesRefusal = (event: string): HttpReply | undefined => {
    const sql = `SELECT m.read_at AS readAt, l.list FROM mirror_events m
      LEFT JOIN mirror_lists l ON l.list = 'invitees.list/' || m.event WHERE m.event = ?`;
    const found = store.first<{ readAt: number | null; list: string | null }>(sql, event);
    if (found?.readAt === null) requireAllInvitees(store);
    return found?.list ? refusedList(found.list) : undefined;
  };

  /** An empty list would be wrong beyond the window. */
  const requireWindow = (asked: object) => {
    const { since, until } = windowIn(asked);
    const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
    if (from < facts.since || from >= facts.until || to > facts.until || to <= facts.since)
      throw new SchedError('usage', `The mirror has events ${window} only`, {
        advice: ['read more with ', { command: ['mirror', 'sync'], flags: { since: 'TIME', until: 'TIME' } }],
        outcome: 'not-applied',
      });
    if ((since === undefined || until === undefined) && !isNoted) {
      isNoted = true;
      note(`The mirror has events ${window} only`);
    }
  };

  /** Refuses what the mirror doesn't know. Returns the service's own refusal. */
  const check = (route: Route, { searchParams }: URL): HttpReply | undefined => {
    const { name } = route.row;
    if (route.row.method !== 'GET') throw onlyReads();
    if (onlyAtService.has(name) || onlyAtService.has(nounOf(route.row)))
      throw new SchedError('usage', words`${the('mirror')} has no answer: this is about the service itself`, {
        hint: atService,
      });
    const list = listFor(route, searchParams, user);
    const isOwn = idIn(searchParams.get('user') ?? '') === user;
    const refusal = list === undefined ? undefined : refusalOf(list, isOwn);
    if (refusal !== undefined) return refusal;
    if (name === 'events.list') {
      requireWindow(Object.fromEntries(searchParams));
      if (searchParams.has('invitee_email')) requireAllInvitees(store);
      if (searchParams.has('group')) return refusalOf('groups.relationships', false);
    } else if (name === 'activity.list') requireWindow(Object.fromEntries(searchParams));
    if (name !== 'invitees.list' && name !== 'invitees.get') return undefined;
    return inviteesRefusal(route.params.event!);
  };

  /** The request with the paths of the catalogue: the service may live below one. */
  const ownUrl = (text: string): URL => {
    const url = new URL(`${origin}${text.slice(baseUrl.length)}`);
    if (rootPath !== '/')
      for (const [name, value] of url.searchParams)
        if (value.startsWith(`${root}/`)) url.searchParams.set(name, `${origin}${value.slice(root.length)}`);
    return url;
  };

  const send: Send = async (request) => {
    if (request.method !== 'GET') throw onlyReads();
    const url = ownUrl(request.url);
    const route = await findRoute('GET', url.pathname, dialect).catch((error: unknown) => {
      if (error instanceof Refusal) throw missing(url.pathname);
      throw error;
    });
    const refusal = check(route, url);
    const reply = refusal ?? (await service({ ...request, url: url.href }));
    if (refusal === undefined && reply.status === 404) {
      if (!isComplete(facts)) throw unread('not all lists were read yet');
      throw missing(request.subject ?? url.pathname);
    }
    return reply;
  };

  /** In the order in which handlers list them. */
  const ownInvitees = `SELECT m.read_at AS readAt, l.list, e.id, (SELECT group_concat(doc) FROM (
      SELECT doc FROM invitees i WHERE i.event = m.event ORDER BY ${rankOf('invitees', 'i.id')}, created_at, i.id)) AS docs
    FROM mirror_events m LEFT JOIN events e ON e.id = m.event
    LEFT JOIN mirror_lists l ON l.list = 'invitees.list/' || m.event WHERE m.event = ?`;

  /**
   * The invitees of an event, without a request: reports read thousands of lists. Undefined if only a request can say
   * what the service would.
   */
  const inviteesOf = (event: string): Json[] | undefined => {
    if (role === 'user') return undefined;
    const found = store.first<Record<'readAt' | 'list' | 'id' | 'docs', unknown>>(ownInvitees, event);
    if (!found?.id || found.readAt === null || found.list !== null) return undefined;
    return parseJson(`[${found.docs ?? ''}]`) as Json[];
  };
  return { send, inviteesOf };
};
