import type { HttpReply } from '../../../http/message.ts';
import type { SandboxClock } from '../../sandbox-clock.ts';
import type { OrganizationRecord } from '../../store/records.ts';
import { type Html, html } from '../html.ts';
import { badge, page } from '../layout.ts';
import { clockPanel } from './panels.ts';
import { type DeskView, weekPanel } from './week.ts';

export const topPanel = ({ store, isPrivate }: DeskView, origin: string): Html => {
  const organization: OrganizationRecord = JSON.parse(
    store.first<{ doc: string }>('SELECT doc FROM organizations')!.doc,
  );
  return html`<header class="top" id="top"><img src="/assets/icon.svg" alt="" width="30" height="30"><h1><bdi>${organization.name}</bdi></h1>${badge}<code>${origin}</code>
<nav aria-label="Pages"><a href="#pages">Booking pages</a><a href="/embed/demo">Embed demo</a><a href="/openapi.json">OpenAPI</a>${isPrivate && html`<b class="good" id="live" role="status">live</b>`}</nav></header>`;
};

/** The pages that anyone can book on. */
export const pagesPanel = ({ store }: DeskView): Html => {
  const offers = store.all<{ name: string; link: string; owner: string | null; color: string }>(
    `SELECT name, doc ->> 'scheduling_url' AS link, doc ->> '$.profile.name' AS owner FROM event_types
     WHERE active AND NOT doc ->> 'secret' AND doc ->> 'scheduling_url' LIKE '/book/%' ORDER BY position, id LIMIT 100`,
  );
  return html`<section class="card side" id="pages" aria-labelledby="pages-title"><div class="head"><h2 id="pages-title">Booking pages</h2></div>
<ul>${offers.map(({ name, link, owner }) => html`<li><a href="${link}"><bdi>${name}</bdi></a> <small class="soft"><bdi>${owner ?? ''}</bdi></small></li>`)}</ul></section>`;
};

const invitation = html`<section><h2>Requests, deliveries and controls</h2>
<p>To see them here, run <code>sched sandbox open</code>.</p><p class="soft">It opens this page with a key that works once.</p></section>`;

/** The desk for visitors without a key: nothing about invitees, requests, deliveries and tokens. */
export const publicDesk = (view: DeskView, origin: string, clock: SandboxClock): HttpReply =>
  page({
    title: 'Sandbox',
    main: 'desk',
    styles: ['/assets/desk.css', '/assets/week.css'],
    scripts: ['/assets/desk.js'],
    content: html`${topPanel(view, origin)}
<div class="strip">${clockPanel(view, clock)}${invitation}</div>
${weekPanel(view)}${pagesPanel(view)}`,
  });
