import { day } from '../../base/milliseconds.ts';
import { seedTokens } from '../oauth/ready-tokens.ts';
import type { Plan } from '../rules/subscription.ts';
import type { Store } from '../store/store.ts';
import type { Row } from '../world/draft.ts';
import { rowsOf } from '../world/rows.ts';
import type { World } from '../world/schema.ts';
import { demoWorld, emptyWorld } from './demo.ts';
import { insertMany } from './many.ts';
import { moreEvents, type Seed } from './name.ts';

interface SeedOptions {
  plan?: Plan | undefined;
  world?: Seed | undefined;
}

/** The name of the seed the data was created with. It is stored, because later versions add to the data. */
export const seedOf = (store: Store): string => String(store.fact('seed') ?? 'demo');

/** Whether the data was created with this seed: with this content, if it is a file. */
export const isSeededWith = (store: Store, seed: Seed): boolean =>
  typeof seed === 'string' ? seedOf(store) === seed : store.fact('seed_digest') === seed.digest;

const insertRows = (store: Store, rows: readonly Row[], or?: 'IGNORE') => {
  for (const { table, columns, doc } of rows)
    store.add(table, doc === undefined ? columns : { ...columns, doc: JSON.stringify(doc) }, or);
};

const insertWorld = (store: Store, now: number, { plan, world: seed = 'demo' }: SeedOptions) => {
  const isFile = typeof seed !== 'string';
  store.setFact('seed', isFile ? seed.name : seed);
  store.setFact('seeded_at', now);
  if (isFile) store.setFact('seed_digest', seed.digest);
  const world: World = isFile ? seed.world : seed === 'empty' ? emptyWorld() : demoWorld(now);
  const organization = plan === undefined ? world.organization : { ...world.organization, plan };
  const { rows, problems, types } = rowsOf({ ...world, organization }, now, isFile ? seed.read : undefined);
  if (problems[0]) throw new Error(`${problems[0].path.join('.')} ${problems[0].message}`);
  insertRows(store, rows);
  for (const [name, count] of Object.entries(world.counters ?? {})) store.setFact(name, count);
  const more = isFile ? 0 : moreEvents(seed);
  if (more > 0) insertMany(store, types, now, more);
};

const laterTables =
  'groups group_members event_type_hosts connected_locations invitations routing_forms submissions activity'.split(' ');

/** Adds to data of version 1 what the demo has had since version 2. */
const addSecondStage = (store: Store, rows: readonly Row[]) => {
  for (const table of ['group_members', 'event_type_hosts']) store.run(`DELETE FROM ${table} WHERE id IS NULL`);
  insertRows(
    store,
    rows.filter(({ table }) => laterTables.includes(table)),
    'IGNORE',
  );
  for (const { table, columns, doc } of rows)
    if (table === 'event_types')
      store.run(
        "UPDATE event_types SET duration_options = ?, doc = json_set(doc, '$.admin_managed', json(?)) WHERE id = ?",
        columns.duration_options!,
        JSON.stringify(doc!.admin_managed),
        columns.id!,
      );
};

/** Each version of the file that added seed data is a stage. */
const stages = 4;

const stagesDone = (store: Store): number =>
  Number(store.fact('seed_stages') ?? (store.fact('seeded_at') === undefined ? 0 : 1));

export const isSeeded = (store: Store): boolean => stagesDone(store) === stages;

/**
 * Fills an empty store; the same time always gives the same data. For data of an older version, adds the missing stages
 * with the original seed time and keeps all bookings. Call it inside a transaction.
 */
export const seed = (store: Store, now: number, options: SeedOptions = {}) => {
  const moment = Number(store.fact('seeded_at') ?? now);
  const done = stagesDone(store);
  if (done === 0) insertWorld(store, moment, options);
  const { rows } = done === 0 || seedOf(store) === 'empty' ? { rows: [] } : rowsOf(demoWorld(moment), moment);
  if (done === 1) addSecondStage(store, rows);
  if (done < 3) seedTokens(store, moment);
  if (done > 0 && done < 4)
    insertRows(
      store,
      rows.filter(({ table }) => table === 'webhooks'),
    );
  store.setFact('seed_stages', stages);
};

export const seedAgeDays = (store: Store, now: number): number => (now - Number(store.fact('seeded_at') ?? now)) / day;
