import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { ConfigFile, WantedType } from '../../../src/commands/config/work-file-schema.ts';
import { dayOf } from '../../../src/time/availability-rules.ts';
import { runs } from '../../support/tier.ts';
import { addOwnDates, cases, changeByOthers } from './config-cases.ts';
import { type Configs, createConfigs } from './configs.ts';

const typesOf = (config: ConfigFile): WantedType[] => Object.values(config.users!.me!.event_types ?? {});

/** A new sandbox that is as the first file says, with dates that no file names. */
const sandboxWith = async (first: ConfigFile) => {
  const configs = await createConfigs();
  const machine = await configs.machineAt();
  expect(await configs.apply(machine, first)).toMatchObject({ said: 'done' });
  return { configs, machine };
};

/** Nothing differs from the file, and the same command sends nothing. */
const expectApplied = async ({ planOf, apply, machineAt }: Configs, config: ConfigFile): Promise<void> => {
  expect((await planOf(config)).changes).toEqual([]);
  const writes: string[] = [];
  await apply(await machineAt(), config, { writes });
  expect(writes).toEqual([]);
};

const isNew = ({ name }: { name?: unknown }): boolean => String(name).startsWith('New ');

/** What a file doesn't name: other fields of its types, other days of their hours, other types and webhooks. */
const unmanaged = async ({ everything }: Configs, config: ConfigFile) => {
  const { types, webhooks } = await everything();
  const restOf = (record: Json, schedules: Json[]) => {
    const wanted = typesOf(config).find(({ name, renamed_from }) => [name, renamed_from].includes(String(record.name)));
    if (wanted === undefined) return { record, schedules };
    const managed = ['updated_at', 'description_html', ...Object.keys(wanted)];
    const { timezone, hours, dates = {} } = wanted.availability ?? {};
    const isOther = (rule: Json) =>
      rule.type === 'date' ? dates[dayOf(rule)] === undefined || dayOf(rule) < '2026-11-15' : hours === undefined;
    return {
      record: Object.fromEntries(Object.entries(record).filter(([field]) => !managed.includes(field))),
      schedules: schedules.map((schedule) => ({
        ...schedule,
        ...(timezone === undefined ? {} : { timezone }),
        rules: (schedule.rules as Json[]).filter(isOther),
      })),
    };
  };
  return {
    types: types.filter(({ record }) => !isNew(record)).map(({ record, schedules }) => restOf(record, schedules)),
    webhooks: config.users!.me!.webhooks === undefined ? webhooks : [],
  };
};

describe('any configuration', () => {
  test('is exported, and applied to another service', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ first }) => {
        const { configs } = await sandboxWith(first);
        const file = await configs.exported();
        expect((await configs.planOf(file)).changes).toEqual([]);
        // An export can't have the keys of webhooks.
        for (const webhook of file.users!.me!.webhooks ?? []) webhook.signing_key = 'none';
        const { configs: other } = await sandboxWith(file);
        await expectApplied(other, file);
      }),
      runs(1, 200),
    );
  });

  test('is applied to a service that differs; the rest stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ first, second }) => {
        const { configs, machine } = await sandboxWith(first);
        await addOwnDates(configs);
        const before = await unmanaged(configs, second);
        expect(await configs.apply(machine, second)).toMatchObject({ said: 'done' });
        await expectApplied(configs, second);
        expect(await unmanaged(configs, second)).toEqual(before);
      }),
      runs(1, 300),
    );
  });

  test('is not applied if somebody else has changed something since the plan', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(20), async ({ first, second }, which) => {
        const { configs, machine } = await sandboxWith(first);
        const writes: string[] = [];
        const said = await configs.apply(machine, second, {
          writes,
          meanwhile: (plan) => changeByOthers(configs, plan, which),
        });
        expect(said).toMatchObject({ said: 'conflict' });
        expect(writes).toEqual([]);
      }),
      runs(1, 200),
    );
  });
});
