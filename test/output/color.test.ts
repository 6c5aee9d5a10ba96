import { describe, expect, it } from 'vitest';
import { colorWanted } from '../../src/output/color.ts';

const auto = (env: Record<string, string>, isTerminal = true) => colorWanted({ flag: 'auto', env, isTerminal });

describe('colorWanted', () => {
  it('is true only on a terminal by default', () => {
    expect(auto({})).toBe(true);
    expect(auto({}, false)).toBe(false);
  });
  it('follows the flag before the environment', () => {
    expect(colorWanted({ flag: 'always', env: { NO_COLOR: '1', TERM: 'dumb' }, isTerminal: false })).toBe(true);
    expect(colorWanted({ flag: 'never', env: { FORCE_COLOR: '1' }, isTerminal: true })).toBe(false);
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
});
