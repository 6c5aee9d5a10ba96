import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { writeSnippets } from '../support/page-snippets.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryDirectory('testing');
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
const names = writeSnippets('docs/testing.md', folder);
const withoutPort = ['fetch.test.ts', 'route.test.ts', 'worker.test.ts'];

test('docs/testing.md shows three uses without a port', () => {
  expect(names).toEqual(expect.arrayContaining(withoutPort));
});

// The others run with the installed package: test/e2e/package.test.ts. A file adds its tests here.
for (const name of withoutPort) {
  const file = join(folder, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace("'sched/sandbox'", JSON.stringify(join(root, 'src/create-sandbox.ts'))));
  describe(name, async () => void (await import(/* @vite-ignore */ file)));
}
