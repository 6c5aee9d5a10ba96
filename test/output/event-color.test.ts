import { describe, expect, it, test } from 'vitest';
import { basicColor, rgbOf, visible } from '../../src/output/event-color.ts';
import { createPaint } from '../../src/output/paint.ts';

const demo = ['#0a8f6b', '#0e7490', '#2f6fde', '#7c3aed', '#b91c1c', '#c2410c'];

/** The relative luminance of WCAG 2.2. */
const luminance = (rgb: readonly number[]): number => {
  const [red, green, blue] = rgb.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
};
const contrast = (one: readonly number[], other: readonly number[]): number => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
};

describe('colors of event types', () => {
  test.each([...demo, '#000000', '#ffffff', '#ffff00', '#0000ff', '#ff0000', '#00ff00', '#808080', '#1e1e1e'])(
    '%s has a contrast of 3 to 1 on a dark and on a light ground',
    (color) => {
      const shown = visible(rgbOf(color)!);
      expect(contrast(shown, [0x1e, 0x1e, 0x1e])).toBeGreaterThanOrEqual(3);
      expect(contrast(shown, [255, 255, 255])).toBeGreaterThanOrEqual(3);
    },
  );

  it('leaves a color that can be seen on both', () => {
    expect(visible(rgbOf('#2f6fde')!)).toEqual([0x2f, 0x6f, 0xde]);
  });

  it('stay apart in 16 colors', () => {
    const names = demo.map((color) => basicColor(rgbOf(color)!));
    expect(names).toEqual(['green', 'cyan', 'blue', 'magenta', 'red', 'yellow']);
    const paint = createPaint({ depth: 1, hasLinks: false });
    expect(paint.mark('#7c3aed', '●')).toBe('\x1b[35m●\x1b[39m');
    expect(paint.mark('#777777', '●')).toBe('●');
    expect(paint.mark('red; x', '●')).toBe('●');
  });
});
