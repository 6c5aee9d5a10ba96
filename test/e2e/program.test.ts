import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { width } from '../../src/output/width.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { execFileSync, spawn } from '../support/processes.ts';
import { closeLater } from '../support/temporary.ts';
import { ctrlC } from '../support/terminal.ts';
import { few, sample, times } from '../support/tier.ts';
import { narrowPipe } from './narrow-pipe.ts';
import {
  cleanEnvironment,
  farMonday,
  isStandalone,
  program,
  runner,
  sched,
  schedInTerminal,
  shell,
  temporaryHome,
  usedHome,
} from './program.ts';
import { rowOf, rowsAPage, smallService } from './small-service.ts';

describe('the program', () => {
  test('prints its version', async () => {
    expect(await sched(['--version'], temporaryHome())).toEqual({
      code: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });

  const zones = [
    { TZ: '<+03>-3', zone: 'Etc/GMT-3', isNoted: false },
    { TZ: ':Europe/Paris', zone: 'Europe/Paris', isNoted: false },
    { TZ: '', zone: 'UTC', isNoted: false },
    { TZ: 'Nope/Zone', zone: 'UTC', isNoted: true },
    { TZ: 'CET-1CEST', zone: 'UTC', isNoted: true },
  ];
  test.each(sample(zones, 1))(
    'cancels on its sandbox, says when it would have been where TZ is $TZ, and remembers it',
    async ({ TZ, zone, isNoted }) => {
      const home = await usedHome();
      const ids = ['JW6SHQTS78SH7TS8', 'XEFT95ZZDW9SPL93'];
      const canceled = await sched(['--sandbox', 'events', 'cancel', ...ids, '--yes', '--json=status'], home, { TZ });
      expect(canceled.code).toBe(0);
      expect(JSON.parse(canceled.stdout)).toEqual([{ status: 'canceled' }, { status: 'canceled' }]);
      const notes = canceled.stderr.trim().split('\n');
      expect(notes.at(-1)).toContain(` ${zone}`);
      const told = [`{"note":"TZ=${TZ} is not a supported time zone; using UTC"}`];
      expect(notes.filter((note) => note.includes('TZ='))).toEqual(isNoted ? told : []);
      const again = await sched(['--sandbox', 'events', 'get', ids[1]!, '--json=status'], home);
      expect(again.stderr).toBe('{"note":"sandbox"}\n');
      expect(JSON.parse(again.stdout)).toEqual({ status: 'canceled' });
    },
  );

  few(1, {
    'aligns table columns with wide characters and emoji': async () => {
      const home = await usedHome();
      // The last emoji is newer than the string-width that cli-table3 brings along.
      const names = ['日本語の面談', '👨‍👩‍👧‍👦 family', 'क्षत्रिय', '🫩 tired'];
      const database = await openDatabase(join(home, '.local/state/sched/sandbox.db'));
      const types = database.all<{ id: string }>("SELECT id FROM event_types WHERE doc ->> 'active' LIMIT 4");
      for (const [index, { id }] of types.entries())
        database.run("UPDATE event_types SET doc = json_set(doc, '$.name', ?) WHERE id = ?", names[index]!, id);
      database.close();
      const { stdout } = await sched(['--sandbox', 'event-types', 'list', '-o', 'table'], home);
      const [header = '', ...rows] = stdout.trimEnd().split('\n');
      expect(rows.length).toBeGreaterThan(names.length);
      for (const name of names) expect(stdout).toContain(name);
      const before = (row: string) => width(row.slice(0, row.indexOf(' min') + ' min'.length));
      expect(new Set(rows.map(before))).toEqual(new Set([header.indexOf('LENGTH') + 'LENGTH'.length]));
    },
    'removes its progress bar before it prints the result on the same screen': async () => {
      const home = await usedHome();
      const from = join(home, 'events.txt');
      writeFileSync(from, 'JW6SHQTS78SH7TS8\nXEFT95ZZDW9SPL93\n');
      const line = `--sandbox events cancel --from ${from} --yes -o id`;
      const { code, text } = await schedInTerminal(line.split(' '), home).done;
      expect(code).toBe(0);
      // ECMA-48 §8.3.41: after the cleared line there is only the result.
      expect(text).toMatch(/█ {2}2\/2\r\x1b\[K(?:\x1b\[2m)?\[sandbox\](?:\x1b\[22m)?\n\d{8}T\d{6}Z-\w+\n/);
    },
    // R42: WebAssembly blocks its thread, so jq runs in a thread that can be ended.
    'ends at once on Ctrl-C during an endless jq program': async () => {
      const service = await smallService();
      closeLater(service.close);
      const program = `.uri, if .uri == "${rowOf(1, 0).uri}" then last(repeat(1)) else empty end`;
      const words = ['events', 'list', '-o', 'jsonl', '--jq', program];
      const terminal = schedInTerminal(words, temporaryHome(), service.env);
      try {
        await terminal.until(new RegExp(`^${rowOf(0, rowsAPage - 1).uri}\n`, 'm'), 40_000);
        terminal.type(ctrlC);
        const { code, text } = await terminal.done;
        expect(code).toBe(130);
        expect(text).toMatch(/\^C\nincomplete: 100 rows written\nerror: Interrupted\n$/);
      } finally {
        terminal.close();
      }
    },
    'creates files that only their owner can read, even with umask 0': async () => {
      const home = temporaryHome();
      await shell('umask 0; sched --sandbox events list --limit 1', home);
      const folder = join(home, '.local/state/sched');
      const modes = [folder, ...readdirSync(folder).map((file) => join(folder, file))].map(
        (path) => statSync(path).mode & 0o077,
      );
      expect(modes.every((mode) => mode === 0)).toBe(true);
    },
    // R41
    'writes all rows of a long list with constant memory': async () => {
      const pages = times(20, 1000);
      const service = await smallService({ pages, rowBytes: times(10_000, 1000) });
      closeLater(service.close);
      // The program with all rows at once, 20 MB and more, would not fit in this heap. The standalone file has no such limit.
      const env = { ...service.env, NODE_OPTIONS: '--max-old-space-size=24' };
      const line = 'set -o pipefail; sched events list -o jsonl | wc -l';
      const { code, stdout } = await shell(line, temporaryHome(), env);
      expect({ code, lines: Number(stdout) }).toEqual({ code: 0, lines: pages * rowsAPage });
    },
    'rejects a named pipe as its config file instead of waiting for data': async () => {
      const home = temporaryHome();
      mkdirSync(join(home, '.config/sched'), { recursive: true });
      execFileSync('mkfifo', [join(home, '.config/sched/config.json')]);
      const { code, stderr } = await sched(['events', 'list'], home);
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('it is not a file') });
    },
    // R41
    'writes all output to a pipe that is full for a while': async () => {
      const home = await usedHome();
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
    },
  });
  // R42
  const paged: [what: string, words: string[]][] = [
    ['help', ['events', 'list', '--help']],
    ['a listing', ['--sandbox', 'events', 'list', '--all']],
  ];
  test.each(sample(paged, 1))('keeps running with a pager that ignores Ctrl-C: %s', async (_, words) => {
    const home = await usedHome();
    const pager = join(home, 'pager.cjs');
    // Not a shell: its `wait` can miss a signal that arrives just before.
    writeFileSync(
      pager,
      `let signals = 0;
      // Keeps the process running.
      const server = require('node:net').createServer().listen(0, '127.0.0.1');
      process.on('SIGINT', () => {
        signals += 1;
        console.log('pager: ' + signals);
        if (signals === 2) server.close();
      });
      process.on('exit', () => console.log('pager: over'));
      process.stdin.resume().on('end', () => console.log('pager: ready'));`,
    );
    const terminal = schedInTerminal(words, home, { PAGER: `${process.execPath} ${pager}` });
    for (const sign of [/pager: ready/, /pager: 1/]) {
      await terminal.until(sign);
      terminal.type(ctrlC);
    }
    // sched writes nothing that would scroll the pager's screen. On a slow machine it clears a draft.
    expect((await terminal.done).text.replace(/\u001b\[\d*[AJK]|\r/g, '')).toContain(
      'pager: ready\n^Cpager: 1\n^Cpager: 2\npager: over\n',
    );
  });

  // Bun, which runs the standalone file, ends there by itself and says why.
  const inNoDirectory: [line: string, code: number, said: string][] = [
    ['sched --sandbox users me --json=name', 0, 'sandbox'],
    ['sched sandbox clock --data here.db', 3, 'The working directory was deleted'],
  ];
  test.skipIf(program.length === 0).each(sample(inNoDirectory, 1))(
    'works in a directory that was removed, or says that it needs one: %s',
    async (line, expected, said) => {
      const nowhere = 'mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone" &&';
      const { code, stderr } = await shell(`${nowhere} ${line}`, await usedHome());
      expect([code, stderr]).toEqual([expected, expect.stringContaining(said)]);
    },
  );

  // R65
  test.skipIf(isStandalone)('reports work that never ends after everything else has ended', async () => {
    const neverOpened = "import files from 'node:fs/promises'; files.open = () => new Promise(() => {});";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(neverOpened)}`;
    const words = ['profiles', 'add', 'work', '--base-url', 'https://api.example.com'];
    const { code, stdout, stderr } = await sched([...words, '--json'], temporaryHome(), { NODE_OPTIONS });
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'internal',
      exit: 1,
      cause: expect.stringContaining('nothing was left to wait for'),
      outcome: 'unknown',
    });
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
