/**
 * Loaded before the program (`node --import`). Kills it, without a chance to clean up, before one SQL statement of a form
 * that is sent. `KILL_STEP` counts the statements, from 1 for the one that looks whether the form was sent before.
 */
import { createRequire } from 'node:module';

const last = Number(process.env.KILL_STEP);
let step = 0;

/** @param {string} sql */
const reach = (sql) => {
  if (step > 0 || sql.includes('FROM submitted')) step += 1;
  if (step !== last) return;
  process.kill(process.pid, 'SIGKILL');
  // Do nothing more, however long the signal takes.
  for (;;);
};

// In a variable, because the Node 20 types don't include this module.
const builtIn = 'node:sqlite';
const { DatabaseSync: Database } = await import(builtIn).catch(() => ({
  DatabaseSync: createRequire(import.meta.url)('libsql'),
}));

const { prepare, exec } = Database.prototype;
Object.assign(Database.prototype, {
  /** @param {string} sql */
  exec(sql) {
    reach(sql);
    return exec.call(this, sql);
  },
  /** @param {string} sql */
  prepare(sql) {
    const statement = prepare.call(this, sql);
    for (const name of ['all', 'get', 'run']) {
      const real = statement[name];
      statement[name] = (/** @type {unknown[]} */ ...words) => {
        reach(sql);
        return real.apply(statement, words);
      };
    }
    return statement;
  },
});
