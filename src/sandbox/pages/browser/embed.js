// For any page: turns <div class="sched-inline" data-url="…" data-resize="true"> into an iframe with a booking page.
{
  /** What the service calls its elements and messages. */
  const family = { class: 'sched-inline', prefix: 'sched', height: 'number' };

  /** @param {HTMLElement} box @param {boolean} resizes */
  const fill = (box, resizes) => {
    const url = new URL(box.dataset.url ?? '', document.baseURI);
    if (!/^https?:$/.test(url.protocol)) return;
    url.searchParams.set('embed', 'inline');
    url.searchParams.set('parent', location.origin);
    const frame = document.createElement('iframe');
    frame.src = url.href;
    frame.title = box.dataset.title ?? 'Choose a time';
    Object.assign(frame.style, { display: 'block', width: '100%', height: '700px', border: '0' });
    box.replaceChildren(frame);
    if (!resizes) return;
    addEventListener('message', ({ origin, source, data }) => {
      if (origin !== url.origin || source !== frame.contentWindow) return;
      if (data?.event !== `${family.prefix}.page_height` || data.version !== 1) return;
      const told = data.payload?.height;
      const height = family.height === 'px' ? Number.parseFloat(told) : told;
      if (Number.isFinite(height) && height > 0) frame.style.height = `${Math.min(Math.ceil(height), 10_000)}px`;
    });
  };

  const start = () => {
    const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`.${family.class}[data-url]`));
    const resizing = [...boxes].filter(({ dataset }) => dataset.resize === 'true');
    if (resizing.length > 1)
      // biome-ignore lint/suspicious/noConsole: the author of the page reads it there
      console.warn('sched: only the first embed with data-resize="true" resizes. The others keep their height.');
    for (const box of boxes) if (box.querySelector('iframe') === null) fill(box, box === resizing[0]);
  };

  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start);
  else start();
}
