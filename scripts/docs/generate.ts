import { buildTree } from '../../src/cli/parse/tree.ts';
import { configSchema } from '../../src/commands/config/work-file-schema.ts';
import { allTools } from '../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../src/commands/registry.ts';
import { worldJsonSchema } from '../../src/sandbox/world/schema.ts';
import { assumptionsPage } from './assumptions.ts';
import { manPages } from './man.ts';
import { mcpToolsPage } from './mcp-tools.ts';
import { referencePage } from './reference.ts';

export interface Input {
  /** The files of src/ by path. */
  sources: Readonly<Record<string, string>>;
  /** The text of CHANGELOG.md, which knows the date of the last release. */
  changelog: string;
}

/** All generated files by path. */
export const generate = async ({ sources, changelog }: Input): Promise<Record<string, string>> => {
  const root = await buildTree();
  return {
    'docs/assumptions.md': assumptionsPage(sources),
    'docs/config.schema.json': `${JSON.stringify(configSchema(), null, 2)}\n`,
    'docs/mcp-tools.md': mcpToolsPage(await allTools({ nouns, findNoun })),
    'docs/reference.md': referencePage(root),
    'docs/world.schema.json': `${JSON.stringify(worldJsonSchema(), null, 2)}\n`,
    ...manPages(root, changelog),
  };
};

/** Files in man/ that no noun or topic has a page for. */
export const staleFiles = (made: Readonly<Record<string, string>>, inMan: readonly string[]): string[] =>
  inMan.map((file) => `man/${file}`).filter((path) => !Object.hasOwn(made, path));
