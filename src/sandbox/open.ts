import type { Send } from '../http/message.ts';
import type { Clock } from '../runtime.ts';
import { openDatabase } from './database.ts';
import { seed, seedAgeDays, tokens } from './seed.ts';
import { createService } from './service.ts';
import { openStore } from './store.ts';

export interface Sandbox {
  readonly service: Send;
  /** The default user's token; she owns the organization. */
  readonly token: string;
  /** How old the seeded world is: after some weeks nothing in it lies ahead any more. */
  readonly seedAgeDays: number;
  /** Back to a freshly seeded world. */
  reset(): void;
  close(): void;
}

export interface SandboxOptions {
  /** A path, or `:memory:`. */
  file: string;
  clock: Pick<Clock, 'now'>;
  /** See `ServiceOptions`. */
  verify?: boolean;
}

/** Opens the embedded service, and fills it with a world when it is new. */
export const openSandbox = async ({ file, clock, verify = false }: SandboxOptions): Promise<Sandbox> => {
  const database = await openDatabase(file);
  try {
    const store = openStore(database);
    const isSeeded = () => store.fact('seeded_at') !== undefined;
    // Asked again inside the transaction: another process may have seeded it meanwhile.
    if (!isSeeded()) store.transaction(() => isSeeded() || seed(store, clock.now()));
    return {
      service: createService({ store, clock, verify }),
      token: tokens.owner.token,
      get seedAgeDays() {
        return seedAgeDays(store, clock.now());
      },
      reset: () =>
        store.transaction(() => {
          store.clear();
          seed(store, clock.now());
        }),
      close: () => store.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
};
