import type { Store } from '../store/store.ts';

/** Removes the webhooks of sandboxes that were killed, and frees the deliveries that they were sending. */
export const clearLeftovers = (store: Store, isAlive: (pid: number) => boolean) =>
  store.transaction(() => {
    const owners = store.all<{ pid: number }>('SELECT DISTINCT pid FROM webhooks WHERE pid IS NOT NULL');
    for (const { pid } of owners) if (!isAlive(pid)) store.run('DELETE FROM webhooks WHERE pid = ?', pid);
    const claims = store.all<{ claim: string }>('SELECT claim FROM deliveries WHERE claim IS NOT NULL');
    for (const { claim } of claims)
      if (!isAlive(Number.parseInt(claim, 10)))
        store.run('UPDATE deliveries SET claim = NULL, claimed_until = NULL WHERE claim = ?', claim);
  });
