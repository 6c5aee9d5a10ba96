import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const home = temporaryDirectory();
const file = join(home, 'team.yaml');
const world = await createWorld({ home });
const write = (config: object): void => writeFileSync(file, JSON.stringify({ sched: 1, ...config }));
const diff = (flags = '', more = {}) => world.run(`config diff ${file} --unmanaged ${flags}`, more);

interface Row {
  kind: string;
  name: string;
  owner: string;
  uri: string;
}
const rowsOf = async (more = {}): Promise<Row[]> => JSON.parse((await diff('--json', more)).stdout);
const namesOf = (rows: Row[], kind: string) => rows.filter((row) => row.kind === kind).map(({ name }) => name);

const whole = JSON.parse((await world.run('config export -o json --with dates,uris')).stdout);
const [[key, first]] = Object.entries(whole.users.me.event_types) as [
  [string, { name: string; availability?: object }],
];

describe('config diff --unmanaged', () => {
  test('has nothing of the user for a whole export, with exit code 0', async () => {
    write({ ...whole, organization: { webhooks: [] } });
    expect(await rowsOf()).toEqual([]);
    expect((await diff('--exit-code')).code).toBe(0);
    expect((await diff('', { terminals })).stderr).toContain('Nothing is outside');
  });

  test('lists event types, hours and webhooks outside the file, with exit code 7', async () => {
    write({ users: { me: { event_types: { [key]: { name: first.name } } } } });
    const rows = await rowsOf();
    const all = Object.values(whole.users.me.event_types).map((type) => (type as { name: string }).name);
    expect(namesOf(rows, 'event type').toSorted()).toEqual(all.filter((name) => name !== first.name).toSorted());
    expect(namesOf(rows, 'schedule')).toEqual([expect.stringMatching(new RegExp(`^${first.name}: `))]);
    const webhooks = JSON.parse((await world.run('webhooks list --scope user --user me --json')).stdout);
    expect(namesOf(rows, 'webhook')).toEqual(
      expect.arrayContaining(webhooks.map(({ callback_url: url }: Record<string, string>) => url)),
    );
    expect(rows.every(({ uri, owner }) => uri.startsWith('http') && ['me', 'organization'].includes(owner))).toBe(true);
    expect((await diff()).code).toBe(0);
    expect((await diff('--exit-code')).code).toBe(7);
    write({
      users: {
        me: { event_types: { [key]: { name: 'Renamed', renamed_from: first.name, availability: first.availability } } },
      },
    });
    expect(namesOf(await rowsOf(), 'schedule')).toEqual([]);
    expect(namesOf(await rowsOf(), 'event type')).not.toContain(first.name);
  });

  test('says what it could not read, and makes names safe', async () => {
    write({ users: { me: { webhooks: [] } } });
    const send: Send = async (request) => {
      if (request.url.includes('scope=organization'))
        return { status: 403, headers: {}, body: '{"title":"Permission Denied"}' };
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(`"name":"${first.name}"`, '"name":"\\u001b[31m##[error]"') };
    };
    const { stdout, stderr, code } = await diff('', { terminals, send, isHostile: true });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Not checked: webhooks of the organization')]);
    expect(stdout).toContain('\\x1b[31m# #[error]');
  });

  test('refuses a broken file, and works as a tool', async () => {
    writeFileSync(file, 'sched: 1\nusers: 7\n');
    expect((await diff()).code).toBe(2);
    const { client, close } = await connect(world);
    const result = await callTool(client, 'config_diff', {
      file: 'sched: 1\nusers: { me: { webhooks: [] } }\n',
      unmanaged: true,
    });
    await close();
    expect(JSON.stringify(result.record)).toContain('event type');
  });
});
