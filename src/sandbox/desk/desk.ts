import type { HttpReply, HttpRequest } from '../../http/message.ts';
import type { World } from '../../runtime.ts';
import { adminHeader } from '../admin/admin.ts';
import type { LogContext } from '../admin/log-admin.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { denied, notFound, Refusal, refusalOf, unauthenticated } from '../error-replies.ts';
import type { FaultScript } from '../faults/faults.ts';
import type { WireReply } from '../faults/inject.ts';
import { fingerprint } from '../oauth/ready-tokens.ts';
import type { Sandbox } from '../open.ts';
import { isFromOwnPage } from '../pages/forms.ts';
import { html } from '../pages/html.ts';
import { page } from '../pages/layout.ts';
import { zoneIn } from '../pages/places.ts';
import { localTime } from '../rules/local-time.ts';
import type { WireService } from '../server/front.ts';
import { openapi } from '../server/openapi.ts';
import { urlOf } from '../server/request-url.ts';
import { deliveriesPanel, webhooksPanel } from './deliveries.ts';
import {
  clockPanel,
  dataPanel,
  faultsPanel,
  limitsPanel,
  loginsPanel,
  noticesPanel,
  organizationName,
  pagesPanel,
  planPanel,
  tabBar,
  tokensPanel,
  topPanel,
} from './panels.ts';
import { requestsPanel } from './requests.ts';
import { createStreams, type DeskParts } from './stream.ts';
import { type DeskView, weekPanel } from './week.ts';

/** The header with the session. A page of another site can't send it. */
const deskHeader = 'x-sandbox-desk';

const root = '/__sandbox/desk/';

interface DeskOptions extends Pick<World, 'clock' | 'every' | 'randomBytes'> {
  sandbox: Sandbox;
  script: FaultScript;
  log: LogContext['log'];
  version: string;
  /** The URL that was named for deliveries, which may be of another computer. */
  receiver?: string | undefined;
  /** The service with its admin requests, and the secret for them. */
  service: WireService;
  secret: string;
}

const jsonReply = (content: unknown, status = 200): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  body: JSON.stringify(content),
});

/** The key that the page sends, and an empty text if the body is anything else. */
const keyIn = ({ body = '' }: HttpRequest): string => /^\{"key":"([\w-]+)"\}$/.exec(body)?.[1] ?? '';

/** Keys that nobody used are forgotten above this number. */
const mostKeys = 100;

/** The keys and sessions of the desk. They end with the process. */
const createKeys = ({ clock, randomBytes }: Pick<World, 'clock' | 'randomBytes'>) => {
  /** When each key expires, by its hash. */
  const keys = new Map<string, number>();
  const sessions = new Set<string>();
  const secret = () => Buffer.from(randomBytes(24)).toString('base64url');
  return {
    /** A key that works once, within the seconds. */
    issue(seconds = Number.POSITIVE_INFINITY): string {
      const key = secret();
      keys.set(fingerprint(key), clock.now() + seconds * 1000);
      if (keys.size > mostKeys) keys.delete(keys.keys().next().value!);
      return key;
    },
    /** Trades a key for a session. Undefined if the key is unknown, used or too old. */
    trade(key: string): string | undefined {
      const expires = keys.get(fingerprint(key));
      keys.delete(fingerprint(key));
      if (expires === undefined || expires <= clock.now()) return undefined;
      const session = secret();
      sessions.add(fingerprint(session));
      return session;
    },
    isSession: (text: string): boolean => sessions.has(fingerprint(text)),
  };
};

/** What the page asks for. All else below its root is an admin request, which doesn't exist without the secret. */
const ownCalls = new RegExp(
  `^(?:POST ${root}session|GET ${root}stream|\\w+ ${root}call/(?:clock|deliveries|faults(?:/\\d+/remove)?|log|plan|reset|trigger|webhooks/disable|snapshots(?:/[\\w.-]+/restore)?))$`,
);

const invitation = html`<section><h2>Requests, deliveries and controls</h2>
<p>To see them here, run <code>sched sandbox open</code>.</p><p class="soft">It opens this page with a key that works once.</p></section>`;

/** The desk for visitors without a key: nothing about invitees, requests, deliveries and tokens. */
const publicDesk = (view: DeskView, origin: string, clock: SandboxClock): HttpReply =>
  page({
    title: `Desk – ${organizationName(view.store)}`,
    main: 'desk',
    styles: ['/assets/desk.css', '/assets/week.css'],
    scripts: ['/assets/desk.js'],
    content: html`${topPanel(view, origin)}
<div class="strip">${clockPanel(view, clock)}${invitation}</div>
${weekPanel(view)}<div class="card tabs">${pagesPanel(view)}</div>`,
  });

/** The desk of a running sandbox: a page that shows what happens, for everyone in short, and in full with a session. */
export const openDesk = ({ sandbox, script, log, version, receiver, service, secret, ...world }: DeskOptions) => {
  const { store, clock } = sandbox;
  const keys = createKeys(world);
  const streams = createStreams(world.every, () =>
    // The second, the requests, and the changes of the data by this process and by others.
    JSON.stringify([
      Math.floor(world.clock.now() / 1000),
      log.entries.at(-1)?.number,
      log.entries.slice(-100).filter(({ milliseconds }) => milliseconds === null).length,
      store.first('SELECT total_changes()'),
      store.first('PRAGMA data_version'),
      script.faults,
    ]),
  );

  const ownerZone = (): string =>
    store.first<{ zone: string }>(
      "SELECT doc ->> 'timezone' AS zone FROM users JOIN memberships m ON m.user = users.id WHERE m.role = 'owner'",
    )?.zone ?? 'UTC';

  const viewFor = (url: URL, isPrivate: boolean): DeskView => {
    const now = clock.now();
    const zone = zoneIn(url.searchParams.get('tz')) ?? ownerZone();
    const week = url.searchParams.get('week') ?? '';
    // A year of other than four digits would break the order of times.
    const isDate = /^[1-9]\d{3}-\d\d-\d\d$/.test(week) && !Number.isNaN(Date.parse(week));
    return { store, now, zone, date: isDate ? week : localTime(zone, now).date, isPrivate };
  };

  const render = (url: URL): DeskParts => {
    const view = viewFor(url, true);
    const top = topPanel(view, url.origin);
    const controls = {
      clock: clockPanel(view, clock),
      plan: planPanel(view),
      faults: faultsPanel(script),
      data: dataPanel(view, sandbox),
    };
    const cards = {
      week: weekPanel(view),
      deliveries: deliveriesPanel(view, receiver),
      requests: requestsPanel(view, log.entries, url.origin),
    };
    const tabs = {
      notices: noticesPanel(view),
      webhooks: webhooksPanel(view),
      limits: limitsPanel(view, sandbox.limits),
      tokens: tokensPanel(sandbox.tokens()),
      logins: loginsPanel(log),
      pages: pagesPanel(view),
    };
    return {
      whole: html`${top}<div class="strip">${Object.values(controls)}</div>${Object.values(cards)}<div class="card tabs">${tabBar}${Object.values(tabs)}</div>`,
      parts: { top, ...controls, ...cards, ...tabs },
    };
  };

  const openStream = (url: URL): WireReply => {
    if (streams.isFull) throw new Refusal(503, 'Unavailable', 'Too many windows show the desk. Close some of them.');
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return { status: 200, headers, body: '', stream: streams.open(() => render(url)) };
  };

  const answerOwn = async (request: HttpRequest, url: URL): Promise<WireReply> => {
    if (!ownCalls.test(`${request.method} ${url.pathname}`)) throw notFound('path');
    if (!isFromOwnPage({ url, request })) throw denied('The desk answers its own page only.');
    const call = `${request.method} ${url.pathname.slice(root.length)}`;
    if (call === 'POST session') {
      const session = keys.trade(keyIn(request));
      if (session === undefined) throw unauthenticated('The key was used before, or it is too old.');
      return jsonReply({ session });
    }
    if (!keys.isSession(request.headers[deskHeader] ?? '')) throw unauthenticated('The desk needs a session.');
    if (call === 'GET stream') return openStream(url);
    const name = call.replace(/^\w+ call\//, '');
    // The session stands for the secret, which never reaches a browser.
    return service({ ...request, url: `${url.origin}/__sandbox/${name}`, headers: { [adminHeader]: secret } });
  };

  /** The address of the desk with a new key, which works for so many seconds, or until it is used. */
  const addressAt = (origin: string, seconds?: number): string => `${origin}/#key=${keys.issue(seconds)}`;

  return {
    /** The reply to a request for the desk. Undefined for all others. */
    async answer(request: HttpRequest): Promise<WireReply | undefined> {
      const url = urlOf(request);
      if (url === undefined) return undefined;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && url.pathname === '/' && request.headers.accept?.includes('text/html'))
        return publicDesk(viewFor(url, false), url.origin, clock);
      if (isRead && url.pathname === '/openapi.json') return jsonReply(await openapi(version, url.origin));
      // With the secret, it is an admin request.
      if (!url.pathname.startsWith(root) || adminHeader in request.headers) return undefined;
      try {
        return await answerOwn(request, url);
      } catch (error) {
        const { status, title, message } = refusalOf(error);
        return jsonReply({ title, message }, status);
      }
    },
    addressAt,
    close: streams.close,
  };
};
