import { describe, expect, test } from 'vitest';
import { createWorld, replying } from '../../support/run.ts';

const world = await createWorld();

const send = replying({
  body: '{"resource":{"uri":"http://127.0.0.1:4010/users/A","name":"Ada","names":["A"],"mood":1}}',
});

describe('a field that is not documented', () => {
  test.each(['users me', 'api /users/me'])('is selected by %s if the reply has it', async (line) => {
    const { code, stdout, stderr } = await world.run(`${line} --json=mood,names`, { send });
    expect({ code, record: JSON.parse(stdout), stderr }).toEqual({
      code: 0,
      record: { mood: 1, names: ['A'] },
      stderr: '',
    });
  });

  test.each(['users me', 'api /users/me'])(
    'is a typo for %s if the reply lacks it and has one like it',
    async (line) => {
      const { code, stdout, stderr, requests } = await world.run(`${line} --json=nmae`, { send });
      expect({ code, stdout, requests: requests.length }).toEqual({ code: 2, stdout: '', requests: 1 });
      expect(stderr).toContain('Did you mean \\"name\\"?');
    },
  );

  test('is null if the reply lacks it, with a warning: other replies may have it', async () => {
    const { code, stdout, stderr } = await world.run('events list --limit 2 --json=cancellation.reason --quiet');
    expect({ code, records: JSON.parse(stdout) }).toEqual({
      code: 0,
      records: [{ cancellation: null }, { cancellation: null }],
    });
    expect(stderr).toBe('{"note":"The reply has no field \\"cancellation\\""}\n');
  });

  test('is not judged by an empty list', async () => {
    const { code, stdout, stderr } = await world.run('events list --since 2099-01-01 --json=nmae');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('is rejected before a write is sent', async () => {
    const { code, requests } = await world.run('events cancel JW6SHQTS78SH7TS8 --yes --json=mood');
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
  });
});
