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
