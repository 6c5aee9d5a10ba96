/** Makes `npx sched` and `npx scheds` run this checkout: newer versions of npm look only for installed programs. */
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

for (const name of ['sched', 'scheds']) {
  const link = fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
  await mkdir(dirname(link), { recursive: true });
  await rm(link, { force: true });
  // Links may need a privilege, as on Windows. There, `node bin/sched.js` still works.
  await symlink(`../../bin/${name}.js`, link).catch(() => {});
}
