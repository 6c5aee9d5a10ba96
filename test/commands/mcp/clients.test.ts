import { beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  world = await createWorld({ home: temporaryDirectory('mcp-config') });
  await world.run('profiles add work --base-url https://api.example.com --mcp-url https://mcp.example.com/v1');
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

  const url = 'http://127.0.0.1:4010/mcp';
  test.each([
    ['json --http --sandbox', { mcpServers: { sched: { type: 'http', url } } }],
    [`cursor --http=${url}`, { mcpServers: { sched: { type: 'http', url } } }],
    ['vscode --http --sandbox', { servers: { sched: { type: 'http', url } } }],
    ['json --http -p work', { mcpServers: { sched: { type: 'http', url: 'https://mcp.example.com/v1' } } }],
  ])('prints the URL of a server: %s', async (line, lines) => {
    const { stdout, stderr, code } = await world.run(`mcp config ${line}`, stored);
    expect([code, JSON.parse(stdout)]).toEqual([0, lines]);
    expect(stderr).toContain('logs in at the service itself');
  });

  test('prints a command with the URL for Claude Code', async () => {
    const { stdout } = await world.run('mcp config claude-code --http', {
      env: { SCHED_MCP_URL: 'https://m.example/' },
    });
    expect(stdout).toBe('claude mcp add --transport http sched https://m.example/mcp\n');
  });

  test('starts a server of three tools', async () => {
    const { stdout } = await world.run('mcp config --sandbox --compact');
    expect(JSON.parse(stdout).mcpServers.sched.args).toEqual(['mcp', 'serve', '--sandbox', '--compact']);
  });

  test.each([
    ['mcp config --http', 'No URL of an MCP server: no address is known. Use --http=URL'],
    ['mcp config --http=ftp://x', 'No URL of an MCP server: '],
    ['mcp config --sandbox --http --compact', '--compact is for mcp serve'],
    ['mcp config --sandbox --http --allow-writes', '--allow-writes is for mcp serve'],
    ['mcp config claude-desktop --sandbox --http', "can't name a URL"],
    ['mcp config claude-dekstop', '<client> must be one of json'],
    ['mcp config --tools nothing', 'no tool matches "nothing"'],
    ['mcp config --tools events.cancel', 'changes data'],
  ])('%s is a usage error', async (line, message) => {
    const { code, stderr, stdout } = await world.run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
