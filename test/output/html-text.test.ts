import { describe, expect, it } from 'vitest';
import { htmlText } from '../../src/output/html-text.ts';

describe('html-text', () => {
  it.each([
    ['<p>One</p><p>Two</p>', ' One  Two '],
    ['a<br/>b <a href="https://x.example">link</a>', 'a b  link '],
    ['Fish &amp; chips &lt;b&gt; &#228;&#xe4;&nbsp;&quot;', 'Fish & chips <b> ää "'],
    ['&amp;lt;', '&lt;'],
    ['&unknown; &#x110000; 1 < 2', '&unknown; &#x110000; 1 < 2'],
  ])('turns %j into text', (html, text) => expect(htmlText(html)).toBe(text));

  it('reads text full of brackets in linear time', () => {
    expect(htmlText('<'.repeat(1_000_000))).toHaveLength(1_000_000);
    expect(htmlText('<!--'.repeat(250_000))).toHaveLength(1_000_000);
  });
});
