import { describe, expect, it } from 'vitest';
import { openWorld, origin } from '../world.ts';
import { visitorOf } from './visitor.ts';

const intro = '/book/amara-lindqvist/intro-call';
const parent = 'http://localhost:3000';
const embedded = `embed=inline&parent=${encodeURIComponent(parent)}`;

describe('an embedded page', () => {
  it('can be framed by pages of this computer, and no other page can', async () => {
    const { open } = visitorOf(await openWorld());
    for (const path of [intro, '/book/amara-lindqvist', '/book/nobody', '/embed/demo', '/cancellations/NOBODY']) {
      const { headers } = await open(path);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options']).toBe('DENY');
    }
    const { headers, body } = await open(`${intro}?${embedded}`);
    expect(headers['content-security-policy']).toMatch(
      /frame-ancestors http:\/\/127\.0\.0\.1:\* http:\/\/localhost:\* https:\/\/localhost:\*$/,
    );
    expect([headers['x-frame-options'], headers['access-control-allow-origin']]).toEqual([undefined, undefined]);
    expect(body).toContain(`<body class="embed" data-needs-zone="" data-parent="${parent}"`);
    // The demo page is no page to embed.
    expect((await open(`/embed/demo?${embedded}`)).headers['x-frame-options']).toBe('DENY');
  });

  it('sends no message to what is not the origin of a website', async () => {
    const { open } = visitorOf(await openWorld());
    for (const wrong of ['javascript:alert(1)', 'https://a.example/path', 'null', '*', '', 'https://a.example\n']) {
      const { body } = await open(`/book/nobody?embed=inline&parent=${encodeURIComponent(wrong)}`);
      expect(body, wrong).toContain('<body class="embed">');
    }
  });

  it.each([
    ['the host in its address', { embed_domain: 'localhost:3000' }, undefined, parent],
    ['where the browser comes from', { embed_domain: '1' }, `${parent}/page?x`, parent],
    ['nothing, if the host is elsewhere', { embed_domain: 'evil.example' }, 'https://evil.example/', undefined],
    ['nothing, if the host is unknown', {}, undefined, undefined],
    ['nothing, if the host is no host', { embed_domain: '*' }, undefined, undefined],
  ])('learns the origin around it from a wrapper of others by %s', async (_, sent, referer, expected) => {
    const { open } = visitorOf(await openWorld());
    const query = new URLSearchParams({ ...sent, embed_type: 'Inline', name: 'Ada' });
    const { status, headers } = await open(`${intro}?${query}`, { headers: referer ? { referer } : {} });
    expect(status).toBe(303);
    expect(Object.fromEntries(new URL(headers.location!, origin).searchParams)).toEqual({
      ...{ name: 'Ada', embed: 'inline' },
      ...(expected && { parent: expected }),
    });
    const { body } = await open(headers.location!);
    expect(body.includes('data-parent')).toBe(expected !== undefined);
  });

  it('tells about a cancellation and a reschedule', async () => {
    const { open, submit, follow } = visitorOf(await openWorld());
    const details = await open(`${intro}?${embedded}&start=2026-05-04T09:00:00Z`);
    const done = await follow(await submit(details, { name: 'Ada', email: 'ada@engine.example' }));
    const way = (page: typeof done, name: string) => page.links.find((href) => href.startsWith(`/${name}/`))!;
    const moved = await follow(await submit(await open(`${way(done, 'reschedulings')}&start=2026-05-04T10:00:00Z`)));
    expect(moved.body).toContain('&quot;event&quot;:&quot;sched.event_rescheduled&quot;');
    const canceled = await follow(await submit(await open(way(moved, 'cancellations'))));
    expect(canceled.body).toContain('&quot;event&quot;:&quot;sched.event_canceled&quot;');
  });

  it('has scripts that speak the dialect of the service', async () => {
    const embed = { class: 'calendly-inline-widget', prefix: 'calendly', height: 'px' } as const;
    const dialect = { dialect: 1, name: 'calendly', digest: '', place: 'calendly', embed } as const;
    const { open } = visitorOf(await openWorld({ dialect }));
    for (const path of ['/embed.js', '/assets/page.js'])
      expect((await open(path)).body).toContain(`const family = ${JSON.stringify(embed)};`);
    expect((await open('/embed/demo')).body).toContain('<div class="calendly-inline-widget" data-url="');
  });

  it('leaves a link in its element without JavaScript', async () => {
    const { open } = visitorOf(await openWorld());
    expect((await open('/embed/demo')).body).toContain(
      `data-resize="true"><a href="http://localhost:4010${intro}">Choose a time</a></div>`,
    );
  });

  it('carries the embedding and the time zone through every link and form', async () => {
    const { open, submit } = visitorOf(await openWorld());
    const carried = { embed: 'inline', parent, tz: 'Asia/Tokyo' };
    const queryOf = (href: string) => Object.fromEntries(new URL(href, origin).searchParams);
    const start = await open(`${intro}?${embedded}&tz=Asia/Tokyo&date=2026-05-04`);
    const details = await open(start.links.find((href) => href.includes('start='))!);
    const sent = await submit(details, { name: 'Ada', email: 'ada@engine.example' });
    expect(queryOf(sent.headers.location!)).toEqual(carried);
    const done = await open(sent.headers.location!);
    expect(done.body).toContain('&quot;event&quot;:&quot;sched.event_scheduled&quot;');
    const change = done.links.filter((href) => /cancellations|reschedulings/.test(href));
    expect(change).toHaveLength(2);
    const pages = [start, details, done, await open(change[0]!), await open(change[1]!)];
    const links = pages.flatMap(({ links }) => links).filter((href) => !/^#|^\/assets|\.ics$|^https:/.test(href));
    for (const href of links) expect(queryOf(href), href).toMatchObject({ embed: 'inline', parent });
    // Both pages with days have a link to each other zone, and to the browser's, which has no name yet.
    const zones = links.map((href) => queryOf(href).tz ?? 'of the browser').filter((zone) => zone !== carried.tz);
    expect(zones.sort()).toEqual(['Europe/Berlin', 'Europe/Berlin', 'UTC', 'UTC', 'of the browser', 'of the browser']);
    const canceled = await submit(pages.find(({ url }) => url.pathname.startsWith('/cancel'))!);
    expect(queryOf(canceled.headers.location!)).toEqual(carried);
  });
});
