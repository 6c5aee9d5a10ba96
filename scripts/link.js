/** Lets `npx sched` find the program of this checkout: newer versions of npm look for it among the installed ones only. */
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const link = fileURLToPath(new URL('../node_modules/.bin/sched', import.meta.url));

await mkdir(dirname(link), { recursive: true });
await rm(link, { force: true });
// Where links need a privilege, `node bin/sched.js` is the way.
await symlink('../../bin/sched.js', link).catch(() => {});
