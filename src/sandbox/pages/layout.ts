import type { EmbedMessage } from '../../api/embed.ts';
import type { HttpReply } from '../../http/message.ts';
import { type Content, type Html, html } from './html.ts';
import { directionOf } from './moment.ts';
import { isEmbedded, parentOf } from './visit.ts';

interface PageFacts {
  status?: number;
  /** The address of a page for visitors, which can be embedded. */
  url?: URL | undefined;
  /** Whether the times on it are in the visitor's time zone, which the browser knows. */
  needsZone?: boolean | undefined;
  /** What an embedded page tells the page around it. */
  message?: EmbedMessage | undefined;
  title: string;
  /** The language of what is offered. The words around it are English. */
  language?: string | undefined;
  content: Html;
  /** Below the content, for developers. */
  aside?: Html | undefined;
  /** Origins that a form may lead to, besides the sandbox. A redirect after the form counts too. */
  formTargets?: string;
  /** The origin of an embedded page and its script. */
  embeds?: string;
  /** Classes of the element around the content. */
  main?: string;
  /** Paths of files, besides the style of every page. */
  styles?: readonly string[];
  scripts?: readonly string[];
  headers?: Record<string, string>;
}

/** Pages of this computer. Another site could trick people into clicking on an invisible page. */
const hostPages = 'http://127.0.0.1:* http://localhost:* https://localhost:*';

/** Everything on a page comes from the sandbox itself: no inline style or script, and no other host. */
const policy = ({ url, formTargets = '', embeds = '' }: PageFacts) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'self' ${embeds}`.trim(),
    "img-src 'self'",
    "connect-src 'self'",
    `frame-src ${embeds || "'none'"}`,
    `form-action 'self' ${formTargets}`.trim(),
    "base-uri 'none'",
    `frame-ancestors ${isEmbedded(url) ? hostPages : "'none'"}`,
  ].join('; ');

/** What the script of a page reads. */
const scriptFacts = ({ url, needsZone, message }: PageFacts): Content => [
  needsZone && !url?.searchParams.has('tz') && html` data-needs-zone=""`,
  parentOf(url) && html` data-parent="${parentOf(url)}"`,
  message && html` data-message="${JSON.stringify(message)}"`,
];

/** A color of a record, or the default one. It is an attribute of a shape: pages have no inline style. */
export const colorOf = (color: string): string => (/^#[0-9a-f]{6}$/i.test(color) ? color : '#2f6fde');

export const stripe = (color: string): Html =>
  html`<svg class="stripe" aria-hidden="true"><rect width="100%" height="100%" fill="${colorOf(color)}"/></svg>`;

const icons = {
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  lines: 'M5 6h14M5 12h14M5 18h9',
  people:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 5.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.5 2.5 3.5 5.5',
  video: 'M3 7h11v10H3zM14 11l6-3v8l-6-3',
  place: 'M12 21c-4-4.5-6-8-6-11a6 6 0 0 1 12 0c0 3-2 6.5-6 11M12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4',
};

export const icon = (name: keyof typeof icons): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[name]}"/></svg>`;

export const face = ({ avatar_url }: { avatar_url: string | null }): Content =>
  avatar_url !== null && html`<img class="face" src="${avatar_url}" alt="">`;

export const badge = html`<p class="badge">Sandbox: nothing here is real</p>`;

export const expired = 'This page was open for more than two hours';

/** What a visitor must know first. It gets the focus. */
export const alert = (heading: string, content: Content): Html =>
  html`<div class="alert" role="alert" tabindex="-1" autofocus><h2>${heading}</h2>${content}</div>`;

/** A page of the sandbox as a reply. */
export const page = (facts: PageFacts): HttpReply => {
  const { status = 200, url, title, content, aside, main, styles = [], scripts = [] } = facts;
  const { language = 'en' } = facts;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(facts),
    'cache-control': 'no-store',
    // Under `no-referrer`, browsers send `Origin: null` with our own forms.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(isEmbedded(url) ? {} : { 'x-frame-options': 'DENY' }),
    'cross-origin-opener-policy': 'same-origin',
    ...facts.headers,
  };
  const body = html`<!doctype html>
<html lang="${language}"${directionOf(language) === 'rtl' && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
${['/assets/pages.css', ...styles].map((path) => html`<link rel="stylesheet" href="${path}">\n`)}${[url && '/assets/page.js', ...scripts].map((path) => path && html`<script type="module" src="${path}"></script>\n`)}</head>
<body class="${isEmbedded(url) && 'embed'}"${scriptFacts(facts)}>
<main class="${main}"${language !== 'en' && html` lang="en"`}>
${content}
</main>
${aside && html`<aside class="dev">${aside}</aside>`}
</body>
</html>
`;
  return { status, headers, body: String(body) };
};

/** Leads on after a form, so that reloading the page doesn't send the form again. */
export const seeOther = (location: string): HttpReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store' },
  body: '',
});
