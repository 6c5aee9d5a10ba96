import type { HttpReply } from '../../http/message.ts';
import { type Html, html } from './html.ts';

interface PageFacts {
  status?: number;
  title: string;
  content: Html;
  /** Origins that a form may lead to, besides the sandbox. A redirect after the form counts too. */
  formTargets?: string;
  /** Classes of the element around the content. */
  main?: string;
  headers?: Record<string, string>;
}

/** Everything on a page comes from the sandbox itself: no inline style or script, and no other host. */
const policy = (formTargets: string) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${formTargets}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const badge = html`<p class="badge">Sandbox: nothing here is real</p>`;

/** A page of the sandbox as a reply. */
export const page = ({
  status = 200,
  title,
  content,
  formTargets = '',
  main = '',
  headers = {},
}: PageFacts): HttpReply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(formTargets),
    'cache-control': 'no-store',
    // Under `no-referrer`, browsers send `Origin: null` with our own forms.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
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
</head>
<body>
<main class="${main}">
${content}
</main>
</body>
</html>
`}`,
});
