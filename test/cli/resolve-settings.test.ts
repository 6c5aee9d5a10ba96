import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/run.ts';

const world = await createWorld();

describe('a variable with an invalid value', () => {
  test.each([
    ['SCHED_ERROR_FORMAT', 'xml', 'SCHED_ERROR_FORMAT must be one of json, text, not "xml"'],
    ['SCHED_CREDENTIAL_STORE', 'fiel', 'SCHED_CREDENTIAL_STORE must be one of keychain, file, not "fiel"'],
    ['SCHED_MAX_WAIT', 'long', 'SCHED_MAX_WAIT must be a duration such as 90s or 2m, not "long"'],
    ['SCHED_TZ', 'Mars', 'Mars'],
    ['SCHED_OUTPUT', 'xml', 'SCHED_OUTPUT must be one of table, json, jsonl, csv, tsv, yaml, id, not "xml"'],
  ])('%s=%s is rejected before anything is sent', async (name, value, words) => {
    const { code, stderr, requests } = await world.run('users me', { env: { [name]: value }, terminals: ['stdout'] });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(words);
  });

  test('SCHED_ERROR_FORMAT=text prints text even if the result is JSON', async () => {
    const { stderr } = await world.run('events get NONE --json', { env: { SCHED_ERROR_FORMAT: 'text' } });
    expect(stderr).toMatch(/^error: No event with ID NONE$/m);
  });

  test('is ignored if it is empty', async () => {
    const env = { SCHED_ERROR_FORMAT: '', SCHED_MAX_WAIT: '', SCHED_TZ: '', SCHED_OUTPUT: '' };
    expect((await world.run('users me', { env })).code).toBe(0);
  });
});

describe('--profile with the sandbox', () => {
  test.each([
    ['--sandbox -p nope events list', {}, 'sched --sandbox events list'],
    [
      'events list --profile nope',
      { SCHED_SANDBOX: '1', SCHED_TOKEN: '', SCHED_BASE_URL: '' },
      'sched --sandbox events list',
    ],
  ])('is refused, because the sandbox has its own account: %s %j', async (line, env, meant) => {
    const { code, stderr, requests } = await world.run(line, { env });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("--profile nope can't be used with the sandbox");
    expect(stderr).toContain(`try: ${meant}\n`);
  });
});
