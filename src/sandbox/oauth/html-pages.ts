import { createHash } from 'node:crypto';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { type Scope, scopes } from '../../api/scopes.ts';
import type { HttpReply } from '../../http/message.ts';
import type { Login } from '../ready-tokens.ts';
import type { AuthorizationRequest, OAuthClient } from './authorization.ts';

const style = `
:root { color-scheme: light dark; --ink: #1b2430; --soft: #4d5a69; --line: #cfd7e0; --card: #fff; --page: #eef2f6;
  --accent: #1d5fc4; --on-accent: #fff; --tint: #e9f1fd; --note: #6b4a00; --note-tint: #fdf1d3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9eef4; --soft: #aab6c4; --line: #3a4654; --card: #1a222c;
  --page: #10161d; --accent: #8ab8ff; --on-accent: #0b1a2e; --tint: #1e2d42; --note: #f2cf86; --note-tint: #3b2f14; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 1rem; }
.badge { display: inline-block; margin: 0 0 1rem; padding: .15rem .7rem; border-radius: 1rem; background: var(--note-tint);
  color: var(--note); font-size: .875rem; font-weight: 600; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.05rem; }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); }
.id { display: block; font-size: .9rem; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .85em;
  overflow-wrap: anywhere; }
.lists { display: grid; gap: 0 2rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: .35rem 0; border-top: 1px solid var(--line); line-height: 1.35; }
li:first-child { border-top: 0; }
li code { display: block; color: var(--soft); }
fieldset { margin: 1.75rem 0 1.5rem; padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .5rem; font-size: 1.05rem; font-weight: 700; }
label { display: flex; gap: .75rem; align-items: center; padding: .6rem .9rem; border: 1px solid var(--line);
  cursor: pointer; }
label:first-of-type { border-radius: .6rem .6rem 0 0; }
label:last-of-type { border-radius: 0 0 .6rem .6rem; }
label + label { border-top: 0; }
label:has(:checked) { background: var(--tint); }
input.code { width: 100%; height: 2.9rem; margin: .25rem 0 0; padding: 0 .9rem; border: 1px solid var(--line);
  border-radius: .6rem; font: inherit; text-transform: uppercase; }
input { flex: none; width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
label small { margin-left: auto; color: var(--soft); font-size: .875rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-bottom: 1.25rem; }
button { flex: 1 1 10rem; min-height: 2.9rem; padding: 0 1.25rem; border: 2px solid var(--accent); border-radius: .6rem;
  background: transparent; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
button.allow { background: var(--accent); color: var(--on-accent); }
:is(button, input):focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
@media (forced-colors: active) { button, label { border-color: ButtonText; } }
@media (max-width: 30rem) { body { padding: 0; } main { border: 0; border-radius: 0; padding: 1.25rem; } }
`;

/** The content security policy allows only this style sheet and the form. */
const styleHash = createHash('sha256').update(style).digest('base64');

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const quoted = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign]!);

const page = (status: number, title: string, formAction: string, content: string): HttpReply => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${quoted(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="badge">Sandbox: nothing here is real</p>
<h1>${quoted(title)}</h1>
${content}
</main>
</body>
</html>
`,
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const list = (heading: string, names: readonly Scope[]): string =>
  names.length === 0
    ? ''
    : `<section><h2>${heading}</h2><ul>${names
        .map((name) => `<li>${capital(scopes[name])} <code>${name}</code></li>`)
        .join('')}</ul></section>`;

/** The redirect after the form needs permission too. The policy can't name an IPv6 address, so it then allows any http one. */
const formTargets = (redirectUri: string): string => {
  const { origin, hostname } = new URL(redirectUri);
  return `'self' ${hostname.startsWith('[') ? 'http:' : origin}`;
};

const access = (names: readonly Scope[]): string => `<div class="lists">
${list(
  'Read access',
  names.filter((name) => name.endsWith(':read')),
)}
${list(
  'Write access',
  names.filter((name) => name.endsWith(':write')),
)}
</div>`;

/** Who can log in, and to what. */
interface Accounts {
  logins: readonly Login[];
  chosen: Login;
  organization: string;
}

/** A plain form without scripts; the focus order is top to bottom. */
const decision = (action: string, ticket: string, { logins, chosen }: Accounts): string => {
  const people = logins.map(
    ({ name, role }) =>
      `<label><input type="radio" name="user" value="${role}"${role === chosen.role ? ' checked' : ''}> ${quoted(name)} <small>${role}</small></label>`,
  );
  return `<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${quoted(ticket)}">
<fieldset><legend>Which account?</legend>${people.join('')}</fieldset>
<div class="buttons">
<button class="allow" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>`;
};

const introduction = ({ id, name, about }: OAuthClient, { organization }: Accounts): string =>
  `<p>${quoted(`${name}, ${about},`)} wants to access your ${quoted(organization)} account.
<span class="soft id">Client ID <code>${quoted(id)}</code></span></p>`;

export const consentPage = ({
  client,
  request,
  ticket,
  accounts,
}: {
  client: OAuthClient;
  request: AuthorizationRequest;
  ticket: string;
  accounts: Accounts;
}): HttpReply => {
  const { hostname, host } = new URL(request.redirectUri);
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]';
  return page(
    200,
    `Allow ${client.name} to use your account?`,
    formTargets(request.redirectUri),
    `${introduction(client, accounts)}
${access(request.scopes)}
${decision(oauthPaths.authorize, ticket, accounts)}
<p class="soft">You will then be redirected to <code>${quoted(host)}</code>${isHere ? ', a program on this computer' : ''}.</p>`,
  );
};

export const codePage = (why?: string): HttpReply =>
  page(
    why === undefined ? 200 : 400,
    'Enter the code from your other device',
    "'self'",
    `${why === undefined ? '' : `<p role="alert">${quoted(why)}</p>`}
<form method="get" action="${oauthPaths.verify}">
<p><label for="code">Code</label>
<input class="code" id="code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required></p>
<div class="buttons"><button class="allow">Continue</button></div>
</form>`,
  );

export const devicePage = (
  client: OAuthClient,
  {
    userCode,
    names,
    ticket,
    accounts,
  }: { userCode: string; names: readonly Scope[]; ticket: string; accounts: Accounts },
): HttpReply =>
  page(
    200,
    `Allow ${client.name} on another device to use your account?`,
    "'self'",
    `${introduction(client, accounts)}
<p>Continue only if your device shows the code <code>${quoted(userCode)}</code>.</p>
${access(names)}
${decision(oauthPaths.verify, ticket, accounts)}`,
  );

export const deviceEndPage = (isAllowed: boolean): HttpReply =>
  page(
    200,
    isAllowed ? 'You are logged in' : 'Access denied',
    "'none'",
    `<p>${isAllowed ? 'Your other device continues in a few seconds.' : 'Your other device received nothing.'} You can close this page.</p>`,
  );

/** For errors that can't be reported to the client, because its redirect URI can't be trusted. */
export const errorPage = (why: string): HttpReply =>
  page(
    400,
    'Invalid request',
    "'none'",
    `<p>${quoted(why)}</p>
<p class="soft">You were not redirected to the application, because its URL could not be verified. You can close this page.</p>`,
  );
