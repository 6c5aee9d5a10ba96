/** One bench in a process of its own: starting programs takes the longer the more memory the starter has, and passes that on as theirs. */
import { pathToFileURL } from 'node:url';

const { measure } = await import(pathToFileURL(process.argv[2] ?? '').href);
process.send?.(await measure());
process.disconnect?.();
