import type { HttpReply } from '../../http/message.ts';
import { type Parameters, readForm } from '../oauth/authorization.ts';
import { signerOf } from '../oauth/signing.ts';
import { timestamp } from '../store/names.ts';
import { type Html, html } from './html.ts';
import { badge, page } from './layout.ts';
import { readTicket, writeTicket } from './ticket.ts';
import type { PageRequest } from './visit.ts';

const ticketSeconds = 2 * 3600;

/** Pages expire by the computer's clock: moving the sandbox's clock must not expire an open page. */
const ticketContext = ({ store, systemNow, randomBytes }: PageRequest) => ({
  now: systemNow,
  seal: signerOf(store, randomBytes),
  randomBytes,
});

/** The hidden field of a form that is sent to the address of its own page. That address names the form and its record. */
export const ticketField = (pageRequest: PageRequest): Html =>
  html`<input type="hidden" name="ticket" value="${writeTicket(pageRequest.url.pathname, {}, ticketContext(pageRequest))}">`;

/**
 * Browsers send both headers with a form. Other programs have no reason to. A sandbox with a name of its own also has the
 * one that the browser asked, which is in `Host` and was checked.
 */
export const isFromOwnPage = ({ url, request: { headers } }: Pick<PageRequest, 'url' | 'request'>): boolean => {
  const { 'sec-fetch-site': site = 'same-origin', origin = url.origin, host } = headers;
  return site === 'same-origin' && (origin === url.origin || (URL.canParse(origin) && new URL(origin).host === host));
};

export interface SentForm {
  /** Without the fields that were left empty. */
  values: Parameters['values'];
  /** The same if the same page sends its form again. */
  nonce: string;
  /** Whether the page was open for too long. Show the form again, filled in. */
  isExpired: boolean;
}

const refusal = ({ url }: PageRequest): HttpReply =>
  page({
    status: 403,
    url,
    title: 'This form was not accepted',
    content: html`${badge}<h1>This form was not accepted</h1>
<p>It did not come from a page of this sandbox, or the sandbox was reset meanwhile. Nothing was changed.</p>
<p><a href="${url.pathname + url.search}">Open the page again</a></p>`,
  });

/** Reads the form of a page and answers with `accept`, or with a page that says why the form is refused. */
export const withForm = (
  pageRequest: PageRequest,
  accept: (form: SentForm) => HttpReply | undefined,
): HttpReply | undefined => {
  const form = readForm(pageRequest.request);
  if (form === undefined || form.repeated.length > 0 || !isFromOwnPage(pageRequest)) return refusal(pageRequest);
  const ticket = readTicket(
    pageRequest.url.pathname,
    form.values.ticket ?? '',
    ticketSeconds,
    ticketContext(pageRequest),
  );
  return ticket === undefined ? refusal(pageRequest) : accept({ values: form.values, ...ticket });
};

/** Makes a change once per page that was shown. A form that is sent again gets the invitee of the first time. */
export const changeOnce = ({ store, systemNow: now }: PageRequest, nonce: string, change: () => string): string =>
  store.transaction(() => {
    const before = store.first<{ invitee: string }>('SELECT invitee FROM submitted WHERE nonce = ?', nonce);
    if (before) return before.invitee;
    const invitee = change();
    store.run('DELETE FROM submitted WHERE at < ?', timestamp(now - ticketSeconds * 1000));
    store.add('submitted', { nonce, invitee, at: timestamp(now) });
    return invitee;
  });
