import { createHash } from 'node:crypto';
import type { HttpReply } from '../../http/message.ts';
import { weekStyle } from '../desk/week.ts';
import { type Refusal, wrongMethod } from '../error-replies.ts';
import { acceptCancellation, calendarFile, donePage, showCancellation } from './booked-pages.ts';
import { acceptBooking, showBooking } from './booking-page.ts';
import files from './browser';
import { embedDemo } from './embed-demo.ts';
import { html } from './html.ts';
import { badge, page, seeOther } from './layout.ts';
import { missingPage, personPage } from './person-page.ts';
import { asEmbedded, type PageRequest } from './visit.ts';

type Answer = (pageRequest: PageRequest, ...match: string[]) => HttpReply | undefined;

const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

/** A file, which browsers load again only if it changed. */
const file = ({ request }: PageRequest, type: string, body: string): HttpReply => {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
    etag,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
  };
  return request.headers['if-none-match'] === etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
};

const assets: Readonly<Record<string, string>> = { ...files, 'week.css': weekStyle };

/** The line of a script that says how pages are embedded. A dialect has another one. */
const familyLine = /const family = \{[^}]*\}/;

const asset: Answer = (pageRequest, name = '') => {
  if (!Object.hasOwn(assets, name)) return undefined;
  const { embed } = pageRequest;
  const text = embed ? assets[name]!.replace(familyLine, `const family = ${JSON.stringify(embed)}`) : assets[name]!;
  return file(pageRequest, types[name.split('.').pop()!]!, text);
};

/** The first letters of a name in a circle, in place of a photo. */
const avatar: Answer = (pageRequest, slug = '') => {
  const user = pageRequest.store.first<{ name: string }>(
    "SELECT doc ->> 'name' AS name FROM users WHERE doc ->> 'avatar_url' = ?",
    `/avatars/${slug}.svg`,
  );
  if (user === undefined) return undefined;
  const words = user.name.split(' ').filter(Boolean);
  const initials = [words.at(0), words.length > 1 && words.at(-1)].map((word) => word && [...word][0]);
  const drawn = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img"><circle cx="32" cy="32" r="32" fill="#e9f1fd"/><text x="32" y="40" text-anchor="middle" font-family="system-ui, sans-serif" font-size="24" font-weight="700" fill="#1d5fc4">${initials}</text></svg>`;
  return file(pageRequest, types.svg!, `${drawn}`);
};

const routes: ReadonlyArray<[pattern: RegExp, methods: Partial<Record<string, Answer>>]> = [
  [/^\/assets\/([a-z-]+\.[a-z]+)$/, { GET: asset }],
  [/^\/(embed\.js)$/, { GET: asset }],
  [/^\/embed\/demo$/, { GET: embedDemo }],
  [/^\/avatars\/([a-z0-9-]+)\.svg$/, { GET: avatar }],
  [/^\/book\/[^/]+$/, { GET: personPage }],
  [/^\/(?:(?:book|d)\/[^/]+|reschedulings)\/[^/]+$/, { GET: showBooking, POST: acceptBooking }],
  [/^\/bookings\/([A-Z0-9]+)$/, { GET: donePage }],
  [/^\/cancellations\/([A-Z0-9]+)$/, { GET: showCancellation, POST: acceptCancellation }],
  [/^\/bookings\/([A-Z0-9]+)\/meeting\.ics$/, { GET: calendarFile }],
];

const refusedPage = ({ url }: PageRequest, { status, headers, message }: Refusal): HttpReply =>
  page({ status, headers, url, title: message, content: html`${badge}<h1>${message}</h1>` });

export const answerPage = (pageRequest: PageRequest): HttpReply => {
  const embedded = asEmbedded(pageRequest);
  if (embedded !== undefined) return seeOther(embedded);
  for (const [pattern, methods] of routes) {
    const match = pattern.exec(pageRequest.url.pathname);
    if (match === null) continue;
    // The server leaves out the body of a reply to HEAD.
    const { method } = pageRequest.request;
    const answer = methods[method === 'HEAD' ? 'GET' : method];
    if (answer === undefined) return refusedPage(pageRequest, wrongMethod(Object.keys(methods).join(', ')));
    return answer(pageRequest, ...match.slice(1)) ?? missingPage(pageRequest);
  }
  return missingPage(pageRequest);
};
