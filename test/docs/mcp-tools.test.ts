import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mcpToolsPage } from '../../scripts/docs/mcp-tools.ts';
import { allTools } from '../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../src/commands/registry.ts';

const page = mcpToolsPage(await allTools({ nouns, findNoun }));
const guide = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

/** The exact number of characters with these flags. */
const sizeWith = (flags: string): number => {
  const line = page.split('\n').find((each) => each.startsWith(`| ${flags} `))!;
  return Number(line.split('|').at(-2)!.replaceAll(',', ''));
};

describe('docs/mcp.md', () => {
  test.each([
    ['`--compact`', /`--compact` is ([\d,]+) characters/],
    ['(default)', /([\d,]+) characters by default/],
    ['`--allow-writes --output-schemas`', /and ([\d,]+) with all writes and `--output-schemas`/],
    ["`--tools 'events.*,event-types.slots'`", /`--tools 'events\.\*,event-types\.slots'` is ([\d,]+) characters/],
  ])('tells the size of the list %s, rounded', (flags, pattern) => {
    const told = Number(pattern.exec(guide)![1]!.replaceAll(',', ''));
    expect(Math.abs(told - sizeWith(flags)) / sizeWith(flags)).toBeLessThan(0.05);
  });

  test('is right that output schemas triple the list', () => {
    const factor = sizeWith('`--output-schemas`') / sizeWith('(default)');
    expect(factor).toBeGreaterThan(2.5);
    expect(factor).toBeLessThan(3.5);
  });
});

describe('docs/mcp-tools.md', () => {
  test('lists every tool', async () => {
    for (const { name, path } of await allTools({ nouns, findNoun }))
      expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\| \`${path}\``, 'm'));
  });
});
