import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { width } from '../../src/output/width.ts';
import { unlimitedHeaders } from '../../src/sandbox/throttle.ts';
import { execFileSync, spawn } from '../support/processes.ts';
import { createWorld, network } from '../support/run.ts';
import { ctrlC } from '../support/terminal.ts';
import { narrowPipe } from './narrow-pipe.ts';
import {
  cleanEnvironment,
  farMonday,
  program,
  runner,
  sched,
  schedInTerminal,
  shell,
  temporaryHome,
  usedHome,
} from './program.ts';

describe('the program', () => {
  test('prints its version', async () => {
    expect(await sched(['--version'], temporaryHome())).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  test('lists, books, cancels and remembers on its sandbox', async () => {
    const home = await usedHome();
    const list = await sched(
      ['--sandbox', 'events', 'list', '--status', 'active', '--limit', '5', '--json=uri,name,start_time'],
      home,
    );
    expect(list.stderr).toBe('{"note":"sandbox"}\n');
    expect(JSON.parse(list.stdout)).toHaveLength(5);
    const [{ uri }] = JSON.parse(list.stdout);
    const canceled = await sched(['--sandbox', 'events', 'cancel', uri, '--yes', '--json=status'], home);
    expect(JSON.parse(canceled.stdout)).toEqual({ status: 'canceled' });
    const again = await sched(['--sandbox', 'events', 'get', uri, '--json=status'], home);
    expect(JSON.parse(again.stdout)).toEqual({ status: 'canceled' });
  });

  test.each([
    ['<+03>-3', 'Etc/GMT-3', false],
    [':Europe/Paris', 'Europe/Paris', false],
    ['', 'UTC', false],
    ['Nope/Zone', 'UTC', true],
    ['CET-1CEST', 'UTC', true],
  ])('cancels and says when it would have been where TZ is %j', async (TZ, zone, isNoted) => {
    const words = ['--sandbox', 'events', 'cancel', 'JW6SHQTS78SH7TS8', 'XEFT95ZZDW9SPL93', '--yes', '--json=status'];
    const canceled = await sched(words, await usedHome(), { TZ });
    expect(canceled.code).toBe(0);
    expect(JSON.parse(canceled.stdout)).toEqual([{ status: 'canceled' }, { status: 'canceled' }]);
    const notes = canceled.stderr.trim().split('\n');
    expect(notes.at(-1)).toContain(` ${zone}`);
    const told = [`{"note":"TZ=${TZ} is not a supported time zone; using UTC"}`];
    expect(notes.filter((note) => note.includes('TZ='))).toEqual(isNoted ? told : []);
  });

  test('aligns table columns with wide characters and emoji', async () => {
    const home = await usedHome();
    // The last emoji is newer than the string-width that cli-table3 brings along.
    const world = await createWorld({ home, send: network });
    for (const name of ['日本語の面談', '👨‍👩‍👧‍👦 family', 'क्षत्रिय', '🫩 tired'])
      await world.run(['--sandbox', 'event-types', 'create', '--name', name, '--duration', '30']);
    const { stdout } = await sched(['--sandbox', 'event-types', 'list', '-o', 'table'], home);
    const [header = '', ...rows] = stdout.trimEnd().split('\n');
    expect(rows.length).toBeGreaterThan(10);
    expect(stdout).toContain('🫩 tired');
    const before = (row: string) => width(row.slice(0, row.indexOf(' min') + ' min'.length));
    expect(new Set(rows.map(before))).toEqual(new Set([header.indexOf('LENGTH') + 'LENGTH'.length]));
  });

  test('removes its progress bar before it prints the result on the same screen', async () => {
    const home = await usedHome();
    const from = join(home, 'events.txt');
    writeFileSync(from, 'JW6SHQTS78SH7TS8\nXEFT95ZZDW9SPL93\n');
    const line = `--sandbox events cancel --from ${from} --yes -o id`;
    const { code, text } = await schedInTerminal(line.split(' '), home).done;
    expect(code).toBe(0);
    // ECMA-48 §8.3.41: after the cleared line there is only the result.
    expect(text).toMatch(/█ {2}2\/2\r\x1b\[K\d{8}T\d{6}Z-\w+\n/);
  });

  test('ends quietly when its reader closes the pipe', async () => {
    const { code, stdout } = await shell(
      'set -o pipefail; sched --sandbox events list -o id | head -2',
      await usedHome(),
    );
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 2 });
  });

  // R42: WebAssembly blocks its thread, so jq runs in a thread that can be ended.
  test('ends at once on Ctrl-C during an endless jq program', { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    const words = ['--sandbox', 'events', 'list', '--page-size', '1', '--limit', '2'];
    const { stdout } = await sched([...words, '-o', 'id'], home);
    const [first, second] = stdout.trim().split('\n');
    const program = `.uri, if .uri == "${second}" then last(repeat(1)) else empty end`;
    const terminal = schedInTerminal([...words, '-o', 'jsonl', '--jq', program], home);
    try {
      await terminal.until(new RegExp(`^${first}\n`, 'm'), 40_000);
      terminal.type(ctrlC);
      const { code, text } = await terminal.done;
      expect(code).toBe(130);
      expect(text).toMatch(/\^C\nincomplete: 1 rows? written\nerror: Interrupted\n$/);
    } finally {
      terminal.close();
    }
  });

  // R42
  test.each([
    ['help', ['events', 'list', '--help']],
    ['a listing', ['--sandbox', 'events', 'list', '--all']],
  ])('keeps running with a pager that ignores Ctrl-C: %s', async (_, words) => {
    const home = await usedHome();
    const pager = join(home, 'pager');
    writeFileSync(
      pager,
      `trap 'n=$((n + 1)); echo "pager: $n"' INT
      cat > /dev/null; echo 'pager: ready'
      sleep infinity & while [ "\${n:-0}" -lt 2 ]; do wait; done; kill $!; echo 'pager: over'`,
    );
    const terminal = schedInTerminal(words, home, { PAGER: `sh ${pager}` });
    for (const sign of [/pager: ready/, /pager: 1/]) {
      await terminal.until(sign);
      terminal.type(ctrlC);
    }
    // sched writes nothing that would scroll the pager's screen.
    expect((await terminal.done).text).toContain('pager: ready\n^Cpager: 1\n^Cpager: 2\npager: over\n');
  });

  test('fails if its output cannot be written', async () => {
    const { code, stderr } = await shell('sched --sandbox events list > /dev/full', await usedHome());
    expect(code).toBe(3);
    expect(stderr).toContain("Can't write the output");
  });

  // Bun, which runs the standalone file, ends there by itself and says why.
  test.skipIf(program.length === 0)('works in a directory that was removed, or says that it needs one', async () => {
    const home = await usedHome();
    const nowhere = 'mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" &&';
    expect((await shell(`${nowhere} sched --sandbox users me --json=name`, home)).code).toBe(0);
    const { code, stderr } = await shell(`${nowhere} sched sandbox clock --data here.db`, home);
    expect([code, stderr]).toEqual([3, expect.stringContaining('The working directory was deleted')]);
  });

  test('creates files that only their owner can read, even with umask 0', async () => {
    const home = temporaryHome();
    await shell('umask 0; sched --sandbox events list --limit 1', home);
    const folder = join(home, '.local/state/sched');
    const modes = [folder, ...readdirSync(folder).map((file) => join(folder, file))].map(
      (path) => statSync(path).mode & 0o077,
    );
    expect(modes.every((mode) => mode === 0)).toBe(true);
  });

  test('writes all of 100,000 rows with constant memory', { timeout: 60_000 }, async () => {
    const rows = 100_000;
    const pageSize = 100;
    const server = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url!, 'http://127.0.0.1');
      if (pathname === '/users/me') {
        return response.end(
          JSON.stringify({ resource: { uri: 'http://127.0.0.1/users/U', current_organization: 'O' } }),
        );
      }
      // Without rate limit headers, this many pages would take longer than a minute.
      for (const [name, value] of Object.entries(unlimitedHeaders)) response.setHeader(name, value);
      const page = Number(searchParams.get('page_token') ?? 0);
      const collection = Array.from({ length: pageSize }, (_, index) => ({
        uri: `http://127.0.0.1/scheduled_events/E${page * pageSize + index}`,
        name: `Event ${page * pageSize + index}`,
        status: 'active',
        start_time: '2026-11-15T18:00:00Z',
        meeting_notes_plain: 'x'.repeat(1_000),
      }));
      const last = (page + 1) * pageSize >= rows;
      response.end(JSON.stringify({ collection, pagination: { next_page_token: last ? null : String(page + 1) } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { SCHED_TOKEN: 'x', SCHED_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    // 100,000 rows at once would not fit in this heap. The standalone program has no such limit.
    const child = spawn(runner, [...program, 'events', 'list', '-o', 'jsonl'], {
      env: cleanEnvironment(temporaryHome(), { ...env, NODE_OPTIONS: '--max-old-space-size=96' }),
    });
    let lines = 0;
    let last = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (last + text).split('\n');
      last = parts.pop()!;
      lines += parts.length;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    server.close();
    expect({ code, lines, last }).toEqual({ code: 0, lines: rows, last: '' });
  });

  test('rejects a named pipe as its config file instead of waiting for data', async () => {
    const home = temporaryHome();
    mkdirSync(join(home, '.config/sched'), { recursive: true });
    execFileSync('mkfifo', [join(home, '.config/sched/config.json')]);
    const { code, stderr } = await sched(['events', 'list'], home);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('it is not a file') });
  });

  // R41
  test('writes all output to a pipe that is full for a while', async () => {
    const home = temporaryHome();
    const pipe = narrowPipe(home);
    const args = [...program, '--sandbox', 'events', 'list', '--org', 'current', '-o', 'json'];
    const child = spawn(runner, args, { env: cleanEnvironment(home), stdio: ['ignore', pipe.writer, 'ignore'] });
    let code: number | null | undefined;
    child.on('close', (ended) => {
      code = ended;
    });
    await pipe.untilFull();
    expect(code).toBeUndefined();
    let text = '';
    for (let size = 0; size > 0 || code === undefined; ) {
      await new Promise(setImmediate);
      const piece = pipe.read();
      size = piece.length;
      text += piece.toString('latin1');
    }
    pipe.close();
    expect({ code, isMore: text.length > 2 ** 16 }).toEqual({ code: 0, isMore: true });
    expect(JSON.parse(text).length).toBeGreaterThan(50);
  });
});

describe('a write whose result cannot be printed', () => {
  test('is reported as applied', async () => {
    const line = `sched --sandbox invitees create --event-type YBL6DUNR9FS4PNP6 --start ${farMonday()} --email a@b.example --name A --timezone UTC --json > /dev/full`;
    const { code, stderr } = await shell(line, await usedHome());
    expect(code).toBe(3);
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error).toMatchObject({
      code: 'environment',
      outcome: 'applied',
    });
  });
});
