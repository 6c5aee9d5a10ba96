import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createWorld, isWrite } from '../support/run.ts';

const world = await createWorld();

const firstUri = async () =>
  (await world.run('events list --status active --since tomorrow --limit 1 -o id')).stdout.trim();

describe('flags: csv and yaml', () => {
  it('contain the same values as JSON', async () => {
    const list = 'events list --since -7d --until +7d';
    const json = JSON.parse((await world.run(`${list} --json`)).stdout);
    expect(parseYaml((await world.run(`${list} -o yaml --page-size 7`)).stdout)).toEqual(json);
    const csv = (await world.run(`${list} -o csv --raw --fields uri,name,invitees_counter.total --page-size 7`)).stdout;
    expect(parseCsv(csv)).toEqual([
      ['uri', 'name', 'invitees_counter.total'],
      ...json.map((event: { uri: string; name: string; invitees_counter: { total: number } }) => [
        event.uri,
        event.name,
        String(event.invitees_counter.total),
      ]),
    ]);
    expect(csv.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('select fields of list items', async () => {
    const { stdout } = await world.run('events list --limit 1 -o yaml --fields event_memberships.*.user_name');
    expect(stdout).toBe('- event_memberships:\n    - user_name: Amara Lindqvist\n');
  });

  it('can be set with SCHED_OUTPUT for a terminal, but not for a pipe', async () => {
    const env = { SCHED_OUTPUT: 'yaml' };
    expect((await world.run('users me', { env, terminals: ['stdout'] })).stdout).toMatch(/^uri: http/);
    expect((await world.run('users me', { env })).stdout).toMatch(/^uri\thttp/);
  });

  it('can be set with a flag that overrides SCHED_OUTPUT', async () => {
    const terminal = { env: { SCHED_OUTPUT: 'nonsense' }, terminals: ['stdout' as const] };
    for (const flag of ['-o csv', '--json', '--jq .uri'])
      expect((await world.run(`users me ${flag}`, terminal)).code).toBe(0);
    const { code, stderr } = await world.run('users me', terminal);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('SCHED_OUTPUT must be one of table, json, jsonl, csv, tsv, yaml, id, not "nonsense"'),
    ]);
  });
});

describe('flags: --jq', () => {
  it('runs on the whole list, on each record and on a single record', async () => {
    const names = JSON.parse((await world.run('events list --json')).stdout).map(({ name }: { name: string }) => name);
    expect((await world.run(['events', 'list', '--page-size', '7', '--jq', '[.[].name]'])).stdout).toBe(
      `${JSON.stringify(names, null, 2)}\n`,
    );
    expect((await world.run('events list -o jsonl --jq .name')).stdout).toBe(`${names.join('\n')}\n`);
    expect((await world.run(`events get ${await firstUri()} --jq .status`)).stdout).toBe('active\n');
  });

  it('processes all results on a terminal too', async () => {
    const { stdout } = await world.run('events list --jq length', { terminals: ['stdout'] });
    expect(Number(stdout)).toBeGreaterThan(50);
  });

  it('gets only the selected fields', async () =>
    expect((await world.run(['events', 'list', '--limit', '1', '--json=name', '--jq', '.[0] | keys[]'])).stdout).toBe(
      'name\n',
    ));

  it('fails before anything is sent if the program does not compile', async () => {
    const uri = await firstUri();
    const { code, stderr, requests } = await world.run(['events', 'cancel', uri, '--yes', '--jq', '.[']);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('error: --jq: syntax error, unexpected end of file at line 1, column 2');
  });

  it('reports a failing program and that the write was applied', async () => {
    const uri = await firstUri();
    const env = { SCHED_ERROR_FORMAT: 'json' };
    const { code, stderr } = await world.run(['events', 'cancel', uri, '--yes', '--jq', '.name.x'], { env });
    expect(code).toBe(2);
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error).toMatchObject({ code: 'usage', outcome: 'applied' });
  });

  it.each(['table', 'csv', 'tsv', 'yaml', 'id'])('rejects -o %s', async (format) => {
    const { code, stderr, requests } = await world.run(`events list -o ${format} --jq .`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('--jq only works with -o json or -o jsonl');
  });
});

describe('flags: --curl', () => {
  it('prints a write request without sending it', async () => {
    const uri = await firstUri();
    const { code, stdout, requests } = await world.run(['events', 'cancel', uri, '--curl', '--reason', "I'm ill"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `curl -X POST ${uri}/cancellation -H 'Authorization: Bearer '"$SCHED_TOKEN" -H 'accept: application/json' ` +
        `-H 'content-type: application/json' --data '{"reason":"I'\\''m ill"}'\n`,
    );
    expect(requests.filter(isWrite)).toEqual([]);
  });

  it('does not print the token', async () => {
    const { stdout } = await world.run('users me --curl');
    expect(stdout).toContain('$SCHED_TOKEN');
    expect(stdout).not.toContain(world.token);
  });

  it('does not print the addresses of a compliance request', async () => {
    const { stdout, stderr, requests } = await world.run('compliance delete ada@engine.example --curl');
    expect(stdout).toMatch(/^jq .+ addresses\.txt \| curl .+\/data_compliance\/invitee_deletion .* --data @-\n$/);
    expect(`${stdout}${stderr}`).not.toContain('ada@');
    expect(requests).toEqual([]);
  });
});

describe('flags: --dry-run output', () => {
  const url = 'http://127.0.0.1:4010/scheduled_events/JW6SHQTS78SH7TS8/cancellation';

  it.each(['events cancel JW6SHQTS78SH7TS8', 'api POST /scheduled_events/JW6SHQTS78SH7TS8/cancellation -f reason=x'])(
    'of %s supports --jq and JSON-like formats, and ignores selected fields',
    async (line) => {
      const show = async (flags: string) => (await world.run(`${line} --dry-run ${flags}`)).stdout;
      expect(await show('--jq .url')).toBe(`${url}\n`);
      expect(parseYaml(await show('-o yaml --fields name'))).toMatchObject({ method: 'POST', url });
      expect(await show('-o jsonl')).toMatch(/^\{"method":"POST",.*\}\n$/);
      for (const flags of ['', '--json=name', '-o id', '-o csv'])
        expect(JSON.parse(await show(flags))).toMatchObject({ method: 'POST', url });
    },
  );

  it('has one line per request with jsonl', async () =>
    expect((await world.run('events cancel JW6SHQTS78SH7TS8 XEFT95ZZDW9SPL93 -n -o jsonl')).stdout).toMatch(
      /^\{.*\}\n\{.*\}\n$/,
    ));

  it('reports that nothing was sent if the jq program fails', async () => {
    const { code, stderr } = await world.run('events cancel JW6SHQTS78SH7TS8 -n --json --jq .url.x');
    expect([code, JSON.parse(stderr).error.outcome]).toEqual([2, 'not-sent']);
  });

  it('follows the same rules as sandbox openapi', async () => {
    expect((await world.run('sandbox openapi --jq .openapi')).stdout).toBe('3.1.0\n');
    expect((await world.run('sandbox openapi -o yaml')).stdout).toMatch(/^openapi: "3\.1\.0"$/m);
    const { stderr } = await world.run('sandbox openapi --fields openapi');
    expect(stderr).toContain('Unknown field "openapi". This command has no fields to select\n');
  });
});
