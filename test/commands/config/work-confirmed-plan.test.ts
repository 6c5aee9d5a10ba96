import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forgetPlan, keepPlan, type PlanContext } from '../../../src/commands/config/work-confirmed-plan.ts';
import type { Plan } from '../../../src/commands/config/work-model.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

test('a plan that is forgotten leaves the draft of another process alone', async () => {
  const directory = temporaryDirectory();
  const world = { randomBytes: (count: number) => new Uint8Array(count), platform: 'linux' };
  const context = { plans: { directory, world } } as unknown as PlanContext;
  const plan = { service: 'https://api.example.com', organization: 'O1', changes: [] } as unknown as Plan;
  await keepPlan(context, plan);
  const [name = ''] = readdirSync(join(directory, 'plans'));
  const [path, draft] = ['', '.0123456789abcdef'].map((end) => join(directory, 'plans', name + end)) as [
    string,
    string,
  ];
  writeFileSync(draft, '{}');
  await forgetPlan(context, plan);
  expect([existsSync(path), existsSync(draft)]).toEqual([false, true]);
});
