import type { HttpReply } from '../../http/message.ts';
import { html } from './html.ts';
import { page } from './layout.ts';
import { publicTypes } from './person-page.ts';
import type { PageRequest } from './visit.ts';

/** A page with an embedded booking page. Both names of this computer are used, so that the two have different origins. */
export const embedDemo = ({ store, url, embed }: PageRequest): HttpReply | undefined => {
  const [first] = publicTypes(store);
  if (!first) return undefined;
  const requestedPath = url.searchParams.get('page') ?? '';
  const path = /^\/(?:book|d)\//.test(requestedPath) ? requestedPath : first.scheduling_url;
  const other = new URL(url.origin);
  other.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  const { origin } = other;
  const target = `${origin}${path}`;
  const name = embed?.class ?? 'sched-inline';
  const snippet = `<div class="${name}"
  data-url="${target}"
  data-resize="true">
  <a href="${target}">
    Choose a time</a></div>
<script async
  src="${origin}/embed.js"></script>`;
  return page({
    title: 'Embed demo',
    main: 'demo',
    embeds: origin,
    content: html`<link rel="stylesheet" href="/assets/demo.css">
<p class="soft">Your page (<code>${url.origin}</code>), with a booking page from <code>${origin}</code></p>
<h1>Talk to us</h1>
<p>The frame below grows and shrinks with its content, so there is no second scroll bar.</p>
<div class="split">
<div class="${name}" data-url="${target}" data-resize="true"><a href="${target}">Choose a time</a></div>
<section>
<h2>Messages to this page</h2>
<table>
<thead><tr><th scope="col">ms</th><th scope="col">event</th><th scope="col">height</th><th scope="col">frame</th></tr></thead>
<tbody id="log"></tbody>
</table>
<p id="proof" role="status"></p>
<h2>Snippet</h2>
<pre><code>${snippet}</code></pre>
</section>
</div>
<p class="end">This line is right below the frame, whatever its height.</p>
<script src="/assets/demo.js"></script>
<script async src="${origin}/embed.js"></script>`,
  });
};
