import { oauthPaths } from '../../api/oauth-paths.ts';
import { type Scope, scopes } from '../../api/scopes.ts';
import { capital } from '../../base/numbers.ts';
import type { HttpReply } from '../../http/message.ts';
import type { AuthorizationRequest } from '../oauth/authorization.ts';
import { type OAuthClient, withoutPort } from '../oauth/clients.ts';
import type { Login } from '../oauth/ready-tokens.ts';
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

/** A client that asks for access, and who can log in, and to what. */
interface Question {
  client: OAuthClient;
  ticket: string;
  accounts: { logins: readonly Login[]; chosen: Login; organization: string };
}

/** What is asked for, with a plain form without scripts; the focus order is top to bottom. */
const drawQuestion = (
  { client, ticket, accounts }: Question,
  names: readonly Scope[],
  action: string,
  code?: Html,
): Html => {
  const { logins, chosen, organization } = accounts;
  const ending = (end: string) => names.filter((name) => name.endsWith(end));
  const people = logins.map(
    ({ name, role }) =>
      html`<label><input type="radio" name="user" value="${role}"${role === chosen.role && html` checked`}> ${name} <small>${role}</small></label>`,
  );
  return html`<p>${client.name}, ${client.about}, wants to access your <bdi>${organization}</bdi> account.
<span class="soft id">Client ID <code>${client.id}</code></span></p>
${code}<div class="lists">
${list('Read access', ending(':read'))}
${list('Write access', ending(':write'))}
</div>
<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
<fieldset><legend>Which account?</legend><div class="choices">${people}</div></fieldset>
<div class="buttons">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</div>
</form>`;
};

export const consentPage = ({ request, ...question }: Question & { request: AuthorizationRequest }): HttpReply => {
  const { host } = new URL(request.redirectUri);
  const isHere = withoutPort(request.redirectUri) !== undefined;
  return consent(
    `Allow ${question.client.name} to use your account?`,
    html`${drawQuestion(question, request.scopes, oauthPaths.authorize)}
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

export const devicePage = (question: Question, names: readonly Scope[], userCode: string): HttpReply => {
  const code = html`<p>Continue only if your device shows the code <code>${userCode}</code>.</p>\n`;
  const title = `Allow ${question.client.name} on another device to use your account?`;
  return consent(title, drawQuestion(question, names, oauthPaths.verify, code));
};

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
