import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventGroupings } from '../../src/commands/stats/input.ts';
import { sentEvent, serviceWith } from '../support/calendar.ts';
import { execFile } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { temporaryFile } from '../support/temporary.ts';

/** Ten thousand events over four years. */
const events = Array.from({ length: 10_000 }, (_, index) => {
  const start = Date.parse('2023-12-25T00:00:00Z') + index * 12_660_000;
  const hosts = ['Amara', 'Jonas', 'Mei', 'Kofi', 'Priya', 'Elif', 'Sam'];
  return sentEvent({
    name: `Type ${index % 9}`,
    type: `T${index % 9}`,
    start: new Date(start).toISOString(),
    end: new Date(start + (1 + (index % 5)) * 900_000).toISOString(),
    status: index % 13 === 0 ? 'canceled' : 'active',
    hosts: hosts.slice(index % 5, (index % 5) + 1 + (index % 3)),
  });
});

const clock = (format: string) => `(.start_time[:19] + "Z" | fromdate | strftime("${format}"))`;

/** The keys of an event in jq. */
const keys: Record<(typeof eventGroupings)[number], string> = {
  host: '.event_memberships[].user',
  'event-type': '.event_type',
  day: clock('%Y-%m-%d'),
  week: clock('%G-W%V'),
  month: clock('%Y-%m'),
  weekday: clock('%u'),
  hour: clock('%H'),
  status: '.status',
};

const programOf = (by: (typeof eventGroupings)[number]): string => `
  def seconds: .[:19] + "Z" | fromdate;
  length as $all
  | [.[] | {key: ${keys[by]}, canceled: (.status == "canceled"), length: ((.end_time | seconds) - (.start_time | seconds))}]
  | group_by(.key)
  | map({
      key: .[0].key,
      booked: length,
      canceled: (map(select(.canceled)) | length),
      hours: ((map(select(.canceled | not) | .length) | add // 0) / 36 | round / 100),
      share: (length / $all * 10000 | round / 10000)
    })`;

/** Runs the jq that is installed on this machine. */
const jq = async (program: string, file: string): Promise<string> =>
  (await execFile('jq', ['-c', program, file], { maxBuffer: 1e9 })).stdout;

test('counts of 10,000 events equal those of jq over events list, for every grouping', async () => {
  const world = await createWorld();
  const send = serviceWith(events, world.service);
  const listed = temporaryFile('events.json');
  writeFileSync(listed, (await world.run('events list --json', { send })).stdout);
  for (const by of eventGroupings) {
    const { stdout } = await world.run(
      `events stats --by ${by} --tz UTC --json=key,booked,canceled,hours,share --jq 'sort_by(.key)'`,
      { send },
    );
    expect(JSON.parse(stdout)).toEqual(JSON.parse(await jq(programOf(by), listed)));
  }
});
