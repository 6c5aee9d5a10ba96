import { counted, twoDigits } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { LogContext } from '../admin/log-admin.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import type { Fault, FaultScript } from '../faults/faults.ts';
import { type StoryLine, storiesIn } from '../oauth/story.ts';
import type { Sandbox } from '../open.ts';
import { type Html, html } from '../pages/html.ts';
import { badge } from '../pages/layout.ts';
import { publicTypes } from '../pages/person-page.ts';
import { localTime } from '../rules/local-time.ts';
import { listWindows, type RateLimits } from '../rules/rate-limits.ts';
import { planOf, plans } from '../rules/subscription.ts';
import { seedAgeDays, seedOf } from '../seed/seed.ts';
import type { OrganizationRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { action, copyButton, head, inWords, pill, scroller } from './parts.ts';
import { type DeskView, shownAt } from './week.ts';

export const organizationName = (store: Store): string => {
  const organization: OrganizationRecord = JSON.parse(
    store.first<{ doc: string }>('SELECT doc FROM organizations')!.doc,
  );
  return organization.name;
};

export const topPanel = ({ store, isPrivate }: DeskView, origin: string): Html =>
  html`<header class="top" id="top"><img src="/assets/icon.svg" alt="" width="30" height="30"><h1><bdi>${organizationName(store)}</bdi></h1>${badge}<code>${origin}</code>
<nav aria-label="Pages">${!isPrivate && html`<a href="#pages">Booking pages</a>`}<a href="/embed/demo">Embed demo</a><a href="/openapi.json">OpenAPI</a>${isPrivate && html`<b class="good" id="live" role="status">live</b><button type="button" id="pause" aria-pressed="false">Pause</button>`}</nav></header>`;

/** The pages that anyone can book on. */
export const pagesPanel = ({ store, isPrivate }: DeskView): Html => {
  const items = publicTypes(store)
    .slice(0, 100)
    .map(
      ({ name, scheduling_url, profile }) =>
        html`<li><a href="${scheduling_url}"><bdi>${name}</bdi></a> <small class="soft"><bdi>${profile?.name}</bdi></small></li>`,
    );
  return html`<section id="pages" aria-labelledby="pages-title">${head('pages', 'Booking pages', { isOpen: !isPrivate })}
${scroller('List of booking pages', html`<ul>${items}</ul>`)}</section>`;
};

/** Sets the clock to a time of the browser, whose zone is that of the desk. */
const clockForm = ({ now, zone }: DeskView): Html => {
  const { date, minutes } = localTime(zone, now);
  const time = [minutes / 60, minutes % 60].map(twoDigits).join(':');
  return html`<details class="pop"><summary class="b">Set…</summary><form data-call="POST clock"><input type="datetime-local" name="time" aria-label="New time" value="${date}T${time}" required><button>Set</button></form></details>`;
};

export const clockPanel = (view: DeskView, { offset, isFrozen }: SandboxClock): Html => {
  const { now, zone, isPrivate } = view;
  const isMoved = Math.abs(offset) >= 1000;
  const where = isMoved
    ? `${inWords(offset)} ${offset > 0 ? 'ahead of' : 'behind'} this computer`
    : 'same as this computer';
  return html`<section id="clock" aria-labelledby="clock-title">${head('clock', 'Clock', { isOpen: true })}
<p><b class="big num">${shownAt(now, zone, 'moment').replaceAll(',', '')}</b> <span class="soft">${zone} · ${isFrozen ? 'stopped' : where}</span></p>
${
  isPrivate &&
  html`<div class="acts">${action('POST clock', { advance_seconds: 3600 }, '+1 h')}${action('POST clock', { advance_seconds: 86_400 }, '+1 day')}${clockForm(view)}${action('POST clock', { frozen: !isFrozen }, 'Stop', { isPressed: isFrozen })}${
    isMoved && action('POST clock', { time: 'now' }, 'Now', { label: 'Now: the time of this computer' })
  }</div>`
}</section>`;
};

export const planPanel = ({ store }: DeskView): Html => {
  const current = planOf(store);
  const choices = plans.map((plan) => action('POST plan', { plan }, plan, { isPressed: plan === current }));
  return html`<section id="plan" aria-labelledby="plan-title">${head('plan', 'Plan')}<div class="acts">${choices}</div></section>`;
};

export const dataPanel = ({ store, now }: DeskView, { snapshots }: Sandbox): Html => {
  const count = (table: string, one: string, many?: string) =>
    counted(store.first<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)!.count, one, many);
  const age = Math.floor(seedAgeDays(store, now));
  const when = age < 1 ? 'today' : `${counted(age, 'day')} ago`;
  return html`<section class="entries" id="data" aria-labelledby="data-title">${head('data', 'Data')}
<p><b>${seedOf(store)}</b> <span class="soft">seeded ${when} · ${count('users', 'person', 'people')}, ${count('event_types', 'event type')}, ${count('events', 'event')}</span></p>
<form data-call="POST snapshots">${action('POST reset', {}, 'Reset…', { confirm: 'Delete the data of this sandbox and seed it again?' })}<input type="text" name="name" aria-label="Name of a new snapshot" placeholder="snapshot" pattern="[A-Za-z0-9._\\-]{1,64}" required autocomplete="off" spellcheck="false"><button>Save</button></form>
<ul>${snapshots
    .list()
    .map(
      ({ name }) =>
        html`<li><code>${name}</code>${action(`POST snapshots/${name}/restore`, {}, 'Restore…', { label: `Restore ${name}`, confirm: `Replace the data of this sandbox by the snapshot ${name}?` })}</li>`,
    )}</ul></section>`;
};

/** Faults that people want to see their program meet. `--fault` takes the same texts. */
export const faultChoices: ReadonlyArray<readonly [fault: string, meaning: string]> = [
  ['* 503', 'Next request: 503'],
  ['* 429 header.retry-after=5', 'Next request: 429, retry after 5 s'],
  ['* delay ms=2000 count=all', 'All requests: 2 s slower'],
  ['* 500 probability=0.2', 'One request in five: 500'],
  ['* reset-before', 'Next request: lost on its way'],
  ['* reset-after', 'Next request: done, but its reply is lost'],
  ['* truncate', 'Next reply: cut off'],
  ['* html', 'Next reply: HTML, not JSON'],
  ['oauth.token lost-token', 'Next new token: lost'],
  ['pages.* 503', 'Next page for visitors: 503'],
];

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
  return html`<section class="entries" id="faults" aria-labelledby="faults-title">${head('faults', html`Faults ${active.length > 0 && pill('bad', `${active.length} on`)}`)}
<form data-call="POST faults" data-only="typed fault"><select name="fault" aria-label="New fault">${faultChoices.map(([fault, meaning]) => html`<option value="${fault}">${meaning}</option>`)}<option value="" class="other">Other…</option></select><input type="text" name="typed" aria-label="Fault, as --fault takes it" placeholder="events.list 503 at=2" autocomplete="off" spellcheck="false"><button>Add</button>${
    active.length > 1 && action('DELETE faults', {}, 'Clear', { label: 'Clear all faults' })
  }</form>
<ul>${active.map((each) => {
    const text = faultText(each.fault);
    return html`<li><code>${text}</code><span class="soft num">${Number.isFinite(left(each)) ? `${left(each)} left` : 'no end'}</span>${action(`POST faults/${each.number}/remove`, {}, '×', { label: `Remove ${text}` })}</li>`;
  })}</ul></section>`;
};

/** Who a rate limit counts for: a user, or all requests without a token. */
const holderName = (store: Store, whose: string): string =>
  store.first<{ name: string }>("SELECT doc ->> 'name' AS name FROM users WHERE id = ?", idIn(whose))?.name ??
  'requests without a token';

export const limitsPanel = ({ store, now }: DeskView, limits: RateLimits): Html => {
  const gauges = listWindows(store, now, '', limits).slice(0, 20);
  return html`<section id="limits" aria-labelledby="limits-title">${head('limits', 'Rate limits')}
${scroller(
  'List of rate limits',
  gauges.length === 0
    ? html`<p class="soft">No requests in the last minute.</p>`
    : html`<ul>${gauges.map(
        ({ window, whose, used, limit, reset_seconds }) =>
          html`<li><div class="line"><code>${window}</code><span class="soft num">${used} of ${limit}</span></div><svg class="gauge ${used / limit > 0.8 ? 'bad' : 'good'}" role="img" aria-label="${used} of ${limit} used"><rect width="${Math.round((1000 * used) / limit) / 10}%" height="100%" rx="4" fill="currentColor"/></svg><small class="soft"><bdi>${holderName(store, whose)}</bdi> · resets in ${inWords(reset_seconds * 1000)}</small></li>`,
      )}</ul>`,
)}</section>`;
};

export const tokensPanel = (tokens: ReturnType<Sandbox['tokens']>): Html =>
  html`<section id="tokens" aria-labelledby="tokens-title">${head('tokens', 'Tokens')}
${scroller(
  'List of tokens',
  html`<ul>${tokens.map(
    (token) =>
      html`<li><div class="line"><code>${token.token}</code>${copyButton(token.token, 'Copy', `Copy ${token.token}`)}</div><small class="soft">${token.user}, ${token.scopes === null ? token.role : token.scopes.length === 1 ? token.scopes[0] : 'all :read scopes'}</small></li>`,
  )}</ul>`,
)}</section>`;

/** What OAuth clients did, the newest first, and the first rule that each broke. */
export const loginsPanel = (log: LogContext['log']): Html => {
  const clients = new Map<string | null, StoryLine[]>();
  for (const line of storiesIn(log.entries)) clients.set(line.client, [...(clients.get(line.client) ?? []), line]);
  return html`<section id="logins" aria-labelledby="logins-title">${head('logins', 'Logins')}
${scroller(
  'OAuth clients, newest first',
  clients.size === 0
    ? html`<p class="soft">No OAuth client yet.</p>`
    : html`<ul>${[...clients]
        .reverse()
        .map(
          ([client, lines]) =>
            html`<li><div class="line"><code><bdi>${client ?? 'no client ID'}</bdi></code></div><small class="soft">${lines
              .map(({ step, requests, status }) => `${step} ${status}${requests > 1 ? ` ×${requests}` : ''}`)
              .join(' · ')}</small>${lines.map(
              ({ step, missed }) => missed !== null && html`<p>${pill('bad', step)} ${missed}</p>`,
            )}</li>`,
        )}</ul>`,
)}</section>`;
};

/** What the service would have sent to people. */
export const noticesPanel = ({ store }: DeskView): Html => {
  const notices = store.all<{ number: number; channel: string; to: string; subject: string }>(
    'SELECT number, channel, "to", subject FROM notices ORDER BY number DESC LIMIT 100',
  );
  return html`<section id="notices" aria-labelledby="notices-title">${head('notices', 'Emails')}
${scroller(
  'Emails, newest first',
  html`<small class="soft">Recorded here, never sent${notices.length === 0 && '. A booking causes some'}.</small><ul>${notices.map(
    ({ number, channel, to, subject }) =>
      html`<li id="notice-${number}"><bdi>${subject}</bdi><br><small class="soft">${channel} to <bdi>${to}</bdi></small></li>`,
  )}</ul>`,
)}</section>`;
};

const tabs = {
  notices: 'Emails',
  webhooks: 'Webhooks',
  limits: 'Limits',
  tokens: 'Tokens',
  logins: 'Logins',
  pages: 'Pages',
};

/** Chooses which of the parts below it is shown. */
export const tabBar = html`<div class="head choose" role="group" aria-label="Show">${Object.entries(tabs).map(
  ([id, text], index) =>
    html`<label><input type="radio" name="tab" id="tab-${id}"${index === 0 && html` checked`}> ${text}</label>`,
)}</div>`;
