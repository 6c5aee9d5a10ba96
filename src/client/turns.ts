/**
 * Comes back when a request that was just made, and need not wait for anything, has left. In the first turn of the event
 * loop it passes the layers, in the second undici makes sure that the connection is still good.
 */
export const turnsToLeave = async (): Promise<void> => {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
};
