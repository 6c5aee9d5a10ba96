import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '../../../src/http/message.ts';
import { faultChoices } from '../../../src/sandbox/desk/panels.ts';
import { inWords } from '../../../src/sandbox/desk/parts.ts';
import { weekPanel } from '../../../src/sandbox/desk/week.ts';
import { createFaultScript, readFault } from '../../../src/sandbox/faults/faults.ts';
import { hostile } from '../../../src/sandbox/faults/inject.ts';
import { readyTokens } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { addNotice } from '../../../src/sandbox/rules/notices.ts';
import { runSandbox } from '../../../src/sandbox/run.ts';
import { openDatabase } from '../../../src/sandbox/store/database.ts';
import { browser, openChromium, problemsOn } from '../../support/browser.ts';
import { dontWaitForDisk, seededFile } from '../../support/seeded.ts';
import { closeLater } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';
import { describeWith } from '../../support/tools.ts';
import { raw } from '../wire.ts';
import { system as computer, noon } from '../world.ts';

/** Directory for screenshots of the page, for manual review. */
const pictures = process.env.SCHED_PICTURES;

const html = { accept: 'text/html,application/xhtml+xml' };

/** A running sandbox whose timers fire when `tick` is called. */
const openDesk = async (...faults: string[]) => {
  const system = { time: computer.now(), now: () => system.time, sleep: async () => {} };
  const file = await seededFile(noon);
  const sandbox = await openSandbox({ file, clock: system });
  dontWaitForDisk(sandbox.store);
  const timers = new Map<number, Set<() => void>>();
  const every = (milliseconds: number, call: () => void) => {
    timers.set(milliseconds, (timers.get(milliseconds) ?? new Set()).add(call));
    return () => void timers.get(milliseconds)!.delete(call);
  };
  let random = 0;
  const options = {
    port: 0,
    script: createFaultScript(faults.map(readFault)),
    data: file,
    version: '1.0.0',
  };
  const running = await runSandbox(sandbox, options, {
    clock: system,
    every,
    randomBytes: (count) => new Uint8Array(count).fill(++random),
    machine: { pid: 1, isAlive: () => true },
  });
  closeLater(() => void running.close());
  const { url: origin, service, secret } = running;

  const ask = (method: string, path: string, more: Partial<HttpRequest> = {}) =>
    service({ method, url: `${origin}${path}`, headers: {}, ...more });
  const desk = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    ask(method, `/__sandbox/desk/${path}`, { headers, ...(body && { body: JSON.stringify(body) }) });
  const trade = async (address: string, headers: Record<string, string> = {}) => {
    const reply = await desk('POST', 'session', headers, { key: new URL(address).hash.replace('#key=', '') });
    return { status: reply.status, session: JSON.parse(reply.body).session as string };
  };
  const login = async () => ({ 'x-sandbox-desk': (await trade(running.deskAddress())).session });
  const page = async (path = '/') => (await ask('GET', path, { headers: html })).body;

  /** The messages of a stream, one after the other. */
  const watch = async (headers: Record<string, string>, query = '') => {
    const { stream } = await desk('GET', `stream${query}`, headers);
    const reader = stream![Symbol.asyncIterator]();
    const next = async (): Promise<Array<{ id?: string; html: string }>> => {
      const { value = '' } = await reader.next();
      return String(value)
        .split('\n\n')
        .filter((text) => text.startsWith('data: '))
        .map((text) => JSON.parse(text.slice(6)));
    };
    const [first] = await next();
    return { first: first!.html, next, end: () => reader.return!() };
  };
  const watching = () => timers.get(100)?.size ?? 0;
  const tick = () => {
    for (const call of timers.get(100) ?? []) call();
  };
  const api = (method: string, path: string, token = 'sandbox_owner', body?: string) =>
    ask(method, path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
  return {
    ...running,
    running,
    sandbox,
    file,
    system,
    origin,
    secret,
    ask,
    desk,
    trade,
    login,
    page,
    watch,
    watching,
    tick,
    api,
  };
};

/** The parts that a page doesn't have. A page in a failed assertion would be too long to read. */
const missing = (text: string, ...parts: string[]) => parts.filter((part) => !text.includes(part));

const unescaped = (text: string) =>
  text.replaceAll(
    /&(?:lt|gt|quot|#39|amp);/g,
    (sign) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" })[sign] ?? '&',
  );

const tags = (text: string) => [...text.matchAll(/<(\/?[a-z0-9]+)[\s>]/g)].map(([, name]) => name);

test('the desk is at / for browsers, and nothing changes for other programs', async () => {
  const { ask, page, origin } = await openDesk();
  expect((await ask('GET', '/', { headers: { accept: 'application/json' } })).status).toBe(404);
  expect((await ask('GET', '/')).body).toContain('"title"');
  expect((await ask('POST', '/', { headers: html })).status).toBe(404);
  const facts = [origin, 'Northlight Advisory', 'Wed 11 Mar 13:00:00', 'href="/book/amara-lindqvist/intro-call"'];
  expect(missing(await page(), ...facts, '<code>sched sandbox open</code>', 'Wed 11 <small>today')).toEqual([]);
  expect(missing(await page('/?week=2026-03-19'), 'Thu 19')).toEqual([]);
  const { body } = await ask('GET', '/openapi.json');
  expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0', servers: [{ url: origin }] });
});

test('without a key, the page has nothing private', async () => {
  const { api, page, sandbox, secret, login, watch } = await openDesk();
  const { store } = sandbox;
  await api('POST', '/invitees', 'sandbox_owner', '{"private":"body"}');
  const texts = <Row extends object>(sql: string) =>
    store.all<Row>(sql).flatMap((row) => Object.values(row).map(String));
  const hosts = texts("SELECT doc ->> 'name' FROM users");
  const people = texts("SELECT doc ->> 'name', email FROM invitees").filter((text) => !hosts.includes(text));
  const others = [
    ...texts('SELECT email FROM users UNION SELECT id FROM invitees'),
    ...texts("SELECT name FROM event_types WHERE doc ->> 'secret'"),
    ...texts("SELECT replace(callback_url, 'https://', '') FROM webhooks"),
    ...readyTokens.flatMap(({ token, refreshToken = token }) => [token, refreshToken]),
    ...[secret, '{"private":"body"}', '/invitees'],
  ];
  const found = (text: string) => [...people, ...others].filter((each) => unescaped(text).includes(each));
  expect(found((await watch(await login())).first).length).toBeGreaterThan(20);
  for (const week of ['2026-03-04', '2026-03-11', '2026-03-18', '2026-03-25'])
    expect(found(await page(`/?week=${week}`))).toEqual([]);
});

test('a key works once, and one for a browser for a minute', async () => {
  const { deskAddress, trade, system, desk, ask, secret } = await openDesk();
  const address = deskAddress();
  expect((await trade(address)).status).toBe(200);
  expect((await trade(address)).status).toBe(401);
  const late = deskAddress(60);
  system.time += 60_000;
  expect((await trade(late)).status).toBe(401);
  expect((await trade(`${address}0`)).status).toBe(401);
  for (const session of ['', 'guess', secret])
    expect((await desk('GET', 'stream', { 'x-sandbox-desk': session })).status).toBe(401);
  const issue = (headers: Record<string, string>) =>
    ask('POST', '/__sandbox/desk/keys', { headers, body: '{"seconds":60}' });
  // Without the secret, no admin request exists.
  expect((await issue({})).status).toBe(404);
  expect((await issue({ origin: 'https://elsewhere.example' })).status).toBe(404);
  expect((await trade(JSON.parse((await issue({ 'x-sandbox-admin': secret })).body).url)).status).toBe(200);
});

test('another site or another name of the host gets nothing, not even with a key', async () => {
  const { deskAddress, trade, login, desk, url } = await openDesk();
  const session = await login();
  const foreign: Array<[string, string]> = [
    ['origin', 'http://evil.example'],
    ['origin', 'null'],
    ['sec-fetch-site', 'same-site'],
    ['sec-fetch-site', 'cross-site'],
  ];
  for (const [name, value] of foreign) {
    expect((await trade(deskAddress(), { [name]: value })).status).toBe(403);
    const reply = await desk('GET', 'stream', { ...session, [name]: value });
    const cors = reply.headers['access-control-allow-origin'];
    expect([reply.status, reply.stream, cors]).toEqual([403, undefined, undefined]);
  }
  const { port } = new URL(url);
  const text = (host: string) => `GET / HTTP/1.1\r\nhost: ${host}\r\naccept: text/html\r\nconnection: close\r\n\r\n`;
  const [own, other] = await Promise.all(
    [`localhost:${port}`, `evil.example:${port}`].map((host) => raw(Number(port), text(host))),
  );
  expect([own!.status, own!.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  expect([other!.status, other!.body.includes('Northlight')]).toEqual([421, false]);
});

test('a stream shows what happens, and one that broke has missed nothing', async () => {
  const { login, watch, tick, api, watching, sandbox, file, system } = await openDesk('users.me reset-after at=2');
  const session = await login();
  const { first, next, end } = await watch(session, '?tz=Asia/Tokyo');
  expect(missing(first, 'Asia/Tokyo', 'request-1"')).toEqual(['request-1"']);
  await api('GET', '/users/me', 'sandbox_read_only');
  tick();
  const news = await next();
  expect(news.map(({ id }) => id)).toContain('requests');
  expect(news.map(({ id }) => id)).not.toContain('week');
  expect(missing(news.find(({ id }) => id === 'requests')!.html, '<td class="soft">read_only</td>')).toEqual([]);
  // Another process cancels all events.
  const other = await openDatabase(file);
  other.run("UPDATE events SET doc = json_set(doc, '$.status', 'canceled')");
  other.close();
  tick();
  expect((await next()).map(({ id }) => id)).toContain('week');
  expect(watching()).toBe(1);
  await end();
  expect(watching()).toBe(0);
  await api('GET', '/users/me');
  await api('PATCH', '/event_types/NONE', 'other_secret', '{"name":"x"}');
  const { first: again, end: endAgain } = await watch(session);
  const rows = [
    'request-1"',
    'request-2"',
    '<b>lost</b>',
    'then the connection was reset',
    'request-3"',
    '&quot;x&quot;',
  ];
  expect(missing(again, ...rows, 'other_secret')).toEqual(['other_secret']);
  await endAgain();
  sandbox.clock.set(system.now() + 3_600_000);
  system.time += 1000;
  expect(missing((await watch(session)).first, '60 min ahead of this computer')).toEqual([]);
});

test('a browser that goes away frees its place, of which there are eight', async () => {
  const { login, watch, watching, desk, url, tick, system, sandbox } = await openDesk();
  const session = await login();
  // Nothing on the page changes then.
  sandbox.clock.freeze();
  const streams = await Promise.all(Array.from({ length: 7 }, () => watch(session)));
  const gone = new AbortController();
  const reply = await fetch(`${url}/__sandbox/desk/stream`, { headers: session, signal: gone.signal });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  await reply.body!.getReader().read();
  expect((await desk('GET', 'stream', session)).status).toBe(503);
  gone.abort();
  while ((await desk('GET', 'stream', session)).status === 503) {
    system.time += 1000;
    tick();
    await new Promise(setImmediate);
  }
  for (const { end } of streams) await end();
  expect(watching()).toBe(0);
});

test('a session sends admin requests, and the secret reaches no browser', async () => {
  const { login, desk, sandbox, watch, secret, api, page, deskAddress } = await openDesk();
  const session = await login();
  const send = async (call: string, body: unknown, headers: Record<string, string> = session) =>
    (await desk('POST', `call/${call}`, headers, body as object)).status;
  expect(await send('clock', { advance_seconds: 60 }, {})).toBe(401);
  const aheadMs = noon - computer.now();
  expect(sandbox.clock.offset).toBe(aheadMs);
  expect(await send('clock', { advance_seconds: 60 })).toBe(200);
  expect(sandbox.clock.offset).toBe(aheadMs + 60_000);
  expect(await send('faults', '* delay ms=200 count=2')).toBe(201);
  expect(await send('faults', 'nonsense')).toBe(400);
  expect(await send('nothing', {})).toBe(404);
  expect(await send('snapshots', { name: 'base' })).toBe(201);
  await send('clock', { advance_seconds: 60 });
  expect(await send('snapshots/base/restore', {})).toBe(200);
  expect(sandbox.clock.offset).toBe(aheadMs + 60_000);
  expect(await send('snapshots/base/other', {})).toBe(404);
  await api('GET', '/users/me');
  const { first } = await watch(session);
  expect(missing(first, 'aria-label="Restore base"')).toEqual([]);
  expect(missing(first, '<code>* delay ms=200 count=2</code><span class="soft num">1 left', 'request-2"')).toEqual([
    'request-2"',
  ]);
  for (const text of [first, await page(), deskAddress()]) expect(missing(text, secret)).toEqual([secret]);
});

test('what can never be sent takes one line for each host, with a button that disables its webhooks', async () => {
  const { login, desk, watch, sandbox, running } = await openDesk();
  const { store } = sandbox;
  const session = await login();
  const trigger = { event: 'invitee.created', to: 'https://hooks.northlight.example/crm' };
  for (let count = 0; count < 12; count += 1) await desk('POST', 'call/trigger', session, trigger);
  await running.drain();
  const { first, end } = await watch(session);
  await end();
  expect(first.match(/<li id="(?:elsewhere|delivery)-[^"]*"/g)).toEqual([
    '<li id="elsewhere-hooks.northlight.example"',
  ]);
  expect(missing(first, '<b>12 not sent</b> to <code>hooks.northlight.example</code>')).toEqual([]);
  const body = { host: 'hooks.northlight.example' };
  const reply = await desk('POST', 'call/webhooks/disable', session, body);
  expect(JSON.parse(reply.body).disabled).toBeGreaterThan(0);
  expect(store.all("SELECT id FROM webhooks WHERE state = 'active'")).toEqual([]);
  expect(store.all("SELECT number FROM deliveries WHERE state = 'waiting'")).toEqual([]);
  expect(missing((await watch(session)).first, '<span class="soft">turned off</span>')).toEqual([]);
});

test('deliveries that differ in nothing but their time are one line', async () => {
  const { login, desk, watch, sandbox } = await openDesk();
  const session = await login();
  sandbox.store.run("UPDATE webhooks SET doc = json_set(doc, '$.callback_url', 'http://127.0.0.1:9/' || id)");
  const to = sandbox.store.first<{ url: string }>(
    "SELECT callback_url AS url FROM webhooks WHERE state = 'active'",
  )!.url;
  for (const event of ['invitee.created', 'invitee.created', 'invitee.canceled', 'invitee.created'])
    await desk('POST', 'call/trigger', session, { event, to });
  const { first } = await watch(session);
  const lines = [...first.matchAll(/<b>(invitee\.\w+)<\/b>(?:<b class="num">(×\d)<\/b>)?/g)];
  expect(lines.map(([, event, count]) => [event, count])).toEqual([
    ['invitee.created', undefined],
    ['invitee.canceled', undefined],
    ['invitee.created', '×2'],
  ]);
});

test('a program that asks the same again and again takes one row between two changes', async () => {
  const { login, watch, api, system } = await openDesk();
  const ask = async (path: string) => {
    system.time += 10_000;
    await api('GET', path);
  };
  const path = `/scheduled_events?user=${encodeURIComponent('http://127.0.0.1:1/users/A')}`;
  for (const each of [path, path, '/users/me', path]) await ask(each);
  await api('POST', '/invitees', 'sandbox_owner', '{}');
  await ask(path);
  for (const each of ['/event_types', '/event_types']) await api('GET', each);
  const { first } = await watch(await login());
  const rows = [...first.matchAll(/<tr id="request-(\d+)".*?<summary><code>(.*?)<\/code>.*?notes">(.*?)<\/td>/gs)];
  expect(rows.map(([, id, shown, notes]) => [id, shown, notes])).toEqual([
    ['7', '/event_types', '×2'],
    ['6', '/scheduled_events?user=http://127.0.0.1:1/users/A', ''],
    ['5', '/invitees', ''],
    ['1', '/scheduled_events?user=http://127.0.0.1:1/users/A', '×3, every 15 s'],
    ['3', '/users/me', ''],
  ]);
});

test('Logins shows what each OAuth client did, and the rule that it missed', async () => {
  const { login, ask, watch } = await openDesk();
  await ask('GET', '/oauth/authorize?client_id=%3Cb%3Enobody');
  const { first, end } = await watch(await login());
  await end();
  expect(missing(first, '&lt;b&gt;nobody', 'authorize 400', 'RFC 6749 §2.2: use the client ID')).toEqual([]);
});

test('each fault in the list is a fault, and one of them can be removed', async () => {
  for (const [fault] of faultChoices) expect(readFault(fault).kind).not.toBe('');
  const { login, desk, running } = await openDesk('* 503', 'events.list 500');
  const session = await login();
  expect((await desk('POST', 'call/faults/1/remove', session)).status).toBe(200);
  expect((await desk('POST', 'call/faults/1/remove', session)).status).toBe(404);
  const left = await running.service({
    method: 'GET',
    url: `${running.url}/__sandbox/faults`,
    headers: { 'x-sandbox-admin': running.secret },
  });
  expect(JSON.parse(left.body).faults).toMatchObject([{ number: 2, fault: { operation: 'events.list' } }]);
});

test.each([
  [40_000, '40 s'],
  [253_000, '4 min'],
  [6 * 3_600_000, '6 h'],
  [-47 * 3_600_000, '2 days'],
])('%i milliseconds are %s', (milliseconds, words) => {
  expect(inWords(milliseconds)).toBe(words);
});

test('the week says its year if it is another one, and has the time in the late rows too', () => {
  const view = async (now: number, date: string) => {
    const { sandbox } = await openDesk();
    return String(weekPanel({ store: sandbox.store, now, zone: 'UTC', date, isPrivate: true }));
  };
  return Promise.all([
    view(noon, '2027-01-13').then((text) => expect(text).toMatch(/11\s–\s15 January 2027/)),
    view(noon, '2026-03-11').then((text) => expect(text).not.toMatch(/March 2026|class="now "/)),
    view(noon + 8 * 3_600_000, '2026-03-11').then((text) => expect(text.match(/class="now "/g)).toHaveLength(1)),
  ]);
});

test('a copied command has no token', async () => {
  const { login, watch, api } = await openDesk();
  await api('POST', "/invitees?a=it's", 'sandbox_owner', '{}');
  const { first } = await watch(await login());
  const copies = [...first.matchAll(/data-copy="([^"]*)" aria-label="Copy request/g)].map(([, text]) =>
    unescaped(text!),
  );
  expect(copies).toEqual([
    `curl -X POST -H "Authorization: Bearer $SCHED_TOKEN" -H 'content-type: application/json' -d '{}' "$SCHED_BASE_URL"'/invitees?a=it%27s'`,
    "printf %s '{}' | sched api POST '/invitees?a=it%27s' --input -",
  ]);
});

test('hostile text adds no element', async () => {
  const { login, watch, api, sandbox, page } = await openDesk();
  const session = await login();
  const show = async (text: string) => {
    const { store } = sandbox;
    store.run("UPDATE organizations SET doc = json_set(doc, '$.name', ?)", text);
    store.run("UPDATE users SET doc = json_set(doc, '$.name', ?)", text);
    store.run(
      "UPDATE event_types SET doc = json_set(doc, '$.name', ?, '$.color', ?, '$.profile.name', ?)",
      text,
      text,
      text,
    );
    store.run("UPDATE events SET doc = json_set(doc, '$.name', ?, '$.event_memberships[0].user_name', ?)", text, text);
    store.run("UPDATE invitees SET doc = json_set(doc, '$.name', ?)", text);
    store.run("UPDATE webhooks SET doc = json_set(doc, '$.callback_url', 'http://x/' || id || ?)", text);
    store.run('DELETE FROM notices');
    addNotice(store, noon, { to: text, kind: 'event.confirmed', about: text, subject: text });
    await api('POST', `/invitees?${encodeURIComponent(text)}`, 'sandbox_owner', text);
    const { first } = await watch(session);
    return [first.replaceAll(/request-\d/g, ''), await page()];
  };
  const plain = await show('text');
  const shown = await show(`"'><img src=x onerror=alert(1)>${hostile}\r\n\ndata: {"html":""}`);
  // The second time, there is one more request.
  const row = tags(plain[0]!.slice(plain[0]!.indexOf('<tbody>'), plain[0]!.indexOf('</tbody>'))).length - 1;
  expect(tags(shown[0]!).length - row).toBe(tags(plain[0]!).length);
  expect(tags(shown[1]!)).toEqual(tags(plain[1]!));
  for (const text of shown) expect(text).not.toMatch(/<img src=x|\u202e|\u001b|fill="(?!#[0-9a-f]{6}"|currentColor")/);
});

test('each meeting of a week is shown once, and those that overlap are side by side', async () => {
  const { sandbox } = await openDesk();
  const { store } = sandbox;
  for (let day = -28; day <= 28; day += 7) {
    const date = new Date(noon + day * 86_400_000).toISOString().slice(0, 10);
    const text = String(weekPanel({ store, now: noon, zone: 'UTC', date, isPrivate: true }));
    const monday = Date.parse(date) - 2 * 86_400_000;
    const [since, until] = [monday, monday + 7 * 86_400_000].map((time) => new Date(time).toISOString());
    const { count } = store.first<{ count: number }>(
      'SELECT count(*) AS count FROM events WHERE start_time >= ? AND start_time < ?',
      since!,
      until!,
    )!;
    expect(text.split('class="ev').length - 1).toBe(count);
    for (const hours of text.split('<ul class="hours">').slice(1)) {
      const cells = [...hours.slice(0, hours.indexOf('</ul>')).matchAll(/ r(\d+) s(\d+) l(\d)of(\d)/g)].flatMap(
        ([, row, span, lane, lanes]) =>
          Array.from({ length: Number(span) }, (_, each) =>
            Array.from(
              { length: 60 / Number(lanes) },
              (_, column) => `${Number(row) + each}/${(Number(lane) * 60) / Number(lanes) + column}`,
            ),
          ).flat(),
      );
      expect(new Set(cells).size).toBe(cells.length);
    }
  }
});

/** WCAG 2.2: relative luminance and contrast. */
const luminance = (rgb: readonly number[]) =>
  rgb
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index]!, 0);
const contrast = (...colors: (readonly number[])[]) => {
  const [dark, light] = colors.map(luminance).sort((one, other) => one - other);
  return (light! + 0.05) / (dark! + 0.05);
};

test('text on a meeting keeps a contrast of 5 with any color', () => {
  const style = readFileSync('src/sandbox/pages/browser/pages.css', 'utf8');
  const [, share] = /opacity="(0\.\d+)"/.exec(readFileSync('src/sandbox/desk/week.ts', 'utf8'))!;
  const rgb = (hex: string) =>
    (hex.length === 3 ? [...hex].map((each) => each + each) : hex.match(/../g)!).map((each) =>
      Number.parseInt(each, 16),
    );
  const values = (name: string) =>
    [...style.matchAll(new RegExp(`--${name}: #(\\w+);`, 'g'))].map(([, hex]) => rgb(hex!));
  const corners = [0, 255].flatMap((red) => [0, 255].flatMap((green) => [0, 255].map((blue) => [red, green, blue])));
  const [cards, inks, softs] = ['card', 'ink', 'soft'].map(values);
  expect(cards).toHaveLength(2);
  for (const [scheme, card] of cards!.entries())
    for (const color of corners)
      for (const text of [inks![scheme]!, softs![scheme]!]) {
        const ground = card.map((part, index) => part * (1 - Number(share)) + color[index]! * Number(share));
        expect(contrast(text, ground)).toBeGreaterThanOrEqual(5);
      }
});

describeWith(browser)('the desk in a browser', () => {
  test('is live, keeps what is open, and is accessible', async () => {
    const { deskAddress, api, tick, sandbox, url } = await openDesk();
    const chromium = await openChromium();
    onTestFinished(() => chromium.close());
    const problems: string[] = [];
    const newTab = async () => {
      const tab = await chromium.newPage({ timezoneId: 'UTC' });
      tab.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
      tab.on('pageerror', ({ message }) => void problems.push(message));
      return tab;
    };
    await api('GET', '/users/me');
    const tab = await newTab();
    await tab.setViewportSize({ width: 1440, height: 900 });
    await tab.addInitScript(`
      globalThis.marks = [];
      Element.prototype.animate = function (_, time) { marks.push(this.id + ' ' + time); };`);
    const address = deskAddress();
    await tab.goto(address);
    await tab.locator('#request-1 summary').click();
    expect(tab.url()).toBe(`${url}/`);
    await api('GET', '/users/me?again');
    tick();
    await tab.getByText('/users/me?again').waitFor();
    expect(await tab.locator('#request-1 details').getAttribute('open')).toBe('');
    expect(await tab.evaluate('document.activeElement.closest("tr").id')).toBe('request-1');
    // What is new is marked for two seconds, and only that.
    expect(await tab.evaluate('marks')).toEqual([expect.stringMatching(/^request-\d 2000$/)]);
    expect(await tab.evaluate('document.documentElement.scrollHeight')).toBe(900);
    await tab.getByRole('button', { name: 'Pause' }).click();
    await api('GET', '/users/me?paused');
    tick();
    await tab.getByRole('status').getByText('paused').waitFor();
    await tab.getByRole('button', { name: 'Pause' }).click();
    await tab.getByText('/users/me?paused').waitFor();
    await tab.getByRole('radio', { name: 'Errors' }).check();
    expect(await tab.locator('#request-1').isVisible()).toBe(false);
    const moved = tab.waitForResponse((response) => response.url().endsWith('/clock'));
    await tab.getByRole('button', { name: '+1 h' }).click();
    await moved;
    expect(sandbox.clock.now()).toBe(noon + 3_600_000);
    tick();
    await tab.getByText('400 days ahead of this computer').waitFor();
    await tab.getByText('Set…', { exact: true }).click();
    const set = tab.waitForResponse((response) => response.url().endsWith('/clock'));
    await tab.getByLabel('New time').fill('2026-03-14T15:09');
    await tab.getByRole('button', { name: 'Set', exact: true }).click();
    await set;
    expect(new Date(sandbox.clock.now()).toISOString()).toBe('2026-03-14T15:09:00.000Z');
    sandbox.clock.set(noon + 3_600_000);
    await tab.getByLabel('New fault').selectOption('Other…');
    await tab.getByLabel('Fault, as').fill('oauth.token 500');
    const added = tab.waitForResponse((response) => response.url().endsWith('/faults'));
    await tab.getByRole('button', { name: 'Add' }).click();
    await added;
    tick();
    await tab.getByText('oauth.token 500').waitFor();
    await tab.getByRole('button', { name: 'Reset…' }).click();
    await tab.getByRole('button', { name: 'Cancel' }).click();
    await tab.locator('dialog').waitFor({ state: 'detached' });
    expect(sandbox.clock.now()).toBe(noon + 3_600_000);
    // The session stays with the tab, and the key is used up.
    await tab.reload();
    await tab.getByText('/users/me?again').waitFor();
    // On a phone, the result of a request is beside it.
    await tab.setViewportSize({ width: 390, height: 800 });
    await tab.locator('label', { hasText: /^Requests$/ }).click();
    const { x, width } = (await tab.locator('#request-1 b').boundingBox())!;
    expect(x + width).toBeLessThan(390);
    expect(problems).toEqual([]);
    const other = await newTab();
    const reply = other.waitForResponse((response) => response.url().endsWith('/session'));
    await other.goto(address);
    expect((await reply).status()).toBe(401);
    await other.getByText('sched sandbox open').waitFor();
    // The tab keeps the session of a key, so those without one come first.
    const cells = [false, true].flatMap((hasKey) => [
      { hasKey, colorScheme: 'light' as const, width: 390 },
      { hasKey, colorScheme: 'dark' as const, width: 1280 },
    ]);
    for (const { hasKey, colorScheme, width } of sample(cells, 1)) {
      await other.emulateMedia({ colorScheme });
      await other.setViewportSize({ width, height: 900 });
      // Otherwise another key in the address would not load the page again.
      await other.goto('about:blank');
      await other.goto(hasKey ? deskAddress() : url);
      const text = hasKey ? '/users/me?again' : 'sched sandbox open';
      // On a phone, most parts are closed.
      const label = other.locator('label', { hasText: /^Requests$/ });
      if (hasKey && width < 700) await label.click();
      await other.getByText(text).waitFor();
      expect(await problemsOn(other)).toEqual([]);
      if (pictures && hasKey)
        await other.screenshot({ path: join(pictures, `desk-${colorScheme}-${width}.png`), fullPage: true });
    }
  }, 60_000);
});
