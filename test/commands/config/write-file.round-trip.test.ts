import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weekdays } from '../../../src/api/weekdays.ts';
import type { Json } from '../../../src/base/json.ts';
import { diffConfig } from '../../../src/commands/config/work-diff.ts';
import type { Change, ScheduleChange, World } from '../../../src/commands/config/work-model.ts';
import { readSchedule, rulesAfter } from '../../../src/commands/config/work-normalize.ts';
import { readConfig } from '../../../src/commands/config/work-read-file.ts';
import { writeConfig } from '../../../src/commands/config/write-file.ts';
import { dayOf, isKnown, type Rule } from '../../../src/time/availability-rules.ts';
import { runs } from '../../support/tier.ts';
import { today, worlds } from './worlds.ts';

const options = fc.record({ dates: fc.boolean(), uris: fc.boolean() });

/** What would change, or the problems of the file. */
const changesBetween = (text: string, world: World): Change[] => {
  const read = readConfig(text, 'team.yaml');
  const diffed = read.ok ? diffConfig(read.file, world) : read;
  if (!diffed.ok) expect.fail(`${JSON.stringify(diffed.problems)}\n${text}`);
  return diffed.plan.changes;
};

/** The same service with other event types and schedules. */
const mapped = (world: World, mapType: (record: Json) => Json, mapSchedule: (schedule: Json) => Json): World => ({
  ...world,
  users: world.users.map((user) => ({
    ...user,
    types: user.types.map(({ record, schedules }) => ({
      record: mapType(record),
      schedules: schedules?.map(mapSchedule),
    })),
  })),
});

const aliases: Record<string, string> = {
  'Europe/Kiev': 'europe/kyiv',
  'Asia/Calcutta': 'Asia/Kolkata',
  UTC: 'Etc/UTC',
};

/** Rules that mean the same: in another order, one interval each, and with empty weekdays. */
const otherRules = (rules: unknown): unknown => {
  if (!Array.isArray(rules)) return rules;
  const split = rules.flatMap((rule) =>
    isKnown(rule) && rule.intervals.length > 1
      ? rule.intervals.map((each) => ({ ...rule, intervals: [each] }))
      : [rule],
  );
  return [...split, ...weekdays.map((wday) => ({ type: 'wday', wday, intervals: [] }))].reverse();
};

test('an export has no difference to the service that it was made of (P1), nor to one that means the same', () => {
  fc.assert(
    fc.property(worlds, options, (world, chosen) => {
      const { text } = writeConfig(world, chosen);
      expect(changesBetween(text, world), text).toEqual([]);
      const same = mapped(
        world,
        (type) => ({
          ...type,
          color: type.color && String(type.color).toUpperCase(),
          description_plain: type.description_plain === '' ? null : (type.description_plain ?? ''),
        }),
        ({ rules, timezone, ...schedule }) => ({
          ...schedule,
          rules: otherRules(rules),
          timezone: aliases[String(timezone)] ?? timezone,
        }),
      );
      const users = same.users.map((user) => ({
        ...user,
        webhooks: user.webhooks?.map((each) => ({ ...each, events: [...(each.events as string[])].reverse() })),
      }));
      expect(changesBetween(text, { ...same, users }), text).toEqual([]);
    }),
    runs(8, 1000),
  );
});

/** The service after the changes, as an apply makes them. */
const applied = (world: World, changes: readonly Change[]): World => {
  const changeOf = (kind: string, { uri }: Json) => changes.find((each) => each.kind === kind && each.uri === uri);
  return mapped(
    world,
    (type) => {
      const fields = Object.entries(changeOf('event type', type)?.fields ?? {});
      return { ...type, ...Object.fromEntries(fields.map(([name, { after }]) => [name, after])) };
    },
    (schedule) => {
      const change = changeOf('schedule', schedule) as ScheduleChange | undefined;
      if (change === undefined) return schedule;
      const rules = rulesAfter(schedule.rules as Rule[], change);
      return { ...schedule, rules, timezone: change.timezone ?? schedule.timezone };
    },
  );
};

test('applied to a service that was changed, nothing is left to do (P3), and what the file does not name stays (P4)', () => {
  fc.assert(
    fc.property(worlds, worlds, options, (world, other, chosen) => {
      const { text } = writeConfig(world, chosen);
      const pool = other.users.flatMap(({ types }) => types);
      const schedules = pool.flatMap((type) => type.schedules ?? []).filter((each) => readSchedule(each).ok);
      let next = 0;
      const changed = mapped(
        world,
        (type) => {
          const { duration, active, description_plain } = { ...type, ...pool[next++ % pool.length]?.record };
          return { ...type, duration, active, description_plain };
        },
        (schedule) => {
          if (!Array.isArray(schedule.rules)) return schedule;
          const { rules, timezone } = schedules[next++ % schedules.length] ?? schedule;
          return { ...schedule, rules, timezone };
        },
      );
      const changes = changesBetween(text, changed);
      const after = applied(changed, changes);
      expect(changesBetween(text, after), text).toEqual([]);

      const schedulesIn = ({ users }: World) =>
        users.flatMap(({ types }) => types.flatMap((type) => type.schedules ?? []));
      const now = schedulesIn(after);
      for (const [index, { rules }] of schedulesIn(changed).entries()) {
        const unnamed = [rules].flat().filter((rule) => {
          const isDate = isKnown(rule) && rule.type === 'date';
          return !isKnown(rule) || (isDate && (!chosen.dates || dayOf(rule) < today));
        });
        expect([now[index]!.rules].flat()).toEqual(expect.arrayContaining(unnamed));
      }
    }),
    runs(8, 1000),
  );
});
