import { describe, expect, test } from 'vitest';
import { edgeOf, isInside, windowIn, windowQuery } from '../../src/api/window.ts';

const noon = '2026-12-01T12:00:00Z';

describe('window', () => {
  test('reads the edge and the field from the name of a parameter', () => {
    expect(edgeOf('min_start_time')).toEqual({ edge: 'since', field: 'start_time' });
    expect(edgeOf('max_occurred_at')).toEqual({ edge: 'until', field: 'occurred_at' });
    expect(edgeOf('status')).toBeUndefined();
  });

  test('survives the way into a query and back', () => {
    const window = { since: noon, until: '2026-12-02T00:00:00Z' };
    expect(windowIn({ status: 'active', ...windowQuery('start_time', window) })).toEqual(window);
    expect(windowIn(windowQuery('start_time', { until: noon }))).toEqual({ until: noon });
    expect(windowIn({ min_start_time: undefined })).toEqual({});
  });

  test.each([
    ['since', '2026-12-01T11:59:59Z', false],
    ['since', noon, true],
    ['since', '2026-12-01T13:00:00+01:00', true],
    ['until', '2026-12-01T11:59:59Z', true],
    ['until', noon, false],
  ] as const)('%s %s: includes since, excludes until', (edge, time, inside) => {
    expect(isInside(time, edge, noon)).toBe(inside);
  });

  test.each(['since', 'until'] as const)('keeps a time that cannot be read inside %s', (edge) => {
    expect(isInside('soon', edge, noon)).toBe(true);
  });
});
