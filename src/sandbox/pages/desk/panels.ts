import { oauthPaths } from '../../../api/oauth-paths.ts';
import { webhookEvents } from '../../../api/webhooks.ts';
import { shellWord } from '../../../shell-quote.ts';
import { idIn } from '../../../uri.ts';
import type { Fault, FaultScript } from '../../faults/faults.ts';
import type { LogEntry } from '../../log-admin.ts';
import type { Sandbox } from '../../open.ts';
import { tokensIn } from '../../ready-tokens.ts';
import type { SandboxClock } from '../../sandbox-clock.ts';
import { seedAgeDays, seedOf } from '../../seed/seed.ts';
import type { OrganizationRecord } from '../../store/records.ts';
import type { Store } from '../../store/store.ts';
import { planOf, plans } from '../../subscription.ts';
import { listWindows, type RateLimits } from '../../throttle.ts';
import { type Content, type Html, html } from '../html.ts';
import { badge } from '../layout.ts';
import { publicTypes } from '../person-page.ts';
import { type DeskView, formatOf } from './week.ts';

const pill = (kind: 'good' | 'bad' | 'warn', text: string | number): Html =>
  html`<span class="pill ${kind}">${text}</span>`;
const dot = (kind: 'good' | 'bad' | 'warn'): Html => html`<span class="dot ${kind}" aria-hidden="true"></span>`;
const head = (id: string, title: string, more?: Content): Html =>
  html`<div class="head"><h2 id="${id}-title">${title}</h2>${more}</div>`;

interface ActionFacts {
  label?: string;
  /** The question to ask first. */
  confirm?: string;
  isPressed?: boolean;
}

/** A button for one admin request. The script of the desk sends it. */
const action = (call: string, body: object, text: string, { label, confirm, isPressed }: ActionFacts = {}): Html =>
  html`<button type="button" data-call="${call}" data-body="${JSON.stringify(body)}" aria-label="${label ?? text}"${confirm !== undefined && html` class="danger" data-confirm="${confirm}"`}${isPressed !== undefined && html` aria-pressed="${String(isPressed)}"`}>${text}</button>`;

const copyButton = (text: string, name: string, label: string): Html =>
  html`<button type="button" data-copy="${text}" aria-label="${label}">${name}</button>`;

export const topPanel = ({ store, isPrivate }: DeskView, origin: string): Html => {
  const organization: OrganizationRecord = JSON.parse(
    store.first<{ doc: string }>('SELECT doc FROM organizations')!.doc,
  );
  return html`<header class="top" id="top"><img src="/assets/icon.svg" alt="" width="30" height="30"><h1><bdi>${organization.name}</bdi></h1>${badge}<code>${origin}</code>
<nav aria-label="Pages"><a href="#pages">Booking pages</a><a href="/embed/demo">Embed demo</a><a href="/openapi.json">OpenAPI</a>${isPrivate && html`<b class="good" id="live" role="status">live</b>`}</nav></header>`;
};

/** The pages that anyone can book on. */
export const pagesPanel = ({ store }: DeskView): Html => {
  const items = publicTypes(store)
    .slice(0, 100)
    .map(
      ({ name, scheduling_url, profile }) =>
        html`<li><a href="${scheduling_url}"><bdi>${name}</bdi></a> <small class="soft"><bdi>${profile?.name}</bdi></small></li>`,
    );
  return html`<section class="card side" id="pages" aria-labelledby="pages-title">${head('pages', 'Booking pages')}
<ul>${items}</ul></section>`;
};

const duration = (milliseconds: number): string => {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} days`;
};

export const clockPanel = ({ now, zone, isPrivate }: DeskView, { offset, isFrozen }: SandboxClock): Html => {
  const isMoved = Math.abs(offset) >= 1000;
  const where = isMoved
    ? `${duration(offset)} ${offset > 0 ? 'ahead of' : 'behind'} this computer`
    : 'as this computer';
  return html`<section id="clock" aria-labelledby="clock-title"><h2 id="clock-title">Clock</h2>
<p class="big num">${formatOf(zone, 'moment').format(now).replaceAll(',', '')}</p><p class="soft">${zone} · ${isFrozen ? 'stopped' : where}</p>
${
  isPrivate &&
  html`<div class="acts">${action('POST clock', { advance_seconds: 3600 }, '+1 h')}${action('POST clock', { advance_seconds: 86_400 }, '+1 day')}${action('POST clock', { frozen: !isFrozen }, 'Stop', { isPressed: isFrozen })}${
    isMoved && action('POST clock', { time: 'now' }, 'Now', { label: 'Now: the time of this computer' })
  }</div>`
}</section>`;
};

export const planPanel = ({ store }: DeskView): Html => {
  const current = planOf(store);
  const choices = plans.map((plan) => action('POST plan', { plan }, plan, { isPressed: plan === current }));
  return html`<section id="plan" aria-labelledby="plan-title"><h2 id="plan-title">Plan</h2><div class="acts">${choices}</div></section>`;
};

export const dataPanel = ({ store, now }: DeskView, { snapshots }: Sandbox): Html => {
  const count = (table: string) => store.first<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)!.count;
  const age = seedAgeDays(store, now);
  const when = age < 1 ? 'today' : `${Math.floor(age)} days ago`;
  return html`<section class="entries" id="data" aria-labelledby="data-title"><h2 id="data-title">Data</h2>
<p><b>${seedOf(store)}</b> <span class="soft">seeded ${when} · ${count('users')} people, ${count('event_types')} event types, ${count('events')} events</span></p>
<div class="acts">${action('POST reset', {}, 'Reset…', { confirm: 'Delete the data of this sandbox and seed it again?' })}</div>
<ul>${snapshots
    .list()
    .map(
      ({ name }) =>
        html`<li><code>${name}</code>${action(`POST snapshots/${name}/restore`, {}, 'Restore…', { label: `Restore ${name}`, confirm: `Replace the data of this sandbox by the snapshot ${name}?` })}</li>`,
    )}</ul>
<form data-call="POST snapshots"><input type="text" name="name" aria-label="Name of a new snapshot" placeholder="snapshot" pattern="[A-Za-z0-9._\\-]{1,64}" required autocomplete="off" spellcheck="false"><button>Save</button></form></section>`;
};

/** The short form of a fault, which `--fault` takes. */
const faultText = ({ operation, kind, status, at, count, probability, ...more }: Fault): string =>
  [
    operation,
    kind === 'status' ? (status ?? 503) : kind,
    ...Object.entries({ ...more, ...(kind === 'status' ? {} : { status }), probability }).map(([name, value]) =>
      value === undefined ? '' : `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
    ),
    at > 1 && `at=${at}`,
    count !== 1 && probability === undefined && `count=${count ?? 'all'}`,
  ]
    .filter(Boolean)
    .join(' ');

export const faultsPanel = ({ faults }: FaultScript): Html => {
  const left = ({ fault: { count }, struck }: FaultScript['faults'][number]) =>
    count === null ? Infinity : count - struck;
  const active = faults.filter((each) => left(each) > 0);
  return html`<section class="entries" id="faults" aria-labelledby="faults-title"><h2 id="faults-title">Faults ${active.length > 0 && pill('bad', `${active.length} on`)}</h2>
<ul>${active.map((each) => html`<li><code>${faultText(each.fault)}</code><span class="soft num">${Number.isFinite(left(each)) ? `${left(each)} left` : 'no end'}</span></li>`)}</ul>
<form data-call="POST faults" data-only="fault"><input type="text" name="fault" aria-label="New fault" placeholder="* delay ms=200" required autocomplete="off" spellcheck="false"><button>Add</button>${
    active.length > 0 && action('DELETE faults', {}, 'Clear', { label: 'Clear all faults' })
  }</form></section>`;
};

interface DeliveryRow {
  number: number;
  event: string;
  url: string;
  state: 'waiting' | 'delivered' | 'failed';
  due_at: string | null;
  attempts: number;
  status: number | null;
  error: string | null;
  milliseconds: number | null;
}

/** Without the protocol, which says little. */
const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '');

const deliveryItem = (now: number) => (row: DeliveryRow) => {
  const { number, event, url, state, due_at, attempts, status, error, milliseconds } = row;
  const kind = state === 'delivered' ? 'good' : state === 'waiting' ? 'warn' : 'bad';
  const wait = due_at === null ? 0 : Math.max(0, Math.ceil((Date.parse(due_at) - now) / 1000));
  const result = state === 'waiting' ? (wait > 0 ? `retry in ${wait} s` : 'due') : (status ?? 'not sent');
  const facts = [attempts > 1 && `${attempts} attempts`, milliseconds !== null && `${milliseconds} ms`, error];
  return html`<li id="delivery-${number}"><div class="line">${dot(kind)}<b>${event}</b><span class="soft num">#${number}</span>${pill(kind, result)}</div>
<div class="line soft"><code>${shortUrl(url)}</code><span>${facts.filter(Boolean).join(' · ')}</span>${action('POST deliveries', { number }, state === 'waiting' ? 'Send now' : 'Send again', { label: `Send ${state === 'waiting' ? 'now' : 'again'}: delivery ${number}` })}</div></li>`;
};

export const deliveriesPanel = ({ store, now }: DeskView): Html => {
  const deliveries = store.all<DeliveryRow>(
    `SELECT d.number, d.event, d.state, d.due_at, w.callback_url AS url, a.status, a.error, a.milliseconds,
       (SELECT count(*) FROM delivery_attempts WHERE delivery = d.number) AS attempts
     FROM deliveries d JOIN webhooks w ON w.id = d.webhook LEFT JOIN delivery_attempts a ON a.delivery = d.number
       AND a.number = (SELECT max(number) FROM delivery_attempts WHERE delivery = d.number)
     ORDER BY d.number DESC LIMIT 8`,
  );
  const webhooks = store.all<{ url: string; state: string; scope: string; events: number; key: number }>(
    `SELECT callback_url AS url, state, scope, json_array_length(doc, '$.events') AS events, signing_key IS NOT NULL AS key
     FROM webhooks ORDER BY created_at DESC, id LIMIT 8`,
  );
  return html`<section class="card hooks" id="deliveries" aria-labelledby="deliveries-title">${head('deliveries', 'Webhook deliveries')}
${deliveries.length === 0 ? html`<p class="soft">None yet. A booking or a sample causes one.</p>` : html`<ul>${deliveries.map(deliveryItem(now))}</ul>`}
<form class="row" data-call="POST trigger"><select name="event" aria-label="Event">${webhookEvents.map((event) => html`<option>${event}</option>`)}</select><button>Trigger a sample</button></form>
<div class="head sub"><h2>Webhooks</h2></div><ul>${webhooks.map(
    ({ url, state, scope, events, key }) =>
      html`<li><div class="line"><code>${shortUrl(url)}</code>${pill(state === 'active' ? 'good' : 'bad', state)}</div><div class="line soft"><span>${scope} · ${events} events · ${key === 1 ? 'signing key' : 'no key'}</span></div></li>`,
  )}</ul></section>`;
};

/** What a fault did to a request. */
const faultWords: Partial<Record<string, string>> = {
  status: 'A fault answered instead of the service.',
  'reset-before': 'The connection was reset before the request reached the service.',
  'reset-after': 'The service carried out the request, then the connection was reset.',
  'lost-token': 'The service issued a token, then the connection was reset.',
  redirect: 'A fault redirected the request to another address.',
  delay: 'A fault delayed the request.',
};

const losing = ['reset-before', 'reset-after', 'lost-token'];

/** A sentence or two about what happened to a request. */
const story = ({ status, faults, committed, window, milliseconds, method }: LogEntry): string =>
  [
    ...faults.map((kind) => faultWords[kind] ?? `A fault changed the reply: ${kind}.`),
    window !== null && `The rate limit ${window} was used up.`,
    status !== null && status >= 400 && window === null && `The service refused it with status ${status}.`,
    committed ? 'Its change was saved.' : method !== 'GET' && 'Nothing was changed.',
    milliseconds === null && 'The reply is not sent yet.',
  ]
    .filter(Boolean)
    .join(' ') || 'The service answered it.';

const mostRows = 100;
const longestBody = 2_000;

/** The same request for a shell. It names the variable of the token, never the token. */
const copies = ({ number, method, path, body }: LogEntry): Content => {
  if (body !== null && body.length > longestBody) return undefined;
  const data = body === null ? '' : ` -H 'content-type: application/json' -d ${shellWord(body)}`;
  const curl = `curl${method === 'GET' ? '' : ` -X ${shellWord(method)}`} -H "Authorization: Bearer $SCHED_TOKEN"${data} "$SCHED_BASE_URL"${shellWord(path)}`;
  const input = body === null ? '' : `printf %s ${shellWord(body)} | `;
  const api = `${input}sched api ${method === 'GET' ? '' : `${shellWord(method)} `}${shellWord(path)}${body === null ? '' : ' --input -'}`;
  return [
    copyButton(curl, 'curl', `Copy request ${number} as curl`),
    copyButton(api, 'sched', `Copy request ${number} as sched`),
  ];
};

const loginPaths: readonly string[] = Object.values(oauthPaths);

/** A login has codes in its query. */
const shownPath = (path: string): string => {
  const [bare = ''] = path.split('?');
  return loginPaths.includes(bare) ? bare : path;
};

const requestRow = (zone: string) => (entry: LogEntry) => {
  const { number, at, method, status, faults, committed, milliseconds, token, body, operation } = entry;
  const isLost = faults.some((kind) => losing.includes(kind));
  const isBad = isLost || status === null || status >= 500;
  const kind = isBad ? 'bad' : status >= 400 ? 'warn' : '';
  const path = shownPath(entry.path);
  return html`<tr id="request-${number}" class="${kind}${committed && ' saved'}"><td class="num">${formatOf(zone, 'time').format(Date.parse(at))}</td>
<td class="num"><code>${method}</code></td>
<td class="path"><details id="more-${number}"><summary><code>${path}</code></summary><p>${story(entry)}</p>${body !== null && body !== '' && html`<pre tabindex="0" aria-label="Body of request ${number}">${body.slice(0, longestBody)}${body.length > longestBody && ' …'}</pre>`}</details></td>
<td class="soft">${token ?? (operation?.startsWith('pages.') ? 'page' : '')}</td><td class="num"><b>${isLost ? 'lost' : (status ?? '–')}</b></td><td class="num soft">${milliseconds ?? '…'}</td>
<td>${faults.map((each) => pill('bad', each))}</td><td>${committed && pill('good', 'saved')}</td>
<td class="acts">${path === entry.path && copies(entry)}</td></tr>`;
};

export const requestsPanel = ({ zone }: DeskView, log: readonly LogEntry[]): Html => {
  const isShown = ({ operation }: LogEntry) => operation !== 'pages.file';
  const entries = log
    .slice(-4 * mostRows)
    .filter(isShown)
    .slice(-mostRows)
    .reverse();
  const filter = (id: string, text: string, isFirst = false) =>
    html`<label><input type="radio" name="show" id="show-${id}"${isFirst && html` checked`}> ${text}</label>`;
  return html`<section class="card reqs" id="requests" aria-labelledby="requests-title">${head(
    'requests',
    'Requests',
    html`<span class="soft">newest first</span><div class="acts" role="group" aria-label="Show">${filter('all', 'All', true)}${filter('errors', 'Errors')}${filter('changes', 'Changes')}${action('DELETE log', {}, 'Clear', { label: 'Clear the requests' })}</div>`,
  )}
<div class="scroll" tabindex="0" role="region" aria-label="Requests, newest first"><table><thead><tr><th>Time</th><th>Call</th><th>Path</th><th>Token</th><th>Status</th><th>ms</th><th>Fault</th><th>Data</th><th>Copy as</th></tr></thead>
<tbody>${entries.map(requestRow(zone))}</tbody></table></div></section>`;
};

/** Who a rate limit counts for: a user, or all requests without a token. */
const holderName = (store: Store, whose: string): string =>
  store.first<{ name: string }>("SELECT doc ->> 'name' AS name FROM users WHERE id = ?", idIn(whose))?.name ??
  'requests without a token';

export const limitsPanel = ({ store, now }: DeskView, limits: RateLimits): Html => {
  const gauges = listWindows(store, now, '', limits).slice(0, 8);
  return html`<section class="card side" id="limits" aria-labelledby="limits-title">${head('limits', 'Rate limits')}
${gauges.length === 0 && html`<p class="soft">No requests in the last minute.</p>`}<ul>${gauges.map(
    ({ window, whose, used, limit, reset_seconds }) =>
      html`<li><div class="line"><code>${window}</code><span class="soft num">${used} of ${limit}</span></div><svg class="gauge ${used / limit > 0.8 ? 'bad' : 'good'}" role="img" aria-label="${used} of ${limit} used"><rect width="${Math.round((1000 * used) / limit) / 10}%" height="100%" rx="4" fill="currentColor"/></svg><small class="soft"><bdi>${holderName(store, whose)}</bdi> · resets in ${reset_seconds} s</small></li>`,
  )}</ul>
<div class="head sub"><h2>Tokens</h2></div><ul>${tokensIn(store).map(
    (token) =>
      html`<li><div class="line"><code>${token.token}</code>${copyButton(token.token, 'Copy', `Copy ${token.token}`)}</div><small class="soft">${token.user}, ${token.scopes === null ? token.role : token.scopes.length === 1 ? token.scopes[0] : 'all :read scopes'}</small></li>`,
  )}</ul></section>`;
};

/** What the service would have sent to people. */
export const noticesPanel = ({ store }: DeskView): Html => {
  const notices = store.all<{ number: number; channel: string; to: string; subject: string }>(
    'SELECT number, channel, "to", subject FROM notices ORDER BY number DESC LIMIT 8',
  );
  return html`<section class="card side" id="notices" aria-labelledby="notices-title">${head('notices', 'Messages', html`<span class="soft">recorded here, never sent</span>`)}
${notices.length === 0 && html`<p class="soft">None yet. A booking causes some.</p>`}<ul>${notices.map(
    ({ number, channel, to, subject }) =>
      html`<li id="notice-${number}"><bdi>${subject}</bdi><br><small class="soft">${channel} to <bdi>${to}</bdi></small></li>`,
  )}</ul></section>`;
};
