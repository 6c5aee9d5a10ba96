import type { HttpReply } from '../../http/message.ts';
import type { EventTypeRecord, UserRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, colorOf, face, page } from './layout.ts';
import { isEmbedded, link, type PageRequest } from './visit.ts';
import { minutes } from './words.ts';

const personAt = (store: Store, path: string): UserRecord | undefined => {
  const row = store.first<{ doc: string }>("SELECT doc FROM users WHERE doc ->> 'scheduling_url' = ?", path);
  return row && JSON.parse(row.doc);
};

/** What people can find without its link: active event types that aren't secret. */
export const publicTypes = (store: Store): EventTypeRecord[] =>
  store
    .all<{ doc: string }>(
      `SELECT doc FROM event_types WHERE active AND NOT doc ->> 'secret'
         AND doc ->> 'deleted_at' IS NULL AND doc ->> 'type' <> 'AdhocEventType' ORDER BY position, id`,
    )
    .map(({ doc }) => JSON.parse(doc));

const meetings = (pageRequest: PageRequest, { uri }: UserRecord): Content => {
  const types = publicTypes(pageRequest.store).filter(({ profile }) => profile?.owner === uri);
  if (types.length === 0) return html`<p>Nothing can be booked here at the moment.</p>`;
  return html`<ul class="meetings">${types.map(
    ({ name, duration, color, scheduling_url, description_plain }) =>
      html`<li><svg class="bar" aria-hidden="true"><rect width="100%" height="100%" fill="${colorOf(color)}"/></svg>
<a href="${link(pageRequest, scheduling_url)}"><bdi>${name}</bdi></a> <span class="soft">${minutes(duration)}</span>
${description_plain !== null && html`<p class="soft pre"><bdi>${description_plain}</bdi></p>`}</li>`,
  )}</ul>`;
};

/** What people can book with a person. */
export const personPage = (pageRequest: PageRequest): HttpReply | undefined => {
  const person = personAt(pageRequest.store, pageRequest.url.pathname);
  if (person === undefined) return undefined;
  return page({
    url: pageRequest.url,
    title: `Meetings with ${person.name}`,
    content: html`${badge}<div class="who">${face(person)}<h1><bdi>${person.name}</bdi></h1></div>${meetings(pageRequest, person)}`,
  });
};

/** A link to the page of a host. */
export const hostLink = (pageRequest: PageRequest, { scheduling_url, name }: UserRecord): Html =>
  html`<p><a href="${link(pageRequest, scheduling_url)}">Other meetings with <bdi>${name}</bdi></a></p>`;

/** For whatever isn't offered: nobody learns whether it is inactive, was deleted or never existed. */
export const missingPage = (pageRequest: PageRequest): HttpReply => {
  const host = personAt(pageRequest.store, pageRequest.url.pathname.split('/', 3).join('/'));
  return page({
    status: 404,
    url: pageRequest.url,
    title: "We can't find this page",
    content: html`${badge}<h1>We can't find this page</h1>
<p>Check the link, or ask for a new one: this meeting may no longer be offered.</p>
${host ? hostLink(pageRequest, host) : !isEmbedded(pageRequest.url) && html`<p><a href="/#pages">All booking pages of this sandbox</a></p>`}
<p class="soft">For developers: <code>sched event-types list --json=name,active,scheduling_url</code> lists the pages that work.</p>`,
  });
};

export const usedPage = (pageRequest: PageRequest, owner: UserRecord | undefined): HttpReply =>
  page({
    status: 410,
    url: pageRequest.url,
    title: 'This link has already been used',
    content: html`${badge}<h1>This link has already been used</h1><p>It works for one booking only.</p>${owner && hostLink(pageRequest, owner)}
<p class="soft">For developers: <code>sched shares create</code> makes a new link.</p>`,
  });
