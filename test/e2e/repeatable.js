/**
 * Loaded before the program (`node --import`). Its random bytes and its number are the same in each run, and with them the
 * names of its files. The account's home directory, which has the locks, is `HOME`.
 */
import crypto from 'node:crypto';
import os from 'node:os';

let count = 0;
/** A helper process must not choose the names of its parent. @param {number} length */
const randomBytes = (length) => {
  count += 1;
  return crypto
    .createHash('sha512')
    .update(`${process.argv.slice(2)} ${count}`)
    .digest()
    .subarray(0, length);
};
const account = os.userInfo();
Object.assign(crypto, { randomBytes });
Object.assign(os, { userInfo: () => ({ ...account, homedir: process.env.HOME }) });
// A process that always runs. The helper for a refresh needs its own number to get the lock.
if (!process.argv.includes('__refresh-helper')) Object.defineProperty(process, 'pid', { value: 1 });
