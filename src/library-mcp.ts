import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMcp } from './commands/mcp/serve.ts';
import { findNoun, nouns } from './commands/registry.ts';
import type { Dialect } from './dialects/dialect.ts';
import { mkdtemp, rm } from './node/files.ts';
import { withRedaction } from './node/redacted-output.ts';
import { nodeWorld } from './node/runtime.ts';
import type { World } from './runtime.ts';
import type { McpServer } from './sandbox/mcp/endpoint.ts';
import { placesIn } from './sandbox/open.ts';
import type { McpPlace } from './sandbox/run.ts';

/**
 * The MCP server of a sandbox inside another program. Its tools are the commands of `sched`: they keep what they must in a
 * directory that ends with the sandbox, and leave signals to the program.
 */
export const openLibraryMcp = async (place: McpPlace, dialect: Dialect | undefined): Promise<McpServer> => {
  const directory = await mkdtemp(join(tmpdir(), 'sched-mcp-'));
  const own: Partial<World> = {
    env: placesIn(directory),
    interrupted: new AbortController().signal,
    protect: (work) => work(),
  };
  const world: World = Object.create(nodeWorld(), Object.getOwnPropertyDescriptors(own));
  const { answer, close } = await openMcp({ nouns, findNoun }, { runtime: withRedaction(world) }, place, dialect);
  return {
    answer,
    close: async () => {
      await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
