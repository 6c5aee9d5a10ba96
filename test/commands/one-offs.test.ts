import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, isWrite, jsonOf, type TestWorld } from '../support/run.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('one-offs create', () => {
  test('creates a link for the current user and a co-host', async () => {
    const created = await world.run(
      'one-offs create --name Planning --duration 45 --days 7 --weekdays-only --co-host jonas.weber@northlight.example --json',
    );
    expect(jsonOf(created).type).toBe('AdhocEventType');
    expect(JSON.parse(created.requests.at(-1)!.body!)).toMatchObject({
      date_setting: { type: 'days_in_future', days: 7, only_weekdays: true },
      co_hosts: [expect.stringContaining('/users/')],
    });
  });

  test.each([
    ['--host me --host jonas.weber@northlight.example', 1],
    ['--host me --host jonas.weber@northlight.example --co-host lucia.romero@northlight.example', 2],
    ['--host me', 0],
  ])('takes the first host as the host and the others as co-hosts: %s', async (hosts, others) => {
    const line = `one-offs create --name Planning --duration 45 --days 7 ${hosts} --dry-run`;
    const { host, co_hosts: coHosts = [] } = jsonOf(await world.run(line)).body;
    expect(host).toContain('/users/');
    expect(coHosts).toHaveLength(others);
    expect(new Set([host, ...coHosts]).size).toBe(others + 1);
  });

  test('rejects an eleventh host before anything is sent', async () => {
    const coHosts = Array.from({ length: 10 }, (_, index) => `--co-host http://127.0.0.1:4010/users/U${index}`).join(
      ' ',
    );
    const { code, stderr, requests } = await world.run(`one-offs create --name P --duration 45 --days 7 ${coHosts}`);
    expect(code).toBe(2);
    expect(stderr).toContain('at most 10 hosts');
    expect(requests.filter(isWrite)).toEqual([]);
  });

  test('shows how it read a time, because the reply does not', async () => {
    const words = [
      '--name',
      'P',
      '--duration',
      '30',
      '--tz',
      'Asia/Tokyo',
      '--spot',
      '2027-01-04 10:00/2027-01-04 11:00',
    ];
    for (const more of [['--dry-run'], []]) {
      const { stderr } = await world.run(['one-offs', 'create', ...words, ...more]);
      expect(stderr).toContain(
        'Bookable: Mon 4 Jan 2027 10:00 Asia/Tokyo (01:00 UTC) to Mon 4 Jan 2027 11:00 Asia/Tokyo (02:00 UTC)\n',
      );
    }
  });

  test.each([
    ['--days 7 --spot 2027-01-04T10:00:00Z/2027-01-04T11:00:00Z', "can't be used together"],
    ['--start-date 2027-01-05', 'Missing required flag --end-date'],
    ['--start-date 2027-01-05 --end-date 2027-01-04', '--end-date 2027-01-04 is before --start-date 2027-01-05'],
    [
      '--start-date tomorrow --end-date 2027-02-30',
      '--start-date must be a date such as 2026-12-01, not "tomorrow"; --end-date must be a date',
    ],
    ['--spot 2027-01-04T10:00:00Z/2027-01-04T10:00:00Z', '10:00:00Z" must end after it starts'],
    ['--spot 2027-01-04T10:00:00Z', '--spot must be START/END'],
    ['', 'Missing required flag --days, --start-date with --end-date, or --spot'],
  ])('rejects the dates "%s"', async (flags, expected) => {
    const { code, stderr, requests } = await world.run(`one-offs create --name P --duration 45 ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
    expect(requests).toEqual([]);
  });
});
