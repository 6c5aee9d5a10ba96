import type { HttpReply, HttpRequest } from '../../../http/message.ts';
import type { World } from '../../../runtime.ts';
import { adminHeader } from '../../admin.ts';
import { denied, notFound, Refusal, refusalOf, unauthenticated } from '../../error-replies.ts';
import type { FaultScript } from '../../faults/faults.ts';
import type { WireReply } from '../../faults/inject.ts';
import type { WireService } from '../../http-server.ts';
import type { LogContext } from '../../log-admin.ts';
import type { Sandbox } from '../../open.ts';
import { openapi } from '../../openapi.ts';
import { localTime, wrongZone } from '../../rules/local-time.ts';
import { isFromOwnPage } from '../forms.ts';
import { html } from '../html.ts';
import { createKeys } from './key.ts';
import { pagesPanel, publicDesk, topPanel } from './page.ts';
import {
  clockPanel,
  dataPanel,
  deliveriesPanel,
  faultsPanel,
  limitsPanel,
  noticesPanel,
  planPanel,
  type Quote,
  requestsPanel,
} from './panels.ts';
import { createStreams, type DeskParts } from './stream.ts';
import { type DeskView, weekPanel } from './week.ts';

/** The header with the session. A page of another site can't send it. */
export const deskHeader = 'x-sandbox-desk';

const root = '/__sandbox/desk/';

interface DeskOptions extends Pick<World, 'clock' | 'every' | 'randomBytes'> {
  sandbox: Sandbox;
  script: FaultScript;
  log: LogContext['log'];
  version: string;
  quote?: Quote | undefined;
  /** The service with its admin requests, and the secret for them. */
  service: WireService;
  secret: string;
}

const json = (content: unknown, status = 200): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  body: JSON.stringify(content),
});

/** The key that the page sends, and an empty text if the body is anything else. */
const keyIn = ({ body = '' }: HttpRequest): string => /^\{"key":"([\w-]+)"\}$/.exec(body)?.[1] ?? '';

/** The desk of a running sandbox: a page that shows what happens, for everyone in short, and in full with a session. */
export const openDesk = ({ sandbox, script, log, version, quote, service, secret, ...world }: DeskOptions) => {
  const { store, clock } = sandbox;
  const keys = createKeys(world.clock, world.randomBytes);
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
    const asked = url.searchParams.get('tz') ?? '';
    const zone = asked === '' || wrongZone(asked).length > 0 ? ownerZone() : asked;
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
      deliveries: deliveriesPanel(view),
      requests: requestsPanel(view, log.entries, quote),
      limits: limitsPanel(view),
      notices: noticesPanel(view),
      pages: pagesPanel(view),
    };
    return {
      whole: html`${top}<div class="strip">${Object.values(controls)}</div>${Object.values(cards)}`,
      parts: { top, ...controls, ...cards },
    };
  };

  const openStream = (url: URL): WireReply => {
    if (streams.isFull) throw new Refusal(503, 'Unavailable', 'Too many windows show the desk. Close some of them.');
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
    return { status: 200, headers, body: '', stream: streams.open(() => render(url)) };
  };

  const answerOwn = async (request: HttpRequest, url: URL): Promise<WireReply> => {
    if (!isFromOwnPage({ url, request })) throw denied('The desk answers its own page only.');
    const call = `${request.method} ${url.pathname.slice(root.length)}`;
    if (call === 'POST session') {
      const session = keys.trade(keyIn(request));
      if (session === undefined) throw unauthenticated('The key was used before, or it is too old.');
      return json({ session });
    }
    if (!keys.isSession(request.headers[deskHeader] ?? '')) throw unauthenticated('The desk needs a session.');
    if (call === 'GET stream') return openStream(url);
    const [, name] =
      / call\/(clock|deliveries|faults|log|plan|reset|trigger|snapshots(?:\/[\w.-]+\/restore)?)$/.exec(call) ?? [];
    if (name === undefined) throw notFound('path');
    // The session stands for the secret, which never reaches a browser.
    return service({ ...request, url: `${url.origin}/__sandbox/${name}`, headers: { [adminHeader]: secret } });
  };

  /** The address of the desk with a new key, which works for so many seconds, or until it is used. */
  const addressAt = (origin: string, seconds?: number): string => `${origin}/#key=${keys.issue(seconds)}`;

  return {
    /** The reply to a request for the desk. Undefined for all others. */
    async answer(request: HttpRequest): Promise<WireReply | undefined> {
      if (!URL.canParse(request.url)) return undefined;
      const url = new URL(request.url);
      const isRead = request.method === 'GET';
      if (isRead && url.pathname === '/' && request.headers.accept?.includes('text/html'))
        return publicDesk(viewFor(url, false), url.origin, clock);
      if (isRead && url.pathname === '/openapi.json') return json(await openapi(version, url.origin));
      // With the secret, it is an admin request.
      if (!url.pathname.startsWith(root) || adminHeader in request.headers) return undefined;
      try {
        return await answerOwn(request, url);
      } catch (error) {
        const { status, title, message } = refusalOf(error);
        return json({ title, message }, status);
      }
    },
    addressAt,
    close: streams.close,
  };
};
