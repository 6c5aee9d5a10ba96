import { join } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Compares a screen with its file in test/every-command/golden/. A missing file is a failure too: see vitest.config.ts. */
export const expectGolden = async (screen: string, name: string): Promise<void> => {
  const file = join('test/every-command/golden', name);
  const test = expect.getState().testPath?.slice(root.length + 1);
  const advice = `${file} is missing or different. To write it, and then review it by eye: npx vitest run ${test} -u`;
  await expect(screen, advice).toMatchFileSnapshot(join(root, file));
};
