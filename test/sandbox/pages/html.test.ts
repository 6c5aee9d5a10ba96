import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html } from '../../../src/sandbox/pages/html.ts';
import { filesBelow } from '../../support/source-files.ts';
import { runs } from '../../support/tier.ts';

describe('html', () => {
  it('escapes text, and keeps other pieces of HTML', () => {
    const name = `<b title="x" class='y'>A & B</b>`;
    expect(String(html`<p title="${name}">${name}</p>`)).toBe(
      '<p title="&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;A &amp; B&lt;/b&gt;">&lt;b title=&quot;x&quot; class=&#39;y&#39;&gt;A &amp; B&lt;/b&gt;</p>',
    );
    expect(String(html`<ul>${[1, 'a<', html`<i>b</i>`, undefined, false]}</ul>`)).toBe('<ul>1a&lt;<i>b</i></ul>');
  });

  it('shows control characters and changes of direction as a replacement character', () => {
    expect(String(html`${'a\u0000\u001b[31m\u202eb\u2066\u0085\tc\nd'}`)).toBe(
      'a\ufffd\ufffd[31m\ufffdb\ufffd\ufffd\tc\nd',
    );
  });

  it('never lets text begin a tag, an entity or an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '`', '/', 'a', '=', '\n') }), (text) => {
        const made = String(html`<p title="${text}">${text}</p>`);
        expect(made.match(/[<>"']/g)).toEqual(['<', '"', '"', '>', '<', '>']);
        expect(made.replaceAll(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }),
      runs(100, 10_000),
    );
  });

  const gap = fc.constantFrom('', '', '', ' ', '\t', '\r\n', '\f', '\0', '\u00a0');
  /** Addresses as a browser reads them: it doesn't see some gaps, and takes `\\` for `/`. */
  const link = fc
    .tuple(
      gap,
      fc.constantFrom('', '', 'http:', 'HTTP:', 'hTtPs:', 'JavaScript:', 'java\tscript:', 'data:', 'ftp:', '#', '?'),
      fc.array(fc.constantFrom('/', '/', '\\', '/.', '/\t', '\n/', '%2f'), { maxLength: 3 }),
      gap,
      fc.constantFrom('', 'me@', '127.0.0.1@', '127.0.0.1:4010\\@'),
      fc.constantFrom(
        'elsewhere.example',
        'ELSEWHERE.example',
        '127.0.0.1',
        'localhost',
        '[::1]',
        '127.1',
        'book',
        '"',
      ),
      fc.constantFrom('', ':4010', '.elsewhere.example', '@elsewhere.example', '/%0aalert(1)', '&amp;', "'"),
    )
    .map((parts) => parts.flat().join(''));

  /** Where a browser goes from a page of ours. Nowhere, if it can't read the link. */
  const target = (made: string, page: string): URL | undefined => {
    const [, value = ''] = /="([^"]*)"/.exec(made)!;
    const text = value.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (name) => entities[name]!);
    return URL.canParse(text, page) ? new URL(text, page) : undefined;
  };
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

  it('never lets a link lead to another machine, or run a script', () => {
    const attributes = [
      (to: string) => html`<a href="${to}">`,
      (to: string) => html`<a class="b"\nhref="${to}">`,
      (to: string) => html`<img alt="" src="${to}">`,
      (to: string) => html`<form action="${to}">`,
      (to: string) => html`<button formaction="${to}">`,
      (to: string) => html`<div data-url="${to}">`,
    ];
    const pages = [
      'http://127.0.0.1:4010/book/amara/intro',
      'https://sched.test/',
      'http://localhost:4010/?embed=inline',
    ];
    const tried = fc.tuple(link, fc.constantFrom(...attributes), fc.constantFrom(...pages));
    const outside = fc.sample(tried, runs(15_000, 300_000)).flatMap(([to, attribute, page]) => {
      const { origin, protocol, hostname, href } = target(String(attribute(to)), page) ?? new URL(page);
      const isHere = origin === new URL(page).origin || /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname);
      return isHere && /^https?:$/.test(protocol) ? [] : [[to, href]];
    });
    expect(outside).toEqual([]);
  });

  it('leaves a link to a page of ours as it is', () => {
    const part = fc.constantFrom('book', 'amara-lindqvist', '..', '%2F', 'a b', 'é', "o'b", '?tz=UTC', '#times');
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(path, fc.constantFrom('', 'http://127.0.0.1:4010', 'HTTPS://localhost'), (text, origin) => {
        const page = 'http://127.0.0.1:4010/';
        expect(target(String(html`<a href="${origin + text}">`), page)?.href).toBe(new URL(origin + text, page).href);
      }),
      runs(100, 10_000),
    );
  });

  it('gets each link as one value, which it can judge', () => {
    const templates = Object.entries(filesBelow(new URL('../../../src/sandbox', import.meta.url).pathname, '.ts'));
    expect(templates.length).toBeGreaterThan(50);
    for (const [path, text] of templates)
      expect([
        path,
        text.match(/(?:href|src|action|data-url)="[^"$]*\$\{(?:[^{}"`]|\{[^{}]*\})*\}[^"\n]*\$\{/g),
      ]).toEqual([path, null]);
  });
});
