import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { svgLines, terminalPicture, terminalText } from '../../scripts/picture.ts';
import { temporaryDirectory } from '../support/temporary.ts';

describe('the picture of a terminal', () => {
  test('is the same each time, whatever the zone of the machine', async () => {
    const before = process.env.TZ;
    try {
      process.env.TZ = 'Asia/Tokyo';
      const text = await terminalText(temporaryDirectory('picture'));
      const file = join(import.meta.dirname, '../../docs/terminal.svg');
      expect(terminalPicture(text)).toBe(readFileSync(file, 'utf8'));
      expect(text.match(/\$\x1b\[39m \x1b\[1msched --sandbox /g)).toHaveLength(2);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });

  test('turns colors into classes and escapes everything else', () => {
    expect(svgLines('\x1b[1mNAME\x1b[22m  <a> & "b"\n\x1b[32mactive\x1b[39m no')).toEqual([
      '<tspan class="bold">NAME</tspan>  <tspan x="70.6">&lt;a&gt; &amp; &quot;b&quot;</tspan>',
      '<tspan class="green">active</tspan> no',
    ]);
    expect(svgLines('\x1b[31m\x1b[32mx\x1b[39m')).toEqual(['<tspan class="green">x</tspan>']);
    expect(svgLines('\x1b[38;2;130;71;245m●\x1b[39m x')).toEqual(['<tspan style="fill:#8247f5">●</tspan> x']);
  });

  test.each(['\x1b[5mblinks\x1b[25m', 'bell\x07', '\x1b]0;title\x07', `${'x'.repeat(91)}`])('refuses %j', (text) => {
    expect(() => svgLines(text)).toThrow('the picture');
  });

  test('has a title and a description, and fits a page', () => {
    const svg = terminalPicture('$ sched\n');
    expect(svg).toMatch(/^<svg xmlns="[^"]+" viewBox="0 0 800 \d+" width="800" /);
    expect(svg).toContain('<title id="title">');
    expect(svg).toContain('<desc id="desc">');
  });
});
