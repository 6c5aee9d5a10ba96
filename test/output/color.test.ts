import { describe, expect, it } from 'vitest';
import { type Color, colorWanted } from '../../src/output/color.ts';

const auto = (env: Record<string, string>, isTerminal = true) =>
  colorWanted({ flag: 'auto', env, isTerminal }) !== undefined;

describe('colorWanted', () => {
  it('is true only on a terminal by default', () => {
    expect(auto({})).toBe(true);
    expect(auto({}, false)).toBe(false);
  });
  it('follows the flag before the environment', () => {
    expect(colorWanted({ flag: 'always', env: { NO_COLOR: '1', TERM: 'dumb' }, isTerminal: false })).toBeDefined();
    expect(colorWanted({ flag: 'never', env: { FORCE_COLOR: '1' }, isTerminal: true })).toBeUndefined();
  });
  it.each<[Record<string, string>, boolean, boolean]>([
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ CLICOLOR_FORCE: '1' }, false, true],
    [{ CLICOLOR_FORCE: '0' }, false, false],
    [{ CLICOLOR: '0' }, true, false],
    [{ CLICOLOR: '1' }, false, false],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j on a terminal (%s) returns %s', (env, isTerminal, wanted) => expect(auto(env, isTerminal)).toBe(wanted));

  it.each<[Record<string, string>, Color]>([
    [{}, { depth: 1, hasLinks: false }],
    [{ TERM: 'xterm-256color' }, { depth: 2, hasLinks: false }],
    [
      { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      { depth: 3, hasLinks: false },
    ],
    [
      { TERM: 'xterm-256color', VTE_VERSION: '7600', COLORTERM: 'truecolor' },
      { depth: 3, hasLinks: true },
    ],
    [{ TERM: 'xterm-kitty' }, { depth: 3, hasLinks: true }],
    [
      { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
      { depth: 2, hasLinks: false },
    ],
  ])('with %j has %j', (env, color) => expect(colorWanted({ flag: 'auto', env, isTerminal: true })).toEqual(color));
});
