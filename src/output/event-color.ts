/*
 * The colors of event types are made for web pages. On a terminal they must be seen on a dark and on a light ground, and
 * stay apart if there are only 16 colors.
 */

type Rgb = [red: number, green: number, blue: number];

const hex = /^#[\da-f]{6}$/i;

/** Undefined if it is not a color such as `#8247f5`. */
export const rgbOf = (color: unknown): Rgb | undefined =>
  typeof color === 'string' && hex.test(color)
    ? ([1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Rgb)
    : undefined;

/** WCAG 2.2, relative luminance. */
const luminanceOf = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** WCAG 2.2, 1.4.11: a contrast of 3 to 1. Between these, a color has it on #1e1e1e and on white. */
const [darkest, lightest] = [0.14, 0.295];

const mixed = (rgb: Rgb, other: number, share: number): Rgb =>
  rgb.map((part) => Math.round(part + (other - part) * share)) as Rgb;

/** The nearest color that can be seen on both grounds. */
export const visible = (rgb: Rgb): Rgb => {
  const isFine = (each: Rgb) => luminanceOf(each) >= darkest && luminanceOf(each) <= lightest;
  const other = luminanceOf(rgb) < darkest ? 255 : 0;
  for (let share = 0; share < 1; share += 0.02) if (isFine(mixed(rgb, other, share))) return mixed(rgb, other, share);
  return [128, 128, 128];
};

/** The first hue, in degrees, of each of six colors. Red is on both sides of 0. */
const hues = [
  [345, 'red'],
  [250, 'magenta'],
  [200, 'blue'],
  [165, 'cyan'],
  [75, 'green'],
  [12, 'yellow'],
  [0, 'red'],
] as const;

/** The one of 16 colors with the same hue, or undefined for a gray. */
export const basicColor = ([red, green, blue]: Rgb): (typeof hues)[number][1] | undefined => {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (range < 0.15 * 255) return undefined;
  const sixth =
    most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  const hue = (sixth * 60 + 360) % 360;
  return hues.find(([first]) => hue >= first)![1];
};
