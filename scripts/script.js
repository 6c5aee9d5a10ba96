import { parseArgs } from 'node:util';

/** From now on, whatever fails is told in words, without a stack trace. */
export const failInWords = () =>
  process.on('uncaughtException', ({ message }) => {
    process.stderr.write(`error: ${message}\n`);
    process.exit(1);
  });

/**
 * Reads the flags of a script. `--help` prints its usage, and whatever fails later is told in words.
 * @template {Record<string, { type: 'string' | 'boolean' }>} Flags
 * @param {string} usage
 * @param {Flags} options
 */
export const readFlags = (usage, options) => {
  failInWords();
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit();
  }
  return parseArgs({ options }).values;
};
