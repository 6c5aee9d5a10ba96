import { expect, test } from 'vitest';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const calls = [
  ['event_types_create', { name: 'Chat', duration: 25 }],
  ['events_cancel', { event: ['JW6SHQTS78SH7TS8'] }],
  ['shares_create', { event_type: 'Intro call' }],
] as const;

test('tools read with a protected profile, and never write with it', async () => {
  const world = await createWorld({ home: temporaryDirectory(), env: { SCHED_PROFILE: 'prod' } });
  const url = 'http://127.0.0.1:4010';
  await world.run(['profiles', 'add', 'prod', '--base-url', url, '--auth-url', url, '--protected', 'yes']);
  for (const flags of ['--allow-writes', '--allow-writes --yes', '--allow-writes --yes --profile-is prod']) {
    const questions: string[] = [];
    const { client, close } = await connect(world, flags, {
      answer: (question) => {
        questions.push(question);
        return 'yes';
      },
    });
    expect(await callTool(client, 'event_types_list', {})).not.toHaveProperty('error');
    const inBatches = calls.map(([tool, values]) => ['batch', { calls: [{ tool, arguments: values }] }] as const);
    for (const [name, values] of [...calls, ...inBatches])
      expect(JSON.stringify(await callTool(client, name, values))).toContain('is protected');
    expect([writes(await close()), questions]).toEqual([[], []]);
  }
  await world.run('profiles set protected no --profile-is prod --yes');
  const { client, close } = await connect(world, '--allow-writes', { answer: () => 'yes' });
  await callTool(client, ...calls[0]);
  expect(writes(await close())).toHaveLength(1);
});
