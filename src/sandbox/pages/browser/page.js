// On pages for visitors: shows times in the browser's time zone, and tells the page around an embedded one its height.
const { needsZone, parent, message } = document.body.dataset;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** How the page tells the page around it. The service may speak a dialect. */
const family = { prefix: 'sched', height: 'number' };

/** @param {import('../../../api/embed.ts').EmbedMessage} told */
const post = (told) => {
  const event = told.event.replace('sched', family.prefix);
  const payload =
    'height' in told.payload && family.height === 'px' ? { height: `${told.payload.height}px` } : told.payload;
  window.parent.postMessage({ ...told, event, payload }, /** @type {string} */ (parent));
};

if (needsZone !== undefined && zone) {
  const url = new URL(location.href);
  url.searchParams.set('tz', zone);
  location.replace(url);
} else if (parent !== undefined && window.parent !== window) {
  let known = 0;
  // The content alone decides the height of the body, so a higher frame causes no other message.
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === known) return;
    known = height;
    post({ version: 1, event: 'sched.page_height', payload: { height } });
  }).observe(document.body);
  if (message !== undefined) post(JSON.parse(message));
}
