import { hash } from 'node:crypto';

/** How a callback ended, as shown to the user in the browser. */
export type PageKind = 'success' | 'denied' | 'failed' | 'unexpected';

interface CallbackPage {
  title: string;
  words: string;
  /** `LOGIN` stands for the login command. */
  next: string;
  /** The SVG path inside the circle. */
  mark: string;
}

const pages: Record<PageKind, CallbackPage> = {
  success: {
    title: 'You are logged in',
    words: 'sched can now use your account. The terminal shows what it may do.',
    next: 'You can close this tab and go back to the terminal.',
    mark: '<path d="M15 25l7 7 13-15"/>',
  },
  denied: {
    title: 'Access denied',
    words: 'You denied access, so sched received nothing and stored nothing.',
    next: 'Changed your mind? Run <code>LOGIN</code> again.',
    mark: '<path d="M16 25h18"/>',
  },
  failed: {
    title: 'Login failed',
    words: 'Nothing was stored. The terminal shows what went wrong.',
    next: 'You can close this tab and run <code>LOGIN</code> again.',
    mark: '<path d="M25 15v12M25 33.5v.5"/>',
  },
  unexpected: {
    title: 'Unexpected page',
    words: 'sched is waiting for a login to finish, but this page is not part of that login.',
    next: 'Open the URL that the terminal shows.',
    mark: '<path d="M18.500 20.500a6.500 6.500 0 1 1 9 6c-1.700.8-2.500 2-2.500 3.500M25 35.500v.5"/>',
  },
};

const style = `
:root{color-scheme:light dark;--back:#f4f5f7;--card:#fff;--text:#1a1d23;--soft:#565d6b;--line:#e2e5ea;--success:#0f7b4f;--denied:#6a5400;--failed:#b3261e;--unexpected:#3b5bdb}
@media(prefers-color-scheme:dark){:root{--back:#0f1115;--card:#181b21;--text:#eceef2;--soft:#a3abb9;--line:#2a2f39;--success:#4cc38a;--denied:#e2c25a;--failed:#ff8a80;--unexpected:#91a7ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);color:var(--text);font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:27rem;padding:2.75rem 2.25rem 2.25rem;text-align:center;background:var(--card);border:1px solid var(--line);border-radius:1.25rem;box-shadow:0 1px 2px #0000000a,0 12px 32px #00000014}
svg{width:4.5rem;height:4.5rem;fill:none;stroke:currentColor;stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
.success svg{color:var(--success)}.denied svg{color:var(--denied)}.failed svg{color:var(--failed)}.unexpected svg{color:var(--unexpected)}
h1{margin:1.25rem 0 .5rem;font-size:1.625rem;line-height:1.25;letter-spacing:-.015em}
h1,p{text-wrap:balance}
p{margin:.75rem 0 0;color:var(--soft)}
.next{color:var(--text);font-weight:500}
code{padding:.1em .4em;border-radius:.375rem;background:var(--back);font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
footer{margin-top:2rem;padding-top:1.25rem;border-top:1px solid var(--line);color:var(--soft);font-size:.875rem}
@media(forced-colors:active){main{border:1px solid CanvasText}}
@media(prefers-reduced-motion:no-preference){svg path{stroke-dasharray:60;animation:draw .5s .1s ease-out both}@keyframes draw{from{stroke-dashoffset:60}to{stroke-dashoffset:0}}}
`;

const styleHash = hash('sha256', style, 'base64');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

/** The page for a result. It never contains anything from a request. The command that logs in again needs no escaping. */
export const resultPage = (kind: PageKind, again: string): { headers: Record<string, string>; body: string } => {
  const { title, words, next, mark } = pages[kind];
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · sched</title>
<style>${style}</style>
</head>
<body>
<main class="${kind}">
<svg viewBox="0 0 50 50" aria-hidden="true"><circle cx="25" cy="25" r="22"/>${mark}</svg>
<h1>${title}</h1>
<p>${words}</p>
<p class="next">${next.replace('LOGIN', again)}</p>
<footer>sched · scheduling on the command line</footer>
</main>
</body>
</html>
`;
  return { headers, body };
};
