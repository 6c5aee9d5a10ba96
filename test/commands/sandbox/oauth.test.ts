import { expect, test } from 'vitest';
import { createWorld, network, outputs, someday } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

test('sandbox oauth names the rule that a client missed', async () => {
  const world = await createWorld({
    home: temporaryDirectory(),
    env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    send: network,
  });
  const data = await seededFile(someday);
  const { text } = await startServing(world.run, ['--json', '--data', data, '--oauth', 'preregistered-only']);
  const { auth_url: server, admin_token: secret } = JSON.parse(text);
  const env = { SCHED_SANDBOX_ADMIN: secret };
  expect(await world.run(`sandbox oauth --data ${data}`, { env })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No OAuth client was seen'),
  });
  const query = 'response_type=code&client_id=guessed&redirect_uri=http://127.0.0.1:9/&code_challenge_method=S256';
  await fetch(`${server}/oauth/authorize?${query}`, { redirect: 'manual' });
  const { code, stdout, stderr } = await world.run(`sandbox oauth --data ${data} --json`, { env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ client: 'guessed', step: 'authorize', requests: 1 }]);
  expect(stderr).toMatch(/guessed missed at authorize: RFC 6749 §2\.2/);
  // The ID of a client is its own choice.
  await fetch(`${server}/oauth/authorize?${query.replace('guessed', '%1b[31mred%0aline')}`, { redirect: 'manual' });
  const terminals = { terminals: outputs, env: { ...env, NO_COLOR: '1' } };
  const shown = await world.run(`sandbox oauth --data ${data}`, terminals);
  expect(`${shown.stdout}${shown.stderr}`).toContain('red');
  expect(`${shown.stdout}${shown.stderr}`).not.toMatch(/\u001b\[31m|^line/m);
});
