import { parseArgs } from 'node:util';

/**
 * Reads the flags of a script. `--help` prints its usage, and whatever fails later is told in words, without a stack
 * trace.
 * @template {Record<string, { type: 'string' | 'boolean' }>} Flags
 * @param {string} usage
 * @param {Flags} options
 */
export const readFlags = (usage, options) => {
  process.on('uncaughtException', ({ message }) => {
    process.stderr.write(`error: ${message}\n`);
    process.exit(1);
  });
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit();
  }
  return parseArgs({ options }).values;
};
