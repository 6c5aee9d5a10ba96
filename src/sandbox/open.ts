import type { Send } from '../http/message.ts';
import { openClock, type SandboxClock } from './clock.ts';
import { openDatabase, unusable } from './database.ts';
import { isSeeded, seed, seedAgeDays, seedOf } from './seed.ts';
import { type SeedName, seedNameText } from './seed-name.ts';
import { createService, type ServiceOptions } from './service.ts';
import { openStore } from './store.ts';
import { changePlan, type Plan, planOf } from './subscription.ts';
import { ownerToken } from './tokens.ts';

export interface Sandbox {
  readonly service: Send;
  /** The service's own clock, which can be moved. */
  readonly clock: SandboxClock;
  /** The default user's token; she owns the organization. */
  readonly token: string;
  /** Plan of the organization. */
  readonly plan: Plan;
  /** How old the seeded world is: after some weeks nothing in it lies ahead any more. */
  readonly seedAgeDays: number;
  /** Back to a fresh world, seeded as it was opened or as is said now. Whoever has the data open goes on with it. */
  reset(another?: SeedName): void;
  close(): void;
}

export interface SandboxOptions extends Omit<ServiceOptions, 'store' | 'guards'> {
  /** A path, or `:memory:`. */
  file: string;
  /** Plan of the organization. Where none is named, a world that is there keeps its own and a new one is on enterprise. */
  plan?: Plan | undefined;
  /** What a new world is seeded with, `demo` unless told. A world that is there must be the same. */
  world?: SeedName | undefined;
}

/** Opens the embedded service, fills it with a world when it is new, and completes a world of an older version. */
export const openSandbox = async ({ file, plan, world, ...options }: SandboxOptions): Promise<Sandbox> => {
  const database = await openDatabase(file);
  try {
    const store = openStore(database);
    const clock = openClock(store, options.clock);
    // Asked again inside the transaction: another process may have seeded it meanwhile.
    if (!isSeeded(store)) store.transaction(() => isSeeded(store) || seed(store, clock.now(), { plan, world }));
    if (world !== undefined && seedNameText(world) !== seedOf(store))
      throw unusable(`The data was seeded with ${seedOf(store)}, not with ${seedNameText(world)}.`);
    if (plan !== undefined) store.transaction(() => changePlan(store, plan));
    return {
      service: createService({ ...options, store, clock }),
      clock,
      token: ownerToken,
      get plan() {
        return planOf(store);
      },
      get seedAgeDays() {
        return seedAgeDays(store, clock.now());
      },
      reset(another = world) {
        store.transaction(() => {
          store.clear();
          seed(store, clock.now(), { plan, world: another });
        });
        // Gives back the room that a larger world took.
        store.exec('VACUUM');
      },
      close: () => store.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
};
