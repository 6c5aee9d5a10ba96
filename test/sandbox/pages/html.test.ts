import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html } from '../../../src/sandbox/pages/html.ts';
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
});
