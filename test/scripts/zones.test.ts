import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkRelease, zoneChanges } from '../../scripts/zones.js';
import { temporaryDirectory } from '../support/temporary.ts';

const world = `
2030a
Etc/GMT: +00:00
Etc/GMT-1: +01:00
Etc/GMT-2: +02:00
Here/Steady: +01:00, 2031-03-30T01:00Z +02:00, 2031-10-26T01:00Z +01:00, 2032-03-28T01:00Z +02:00, 2032-10-31T01:00Z +01:00
Here/Town: +01:00, 2031-03-01T00:00Z +02:00, 2031-10-01T00:00Z +01:00, 2032-03-01T00:00Z +02:00, 2032-10-01T00:00Z +01:00
`;
const changesOf = (later: string) =>
  zoneChanges(world + later).changes.map(
    ({ zones, ...row }) => `${zones} ${Object.values(row).filter(Boolean).join(' ')}`,
  );

describe('the table of zones whose rules changed', () => {
  test.each([
    [
      'a zone that has the rules of another one now',
      '2030b\nHere/Town: +01:00, 2031-03-30T01:00Z +02:00, 2031-10-26T01:00Z +01:00, 2032-03-28T01:00Z +02:00, 2032-10-31T01:00Z +01:00',
      ['Here/Town 2030b 2031-03-01T00:00Z Here/Steady'],
    ],
    [
      'a zone that leaves its clocks as they are',
      '2030b\nHere/Town: +01:00, 2031-03-01T00:00Z +02:00',
      ['Here/Town 2030b 2031-10-01T00:00Z Etc/GMT-2'],
    ],
    [
      'a change that is over',
      '2030b\nHere/Town: +01:00, 2031-03-01T00:00Z +02:00, 2032-10-01T00:00Z +01:00',
      ['Here/Town 2030b 2031-10-01T00:00Z 2032-03-01T00:00Z Etc/GMT-2'],
    ],
    [
      'a zone that changed its mind',
      '2030b\nHere/Town: +01:00, 2031-03-01T00:00Z +02:00\n2030c\nHere/Town: +01:00, 2031-03-01T00:00Z +02:00, 2032-06-01T00:00Z +00:00',
      ['Here/Town 2030b 2031-10-01T00:00Z 2032-06-01T00:00Z Etc/GMT-2', 'Here/Town 2030c 2032-06-01T00:00Z Etc/GMT'],
    ],
    ['a release that changed nothing', '2030b', []],
  ])('has %s', (_, later, rows) => {
    expect(changesOf(later)).toEqual(rows);
  });

  test('needs a zone that has had the new rules before', () => {
    expect(() => changesOf('2030b\nHere/Town: +01:00, 2031-05-01T00:00Z +05:30')).toThrow(
      'No zone has had the new rules of Here/Town before 2030b',
    );
  });
});

describe('the newest release', () => {
  const systemWith = (text: string | undefined) => {
    const directory = temporaryDirectory();
    if (text !== undefined) writeFileSync(join(directory, 'tzdata.zi'), text);
    return directory;
  };

  test('may not be newer than the table', async () => {
    const directory = systemWith('# version 2099a\n# This zic input file is in the public domain.\n');
    await expect(checkRelease(directory)).rejects.toThrow(
      /release 2099a, and scripts\/zones\.txt ends with 20\d\d[a-z]/,
    );
  });

  test.each([
    ['the same one or an older one', '# version 2025b\n', /^Zones are right up to .*; this system has 2025b\.$/],
    ['none', undefined, /^Not compared with the tz database: .*tzdata\.zi is missing\.$/],
  ])('can be %s', async (_, text, answer) => {
    expect(await checkRelease(systemWith(text))).toMatch(answer);
  });
});
