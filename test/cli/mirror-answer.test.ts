import { expect, test } from 'vitest';
import { callTool, connect } from '../support/mcp-client.ts';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test('mcp serve --mirror offers the tools that read, and answers without the network', async () => {
  const home = temporaryDirectory('home');
  const world = await createWorld({ home });
  expect((await world.run('mirror sync --yes')).code).toBe(0);
  const offline = async () => {
    throw new Error('a mirror sends nothing');
  };
  const { client, close } = await connect(world, '--mirror --allow-writes', { send: offline });
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
