import { expect, test } from 'vitest';
import { callTool, connect } from '../support/mcp-client.ts';
import { createWorld } from '../support/run.ts';
import { syncedHome } from '../support/synced.ts';

test('mcp serve --mirror offers the tools that read, and answers without the network', async () => {
  const world = await createWorld();
  const home = await syncedHome(world);
  const offline = async () => {
    throw new Error('a mirror sends nothing');
  };
  const { client, close } = await connect(world, '--mirror --allow-writes', { home, send: offline });
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('events_list');
  expect(names).not.toContain('events_cancel');
  expect(names).not.toContain('webhooks_list');
  expect(client.getInstructions()).toMatch(/a copy of a scheduling service \(mirror, \d+ min old\)/);
  const { text } = await callTool(client, 'users_me', {});
  expect(text).toContain('Amara Lindqvist');
  await close();
});
