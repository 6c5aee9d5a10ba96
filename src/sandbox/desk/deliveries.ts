import { webhookEvents } from '../../api/webhooks.ts';
import { counted } from '../../base/numbers.ts';
import { isLoopbackUrl } from '../../base/uri.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import type { Store } from '../store/store.ts';
import { action, dot, head, inWords, pill, scroller, shortUrl } from './parts.ts';
import type { DeskView } from './week.ts';

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
  /** Whether its webhook gets more. */
  active: 0 | 1;
}

const mostDeliveries = 500;

const newestDeliveries = (store: Store): DeliveryRow[] =>
  store.all<DeliveryRow>(
    `SELECT d.number, d.event, d.state, d.due_at, w.callback_url AS url, w.state = 'active' AS active,
       a.status, a.error, a.milliseconds, coalesce(a.number, 0) AS attempts
     FROM deliveries d JOIN webhooks w ON w.id = d.webhook LEFT JOIN delivery_attempts a ON a.delivery = d.number
       AND a.number = (SELECT max(number) FROM delivery_attempts WHERE delivery = d.number)
     ORDER BY d.number DESC LIMIT ${mostDeliveries}`,
  );

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** All deliveries to another computer in one line: none of them is ever sent. */
const elsewhereItem = (host: string, rows: readonly DeliveryRow[]): Html =>
  html`<li id="elsewhere-${host}" data-news="${rows[0]!.number}"><div class="line">${dot('bad')}<span><b>${rows.length} not sent</b> to <code>${host}</code></span></div>
<div class="line"><details><summary>Why</summary><p class="soft">The sandbox delivers to this computer only, and <code>${host}</code> is another one. To get them: <code>sched sandbox start --webhook-to http://127.0.0.1:8080</code></p></details>${
    rows.some(({ active }) => active)
      ? action('POST webhooks/disable', { host }, 'Turn off', {
          label: `Turn off: webhooks at ${host}`,
          confirm: `Disable the webhooks at ${host}? They get no more deliveries.`,
        })
      : html`<span class="soft">turned off</span>`
  }</div></li>`;

/** Neighbors that differ in nothing but when they were sent, in one line. */
const folded = (rows: readonly DeliveryRow[]): DeliveryRow[][] => {
  const key = ({ event, url, state, status, error }: DeliveryRow) => [event, url, state, status, error].join('\n');
  const groups: DeliveryRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last && key(last[0]!) === key(row)) last.push(row);
    else groups.push([row]);
  }
  return groups;
};

const deliveryItem =
  (now: number) =>
  (rows: readonly DeliveryRow[]): Html => {
    const [{ number, event, url, state, due_at, attempts, status, error, milliseconds }] = rows as [DeliveryRow];
    const kind = state === 'delivered' ? 'good' : state === 'waiting' ? 'warn' : 'bad';
    const wait = due_at === null ? 0 : Math.max(0, Date.parse(due_at) - now);
    const result = state === 'waiting' ? (wait > 0 ? `again in ${inWords(wait)}` : 'due') : (status ?? 'not sent');
    const facts = [attempts > 1 && `${attempts} attempts`, milliseconds !== null && `${milliseconds} ms`, error];
    const verb = state === 'waiting' ? 'Send now' : 'Send again';
    return html`<li id="delivery-${rows.at(-1)!.number}" data-news="${number}"><div class="line">${dot(kind)}<b>${event}</b>${rows.length > 1 && html`<b class="num">×${rows.length}</b>`}<span class="soft num">#${number}</span>${pill(kind, result)}</div>
<div class="line soft"><code>${shortUrl(url)}</code><span>${facts.filter(Boolean).join(' · ')}</span>${action('POST deliveries', { number }, verb, { label: `${verb}: delivery ${number}` })}</div></li>`;
  };

export const deliveriesPanel = ({ store, now }: DeskView, receiver: string | undefined): Html => {
  const rows = newestDeliveries(store);
  const isSent = (url: string) => isLoopbackUrl(url) || hostOf(url) === hostOf(receiver ?? '');
  const isElsewhere = ({ url, state }: DeliveryRow) => state !== 'delivered' && !isSent(url);
  const hosts = [...new Set(rows.filter(isElsewhere).map(({ url }) => hostOf(url)))];
  const here = folded(rows.filter((row) => !isElsewhere(row)));
  const items: Content = [
    hosts.map((host) =>
      elsewhereItem(
        host,
        rows.filter((row) => isElsewhere(row) && hostOf(row.url) === host),
      ),
    ),
    here.map(deliveryItem(now)),
  ];
  const count = rows.length === mostDeliveries ? `newest ${mostDeliveries}` : rows.length;
  return html`<section class="card hooks" id="deliveries" aria-labelledby="deliveries-title">${head('deliveries', html`Deliveries <small class="soft num">${count}</small>`)}
${scroller('Deliveries, newest first', rows.length === 0 ? html`<p class="soft">None yet. A booking or a sample causes one.</p>` : html`<ul>${items}</ul>`)}
<form class="row" data-call="POST trigger"><select name="event" aria-label="Event">${webhookEvents.map((event) => html`<option>${event}</option>`)}</select><button>Send a sample</button></form></section>`;
};

export const webhooksPanel = ({ store }: DeskView): Html => {
  const webhooks = store.all<{ id: string; url: string; state: string; scope: string; events: number; key: number }>(
    `SELECT id, callback_url AS url, state, scope, json_array_length(doc, '$.events') AS events,
       signing_key IS NOT NULL AS key FROM webhooks ORDER BY created_at DESC, id LIMIT 100`,
  );
  return html`<section id="webhooks" aria-labelledby="webhooks-title">${head('webhooks', 'Webhooks')}
${scroller(
  'List of webhooks',
  html`<ul>${webhooks.map(
    ({ id, url, state, scope, events, key }) =>
      html`<li id="webhook-${id}"><div class="line"><code>${shortUrl(url)}</code>${pill(state === 'active' ? 'good' : 'bad', state)}</div><small class="soft">${scope} · ${counted(events, 'event')} · ${key === 1 ? 'signing key' : 'no key'}</small></li>`,
  )}</ul>`,
)}</section>`;
};
