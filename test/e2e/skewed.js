/**
 * Loaded before the program (`node --import`), which then runs on another machine: its clock is ahead of the real time by
 * `AHEAD_MS`, and the account and the name of the machine follow from `HOME`.
 */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const { now } = Date;
Date.now = () => now() + Number(process.env.AHEAD_MS);

const home = /** @type {string} */ (process.env.HOME);
const account = os.userInfo();
Object.assign(os, {
  userInfo: () => ({ ...account, homedir: home }),
  hostname: () => `machine-${home.split('/').at(-1)}`,
});
syncBuiltinESMExports();
