import { oauthPaths } from '../../api/oauth-paths.ts';
import { type Scope, scopes } from '../../api/scopes.ts';
import { capital } from '../../capital.ts';
import type { HttpReply } from '../../http/message.ts';
import type { AuthorizationRequest, OAuthClient } from '../oauth/authorization.ts';
import type { Login } from '../ready-tokens.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, page } from './layout.ts';

const consent = (title: string, content: Content, more: { status?: number; formTargets?: string } = {}): HttpReply =>
  page({ title, ...more, content: html`${badge}<h1>${title}</h1>${content}` });

const list = (heading: string, names: readonly Scope[]): Html | undefined =>
  names.length === 0
    ? undefined
    : html`<section><h2>${heading}</h2><ul class="scopes">${names.map(
        (name) => html`<li>${capital(scopes[name])} <code>${name}</code></li>`,
      )}</ul></section>`;

/** The redirect after the form needs permission too. The policy can't name an IPv6 address, so it then allows any http one. */
const targetOf = (redirectUri: string): string => {
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith('[') ? 'http:' : origin;
};

const ending = (names: readonly Scope[], end: string) => names.filter((name) => name.endsWith(end));

const access = (names: readonly Scope[]): Html => html`<div class="lists">
${list('Read access', ending(names, ':read'))}
${list('Write access', ending(names, ':write'))}
</div>`;

/** Who can log in, and to what. */
interface Accounts {
  logins: readonly Login[];
  chosen: Login;
  organization: string;
}

/** A plain form without scripts; the focus order is top to bottom. */
const decision = (action: string, ticket: string, { logins, chosen }: Accounts): Html => {
  const people = logins.map(
    ({ name, role }) =>
      html`<label><input type="radio" name="user" value="${role}"${role === chosen.role && html` checked`}> ${name} <small>${role}</small></label>`,
  );
  return html`<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<fieldset><legend>Which account?</legend><div class="choices">${people}</div></fieldset>
<div class="buttons">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>`;
};

const introduction = ({ id, name, about }: OAuthClient, { organization }: Accounts): Html =>
  html`<p>${name}, ${about}, wants to access your <bdi>${organization}</bdi> account.
<span class="soft id">Client ID <code>${id}</code></span></p>`;

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
  return consent(
    `Allow ${client.name} to use your account?`,
    html`${introduction(client, accounts)}
${access(request.scopes)}
${decision(oauthPaths.authorize, ticket, accounts)}
<p class="soft">You will then be redirected to <code>${host}</code>${isHere && ', a program on this computer'}.</p>`,
    { formTargets: targetOf(request.redirectUri) },
  );
};

export const codePage = (why?: string): HttpReply =>
  consent(
    'Enter the code from your other device',
    html`${why !== undefined && html`<p role="alert">${why}</p>`}
<form method="get" action="${oauthPaths.verify}">
<div class="field"><label for="code">Code</label>
<input class="code" id="code" type="text" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required></div>
<div class="buttons"><button class="primary">Continue</button></div>
</form>`,
    { status: why === undefined ? 200 : 400 },
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
  consent(
    `Allow ${client.name} on another device to use your account?`,
    html`${introduction(client, accounts)}
<p>Continue only if your device shows the code <code>${userCode}</code>.</p>
${access(names)}
${decision(oauthPaths.verify, ticket, accounts)}`,
  );

export const deviceEndPage = (isAllowed: boolean): HttpReply =>
  consent(
    isAllowed ? 'You are logged in' : 'Access denied',
    html`<p>${isAllowed ? 'Your other device continues in a few seconds.' : 'Your other device received nothing.'} You can close this page.</p>`,
  );

/** For errors that can't be reported to the client, because its redirect URI can't be trusted. */
export const errorPage = (why: string): HttpReply =>
  consent(
    'Invalid request',
    html`<p>${why}</p>
<p class="soft">You were not redirected to the application, because its URL could not be verified. You can close this page.</p>`,
    { status: 400 },
  );
