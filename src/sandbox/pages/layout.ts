import type { EmbedMessage } from '../../api/embed.ts';
import type { HttpReply } from '../../http/message.ts';
import { type Content, type Html, html } from './html.ts';
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
  content: Html;
  /** Origins that a form may lead to, besides the sandbox. A redirect after the form counts too. */
  formTargets?: string;
  /** The origin of an embedded page and its script. */
  embeds?: string;
  /** Classes of the element around the content. */
  main?: string;
  headers?: Record<string, string>;
}

/** Pages of this computer. Another site could trick people into clicking on an invisible page. */
const hostPages = 'http://127.0.0.1:* http://localhost:* https://localhost:*';

/** Everything on a page comes from the sandbox itself: no inline style or script, and no other host. */
const policy = (formTargets: string, embeds: string, ancestors: string) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'self' ${embeds}`.trim(),
    "img-src 'self'",
    "connect-src 'self'",
    `frame-src ${embeds || "'none'"}`,
    `form-action 'self' ${formTargets}`.trim(),
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');

/** What the script of a page reads. */
const scriptFacts = ({ url, needsZone, message }: Pick<PageFacts, 'url' | 'needsZone' | 'message'>): Content => [
  needsZone && !url?.searchParams.has('tz') && html` data-needs-zone=""`,
  parentOf(url) && html` data-parent="${parentOf(url)}"`,
  message && html` data-message="${JSON.stringify(message)}"`,
];

export const badge = html`<p class="badge">Sandbox: nothing here is real</p>`;

/** A page of the sandbox as a reply. */
export const page = ({
  status = 200,
  url,
  needsZone,
  message,
  title,
  content,
  formTargets = '',
  embeds = '',
  main = '',
  headers = {},
}: PageFacts): HttpReply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(formTargets, embeds, isEmbedded(url) ? hostPages : "'none'"),
    'cache-control': 'no-store',
    // Under `no-referrer`, browsers send `Origin: null` with our own forms.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(isEmbedded(url) ? {} : { 'x-frame-options': 'DENY' }),
    'cross-origin-opener-policy': 'same-origin',
    ...headers,
  },
  body: `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/pages.css">
${url && html`<script type="module" src="/assets/page.js"></script>`}
</head>
<body class="${isEmbedded(url) && 'embed'}"${scriptFacts({ url, needsZone, message })}>
<main class="${main}">
${content}
</main>
</body>
</html>
`}`,
});

/** Leads on after a form, so that reloading the page doesn't send the form again. */
export const seeOther = (location: string): HttpReply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store' },
  body: '',
});
