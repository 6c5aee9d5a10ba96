import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../support/run.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
});

const terminals = ['stdin', 'stdout', 'stderr'] as ('stdin' | 'stdout' | 'stderr')[];

/** Nothing drawn, nothing moved, nothing lined up, nothing cut. */
const expectSpoken = (text: string) => {
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(text).not.toMatch(/[│─┌┐└┘├┤┬┴┼…]/);
  for (const line of text.split('\n').filter(Boolean)) {
    expect(line).toMatch(/^\S+( \S+)*: \S/);
    expect(line).not.toMatch(/ {2}/);
  }
};

describe('--accessible', () => {
  test.each([
    'events list --limit 3',
    'events list --upcoming --limit 2 --with invitees',
    'events get JW6SHQTS78SH7TS8 --with invitees',
    'event-types list',
    'event-types get "Intro call"',
    'invitees list JW6SHQTS78SH7TS8',
    'members list',
    'availability list --event-type "Intro call"',
    'routing-forms submissions --limit 2',
    'activity list --limit 2',
    'sandbox tokens',
    'mcp metadata',
  ])('says each value after its label: %s', async (line) => {
    const { code, stdout } = await world.run(`${line} --accessible --color always`, { terminals, columns: 40 });
    expect(code).toBe(0);
    expectSpoken(stdout);
  });

  test('goes for doctor too', async () => {
    const home = mkdtempSync(join(tmpdir(), 'sched-accessible-'));
    const { stdout } = await world.run('doctor --accessible', { terminals, columns: 40, home });
    expectSpoken(stdout);
    expect(stdout).toMatch(/^CHECK: .+\nSTATUS: .+\nFINDING: .+\n/);
  });

  test.each([
    ['1', 0],
    ['yes', 0],
    ['2', 12],
    ['', 12],
  ])('asks with numbered answers, and takes %j', async (answer, code) => {
    const at = await createWorld();
    const uri = (await at.run('events list --upcoming --status active --limit 1 -o id')).stdout.trim();
    const result = await at.run(`events cancel ${uri} --accessible`, { terminals, stdin: `${answer}\n` });
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(
      /^Question: Cancel event .*\nWhere: .*\n1: go on\n2: stop, and send nothing\nNumber, or Enter for 2: /,
    );
  });

  test('1 is no yes for anybody else', async () => {
    const uri = (await world.run('events list --upcoming --status active --limit 1 -o id')).stdout.trim();
    expect((await world.run(`events cancel ${uri}`, { terminals, stdin: '1\n' })).code).toBe(12);
  });
});
