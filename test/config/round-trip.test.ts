import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffConfig } from '../../src/config/diff.ts';
import type { World } from '../../src/config/model.ts';
import { readConfig } from '../../src/config/read-file.ts';
import { writeConfig } from '../../src/config/write-file.ts';
import { runs } from '../support/tier.ts';
import { worlds } from './worlds.ts';

const options = fc.record({ dates: fc.boolean(), uris: fc.boolean() });

const changesBetween = (text: string, world: World): unknown => {
  const read = readConfig(text, 'team.yaml');
  if (!read.ok) return read.problems;
  const diffed = diffConfig(read.read, world);
  return diffed.ok ? diffed.plan.changes : diffed.problems;
};

test('an export has no difference to the service that it was made of (P1)', () => {
  fc.assert(
    fc.property(worlds, options, (world, chosen) => {
      const { text } = writeConfig(world, chosen);
      expect(changesBetween(text, world), text).toEqual([]);
    }),
    runs(60, 3000),
  );
});
