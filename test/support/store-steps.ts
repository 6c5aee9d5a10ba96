import type { Store } from '../../src/sandbox/store/store.ts';

/** Calls `onStep` around each statement that may write, and before and after a commit, where a process may be killed. */
export const withSteps = (store: Store, onStep: (step: string) => void): Store => {
  const around = <Result>(name: string, work: () => Result): Result => {
    onStep(`before ${name}`);
    const result = work();
    onStep(`after ${name}`);
    return result;
  };
  return {
    ...store,
    run: (sql, ...params) => around(sql, () => store.run(sql, ...params)),
    exec: (sql) => around(sql, () => store.exec(sql)),
    all: (sql, ...params) =>
      sql.startsWith('PRAGMA') ? around(sql, () => store.all(sql, ...params)) : store.all(sql, ...params),
    transaction: (work) => {
      const result = store.transaction(() => {
        const done = work();
        onStep('before the commit');
        return done;
      });
      onStep('after the commit');
      return result;
    },
  };
};
