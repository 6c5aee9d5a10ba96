/** The live part of the desk. The server sends HTML; this puts it in place, and sends what people click. */

const name = 'sched-desk';
const retryMilliseconds = 2_000;
let session = sessionStorage.getItem(name);
let stream = new AbortController();
let isPaused = false;
/** Whether the desk was shown once: what is put in after that is new. */
let isShown = false;

/** @param {string} path @param {RequestInit} [init] */
const ask = (path, init) => fetch(`/__sandbox/desk/${path}`, { ...init, headers: { 'x-sandbox-desk': session ?? '' } });

/** Trades the key in the address for a session. */
const trade = async () => {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  const reply = await ask('session', { method: 'POST', body: JSON.stringify({ key }) });
  if (!reply.ok) return;
  session = String((await reply.json()).session);
  sessionStorage.setItem(name, session);
};

/** @param {Node} node */
const idOf = (node) => (node instanceof Element ? node.id : '');

/** @param {Node | null} node */
const mark = (node) => {
  if (isShown && node instanceof Element) node.animate([{ background: 'var(--note-tint)' }, {}], 2_000);
};

/** Makes an element look like a new one and keeps its parts, so that focus, scrolling and open rows stay.
 * @param {Node} old @param {Node} fresh */
const patch = (old, fresh) => {
  if (old.isEqualNode(fresh)) return;
  if (old instanceof Text && fresh instanceof Text) old.data = fresh.data;
  else if (old instanceof Element && fresh instanceof Element && old.nodeName === fresh.nodeName) {
    if (old.getAttribute('data-news') !== fresh.getAttribute('data-news')) mark(old);
    for (const { name } of [...old.attributes])
      if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    patchContent(old, fresh);
  } else old.parentNode?.replaceChild(fresh, old);
};

/** Finds parts with an ID by it, and others by their place.
 * @param {Element} old @param {Element | DocumentFragment} fresh */
const patchContent = (old, fresh) => {
  const known = new Map([...old.children].map((child) => [child.id, child]));
  let place = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const id = idOf(node);
    const same = id ? known.get(id) : place && !idOf(place) ? place : undefined;
    if (same && same === place) place = place.nextSibling;
    else old.insertBefore(same ?? node, place);
    if (same) patch(same, node);
    else if (id) mark(node);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
};

/** @param {{ id?: string, html: string }} message */
const show = ({ id, html }) => {
  const made = document.createElement('template');
  made.innerHTML = html;
  const old = id === undefined ? document.querySelector('main') : document.getElementById(id);
  const fresh = made.content.firstElementChild;
  if (id === undefined && old) patchContent(old, made.content);
  else if (old && fresh) patch(old, fresh);
  isShown = true;
};

/** @param {ReadableStream<Uint8Array<ArrayBuffer>>} body */
const read = async (body) => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const messages = (rest + value).split('\n\n');
    rest = messages.pop() ?? '';
    for (const text of messages) if (text.startsWith('data: ')) show(JSON.parse(text.slice(6)));
  }
};

/** Shows what happens until the stream ends, and begins again. Not in a hidden tab: a browser has few connections. */
const watch = async () => {
  stream.abort();
  stream = new AbortController();
  const { signal } = stream;
  if (session === null || document.hidden || isPaused) return;
  const query = new URLSearchParams(location.search);
  query.set('tz', Intl.DateTimeFormat().resolvedOptions().timeZone);
  try {
    const reply = await ask(`stream?${query}`, { signal });
    if (reply.status === 401) {
      // The sandbox was started again.
      sessionStorage.removeItem(name);
      location.reload();
    }
    if (reply.ok && reply.body) await read(reply.body);
  } catch {
    // Tried again below.
  }
  if (signal.aborted) return;
  showState('not connected');
  setTimeout(watch, retryMilliseconds);
};

/** @param {string} text */
const showState = (text) => {
  const live = document.getElementById('live');
  live?.classList.replace('good', 'bad');
  live?.replaceChildren(text);
};

/** Holds what is shown, to read it in peace. The first message after it has all that happened. */
const pause = async () => {
  isPaused = !isPaused;
  document.getElementById('pause')?.setAttribute('aria-pressed', String(isPaused));
  if (isPaused) showState('paused');
  await watch();
};

/** @param {string} text @param {string[]} choices */
const tell = (text, choices) =>
  new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    const words = document.createElement('p');
    words.append(text);
    const buttons = choices.map((choice) => {
      const button = document.createElement('button');
      button.append(choice);
      button.addEventListener('click', () => dialog.close(choice));
      return button;
    });
    dialog.append(words, ...buttons);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    document.querySelector('main')?.append(dialog);
    dialog.showModal();
  });

/** Sends an admin request: its method and name, and its body.
 * @param {string} call @param {string} body */
const send = async (call, body) => {
  const [method = '', path = ''] = call.split(' ');
  const reply = await ask(`call/${path}`, { method, ...(method === 'DELETE' ? {} : { body }) });
  if (!reply.ok) await tell((await reply.json()).message, ['Close']);
};

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  const { copy, call, body = '{}', confirm } = button?.dataset ?? {};
  if (button?.id === 'pause') await pause();
  if (button && copy !== undefined) {
    await navigator.clipboard.writeText(copy);
    const text = button.textContent ?? '';
    button.replaceChildren('Copied');
    setTimeout(() => button.replaceChildren(text), 1_000);
  }
  if (call !== undefined && (!confirm || (await tell(confirm, ['Cancel', 'Continue'])) === 'Continue'))
    await send(call, body);
});

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.call === undefined) return;
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  // The browser's time zone is that of the desk.
  if (fields.time) fields.time = new Date(String(fields.time)).toISOString();
  const only = form.dataset.only?.split(' ').map((name) => fields[name]);
  await send(form.dataset.call, JSON.stringify(only ? only.find(Boolean) : fields));
  form.reset();
  form.closest('details')?.removeAttribute('open');
});

const begin = async () => {
  await trade();
  await watch();
};
addEventListener('hashchange', begin);
document.addEventListener('visibilitychange', watch);
await begin();
