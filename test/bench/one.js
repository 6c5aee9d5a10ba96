/**
 * Runs one bench in a separate process: a parent with much memory starts programs more slowly, and its memory would
 * count as theirs.
 */
import { pathToFileURL } from 'node:url';

const { measure } = await import(pathToFileURL(process.argv[2] ?? '').href);
process.send?.(await measure());
process.disconnect?.();
