import { oauthPaths } from '../../api/oauth-paths.ts';
import { shellWord } from '../../base/shell-quote.ts';
import type { LogEntry } from '../admin/log-admin.ts';
import { type Content, type Html, html } from '../pages/html.ts';
import { action, copyButton, head, inWords, pill, scroller } from './parts.ts';
import { type DeskView, shownAt } from './week.ts';

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

/** Requests that differ in nothing but their time. */
interface Row {
  newest: LogEntry;
  oldest: LogEntry;
  count: number;
}

/** `×9, every 10 s`, or only `×9` if they come within a second of each other. */
const repetition = ({ newest, oldest, count }: Row): string => {
  const pause = (Date.parse(newest.at) - Date.parse(oldest.at)) / (count - 1);
  return pause < 1000 ? `×${count}` : `×${count}, every ${inWords(pause)}`;
};

/**
 * One row for a program that asks the same again and again. Reads are folded between two requests that did something, so
 * that it stays visible what came before what.
 */
const folded = (newestFirst: readonly LogEntry[]): Row[] => {
  const rows: Row[] = [];
  let reads = new Map<string, Row>();
  for (const entry of newestFirst) {
    const { method, path, status, token, window, faults, committed } = entry;
    const isRead = method === 'GET' && status !== null && faults.length === 0 && !committed;
    if (!isRead) reads = new Map();
    const key = [path, status, token, window].join('\n');
    const known = isRead ? reads.get(key) : undefined;
    if (known) {
      known.oldest = entry;
      known.count += 1;
    } else {
      const row = { newest: entry, oldest: entry, count: 1 };
      rows.push(row);
      if (isRead) reads.set(key, row);
    }
  }
  return rows;
};

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
  return html`<p class="acts">${copyButton(curl, 'Copy as curl', `Copy request ${number} as curl`)}${copyButton(api, 'Copy as sched', `Copy request ${number} as sched`)}</p>`;
};

const loginPaths: readonly string[] = Object.values(oauthPaths);

/** Without the codes that a login has in its query. */
const withoutCodes = (path: string): string => {
  const [bare = ''] = path.split('?');
  return loginPaths.includes(bare) ? bare : path;
};

const legible: Record<string, string> = { '%2F': '/', '%3A': ':', '%40': '@', '%2C': ',', '%2B': '+' };

/** As people write it: without the origin of this sandbox, and with the signs that need no escape in a query. */
const shownPath = (path: string, origin: string): string =>
  withoutCodes(path)
    .replaceAll(/%(?:2F|3A|40|2C|2B)/gi, (sign) => legible[sign.toUpperCase()]!)
    .replaceAll(origin, '');

const requestRow = (zone: string, origin: string) => (row: Row) => {
  const { newest: entry, oldest, count } = row;
  const { number, at, method, status, faults, committed, milliseconds, token, body, operation } = entry;
  const isLost = faults.some((kind) => losing.includes(kind));
  const isBad = isLost || status === null || status >= 500;
  const kind = isBad ? 'bad' : status >= 400 ? 'warn' : '';
  // The row of a poll stays the same one while the poll goes on.
  const id = oldest.number;
  return html`<tr id="request-${id}" class="${kind}${committed && ' saved'}"><td class="num">${shownAt(Date.parse(at), zone, 'time')}</td>
<td class="num"><code>${method}</code></td>
<td class="path"><details id="more-${id}"><summary><code>${shownPath(entry.path, origin)}</code></summary><p>${story(entry)}</p>${body !== null && body !== '' && html`<pre tabindex="0" aria-label="Body of request ${number}">${body.slice(0, longestBody)}${body.length > longestBody && ' …'}</pre>`}${withoutCodes(entry.path) === entry.path && copies(entry)}</details></td>
<td class="soft">${token ?? (operation?.startsWith('pages.') ? 'page' : '')}</td><td class="num"><b>${isLost ? 'lost' : (status ?? '–')}</b></td><td class="num soft">${milliseconds ?? '…'}</td>
<td class="soft notes">${count > 1 && repetition(row)}${faults.map((each) => pill('bad', each))}${committed && pill('good', 'saved')}</td></tr>`;
};

export const requestsPanel = ({ zone }: DeskView, log: readonly LogEntry[], origin: string): Html => {
  const isShown = ({ operation }: LogEntry) => operation !== 'pages.file';
  const rows = folded(
    log
      .slice(-10 * mostRows)
      .filter(isShown)
      .reverse(),
  ).slice(0, mostRows);
  const filter = (id: string, text: string, isFirst = false) =>
    html`<label><input type="radio" name="show" id="show-${id}"${isFirst && html` checked`}> ${text}</label>`;
  return html`<section class="card reqs" id="requests" aria-labelledby="requests-title">${head('requests', 'Requests', {
    more: html`<span class="soft">newest first</span><div class="acts" role="group" aria-label="Show">${filter('all', 'All', true)}${filter('errors', 'Errors')}${filter('changes', 'Changes')}${action('DELETE log', {}, 'Clear', { label: 'Clear the requests' })}</div>`,
  })}
${scroller(
  'Requests, newest first',
  rows.length === 0
    ? html`<p class="soft">None yet. Requests to this address appear here.</p>`
    : html`<table><thead><tr><th>Time</th><th>Call</th><th>Path</th><th>Token</th><th>Status</th><th>ms</th><th>Notes</th></tr></thead>
<tbody>${rows.map(requestRow(zone, origin))}</tbody></table>`,
)}</section>`;
};
