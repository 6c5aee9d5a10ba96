import { expect, test } from 'vitest';
import { readTime } from '../../src/time/read.ts';
import { timestampOf, withOffset } from '../../src/time/wall.ts';

const two = (number: number) => String(number).padStart(2, '0');
const offsets = ['+', '-'].flatMap((sign) =>
  Array.from({ length: 24 * 60 }, (_, minutes) => `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`),
);

test.each(['1971-01-01T00:30:00', '2028-02-29T23:30:15', '9998-12-31T23:59:59'])(
  '%s is read and written with each offset as the platform does',
  (wall) => {
    const wrong: string[] = [];
    for (const offset of ['Z', ...offsets]) {
      const text = `${wall}${offset}`;
      const at = Date.parse(text);
      const reading = readTime(text, { zone: 'UTC', now: 0 });
      const written = withOffset(at, Date.parse(`${wall}Z`));
      const isRight =
        timestampOf(text) === at &&
        reading.ok &&
        Date.parse(reading.instant) === at &&
        written === text.replace(/[+-]00:00$/, 'Z');
      if (!isRight) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  },
);
