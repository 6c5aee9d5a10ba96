import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../../support/run.ts';
import { temporaryDirectory } from '../../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  world = await createWorld({ home: temporaryDirectory('mcp-config') });
  await world.run('profiles add work --base-url https://api.example.com');
});
const stored = { env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } };

describe('sched mcp config', () => {
  test.each(['', ' json', ' claude-desktop', ' cursor'])('prints mcpServers:%s', async (client) => {
    const { stdout, code } = await world.run(`mcp config${client} -p work`, stored);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: { sched: { command: 'sched', args: ['mcp', 'serve', '--profile=work'] } },
    });
  });

  test('prints servers for VS Code', async () => {
    const { stdout } = await world.run('mcp config vscode --sandbox');
    expect(JSON.parse(stdout)).toEqual({
      servers: { sched: { type: 'stdio', command: 'sched', args: ['mcp', 'serve', '--sandbox'] } },
    });
  });

  test('prints a command for Claude Code, quoted for a shell', async () => {
    const flags = "--tools 'events.*' --allow-writes=events.cancel --output-schemas --tz Europe/Paris --no-wait";
    const { stdout } = await world.run(`mcp config claude-code -p work ${flags}`, stored);
    expect(stdout).toBe(
      "claude mcp add sched -- sched mcp serve --profile=work --tz=Europe/Paris --no-wait '--tools=events.*' --allow-writes=events.cancel --output-schemas\n",
    );
  });

  test('says where the lines belong, and never prints a token', async () => {
    const { stdout, stderr } = await world.run('mcp config claude-desktop');
    expect(stderr).toContain('claude_desktop_config.json');
    expect(stderr).toContain('set SCHED_TOKEN and SCHED_BASE_URL in the environment of the client');
    expect(stdout + stderr).not.toContain(world.token);
  });

  test.each([
    ['mcp config claude-dekstop', 'No configuration for "claude-dekstop"'],
    ['mcp config --tools nothing', 'no tool matches "nothing"'],
    ['mcp config --tools events.cancel', 'changes data'],
  ])('%s is a usage error', async (line, message) => {
    const { code, stderr, stdout } = await world.run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
