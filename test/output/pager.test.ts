import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ClosedPipe } from '../../src/base/errors.ts';
import { writeTo } from '../../src/node/output.ts';
import { nodeRuntime } from '../../src/node/runtime.ts';
import { pagerOf, showText, throughPager } from '../../src/output/pager.ts';
import { createPrinter } from '../../src/output/printer.ts';
import type { Output, Pager } from '../../src/runtime.ts';
import { execFileSync } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { needs } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { event, eventView, paper, time } from './samples.ts';

const world = (env: Record<string, string> = {}, isTerminal = true, platform = 'linux') => ({
  stdout: paper(isTerminal),
  env,
  platform,
});

const recorder = (quitAfter = Number.POSITIVE_INFINITY) => {
  const stdout = { ...paper(true, 80), rows: 5 };
  const taken: string[] = [];
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<Pager> => {
    opened += 1;
    return {
      isTerminal: true,
      columns: 80,
      write: async (text) => {
        if (taken.length >= quitAfter) throw new ClosedPipe();
        taken.push(text);
      },
      close: async () => {
        closed += 1;
      },
    };
  };
  return {
    stdout,
    taken,
    open,
    facts: () => ({ opened, closed, printed: stdout.writes.join(''), paged: taken.join('') }),
  };
};

describe('pager: command', () => {
  const pagerCommand = (facts: ReturnType<typeof world>) => {
    let opened: readonly string[] | undefined;
    const openPager = async (command: readonly string[]) => {
      opened = command;
      return undefined;
    };
    pagerOf({ ...facts, openPager })?.();
    return opened;
  };

  it.each<[Record<string, string>, string[] | undefined]>([
    [{}, ['less']],
    [{ PAGER: 'less -S  --mouse' }, ['less', '-S', '--mouse']],
    [{ PAGER: 'sh -c $(touch x)' }, ['sh', '-c', '$(touch', 'x)']],
    [{ PAGER: '' }, undefined],
    [{ PAGER: ' ' }, undefined],
    [{ PAGER: 'cat' }, undefined],
    [{ CI: 'true' }, undefined],
    [{ TERM: 'dumb' }, undefined],
  ])('with %j is %j', (env, command) => expect(pagerCommand(world(env))).toEqual(command));

  it('is undefined without a terminal, and by default on Windows', () => {
    expect(pagerCommand(world({ PAGER: 'less' }, false))).toBeUndefined();
    expect(pagerCommand(world({}, true, 'win32'))).toBeUndefined();
  });
});

describe('pager: throughPager', () => {
  const write = async (screen: Output, ...texts: string[]) => {
    for (const text of texts) await screen.write(text);
  };

  it('opens no pager if the output fits', async () => {
    const { stdout, open, facts } = recorder();
    await throughPager(stdout, open, async (screen) => {
      await write(screen, '1\n2\n', '3\n4\n');
      expect(facts().printed).toBe('');
    });
    expect(facts()).toEqual({ opened: 0, closed: 0, printed: '1\n2\n3\n4\n', paged: '' });
  });

  it('streams everything to the pager once the output is longer', async () => {
    const { stdout, open, taken, facts } = recorder();
    await throughPager(stdout, open, async (screen) => {
      await write(screen, '1\n2\n', '3\n4\n', '5\n', '6\n');
      expect(taken).toEqual(['1\n2\n3\n4\n5\n', '6\n']);
      expect(facts().closed).toBe(0);
    });
    expect(facts()).toMatchObject({ opened: 1, closed: 1, printed: '' });
  });

  it('counts a line wider than the screen as several lines', async () => {
    const { stdout, open, facts } = recorder();
    await throughPager(stdout, open, (screen) => write(screen, `${'x'.repeat(400)}\n`));
    expect(facts().opened).toBe(1);
  });

  it('prints to stdout if the pager cannot be started', async () => {
    const { stdout, facts } = recorder();
    const lines = ['1\n', '2\n', '3\n', '4\n', '5\n', '6\n', '7\n'];
    await throughPager(
      stdout,
      async () => undefined,
      (screen) => write(screen, ...lines),
    );
    expect(facts().printed).toBe(lines.join(''));
  });

  it('shows a long help text', async () => {
    const { stdout, open, facts } = recorder();
    await showText({ ...world(), stdout, openPager: open }, '1\n2\n3\n4\n5\n6\n');
    expect(facts()).toMatchObject({ closed: 1, paged: '1\n2\n3\n4\n5\n6\n' });
  });
});

it.each([
  ['events list --help', 1],
  ['events list --help --accessible', 0],
  ['help time --accessible', 0],
])('pager: %s opens %i', async (line, opened) => {
  const { open, facts } = recorder();
  const { run } = await createWorld({ terminals: ['stdout'], openPager: open });
  expect((await run(line)).code).toBe(0);
  expect(facts().opened).toBe(opened);
});

describe('pager: in the printer', () => {
  const options = { header: false, raw: false, color: undefined, ...time };
  async function* endless(seen: { pages: number; stopped: boolean }) {
    try {
      for (;;) {
        seen.pages += 1;
        yield [event('a'), event('b')];
      }
    } finally {
      seen.stopped = true;
    }
  }

  it('stops the list when the user quits', async () => {
    const { stdout, open, facts } = recorder(2);
    const seen = { pages: 0, stopped: false };
    const printer = createPrinter({ ...options, format: 'table', accessible: false, stdout, openPager: open });
    await expect(printer.list(eventView, endless(seen))).rejects.toBeInstanceOf(ClosedPipe);
    expect(seen).toEqual({ pages: 4, stopped: true });
    expect(facts().closed).toBe(1);
  });

  it('opens for tables and blocks, but not for accessible or machine formats', async () => {
    const rows = Array.from({ length: 9 }, (_, i) => event('x', i));
    for (const [format, accessible, opens] of [
      ['table', false, 2],
      ['table', true, 0],
      ['json', false, 0],
      ['tsv', false, 0],
    ] as const) {
      const { stdout, open, facts } = recorder();
      const printer = createPrinter({ ...options, format, accessible, stdout, openPager: open });
      await printer.list(eventView, [rows]);
      await printer.one(eventView, event('x'));
      expect([format, accessible, facts().opened]).toEqual([format, accessible, opens]);
    }
  });
});

describe('pager: real process', () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const;
  const { emitWarning } = process;
  const heard = signals.map((signal) => process.listeners(signal));
  const runtime = nodeRuntime();
  // nodeRuntime() changes the process, which other test files share.
  afterAll(() => {
    process.emitWarning = emitWarning;
    for (const [index, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!heard[index]!.includes(listener)) process.off(signal, listener);
  });
  const open = (...command: string[]) => runtime.openPager!(command);

  it('receives all output, and closing waits for it', async () => {
    const folder = temporaryDirectory();
    const [file, held] = [join(folder, 'read'), join(folder, 'held')];
    execFileSync('mkfifo', [held]);
    // The pager reads when the test has opened the named pipe.
    const pager = await open('sh', '-c', `: < ${held}; cat > ${file}; printf "%s" "$LESS" >> ${file}`);
    const text = 'x'.repeat(300_000);
    let isClosed = false;
    const closed = pager!
      .write(text)
      .then(() => pager!.close())
      .then(() => {
        isClosed = true;
      });
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    await writeFile(held, '');
    await closed;
    expect(readFileSync(file, 'utf8')).toBe(`${text}${process.env.LESS ?? 'FRX'}`);
  });

  // R12
  it('starts without the variables of sched, which may hold a token, and so does a browser', async () => {
    needs('sh', 'env', 'mv');
    const folder = temporaryDirectory();
    vi.stubEnv('SCHED_TOKEN', 'tok');
    vi.stubEnv('BROWSER', `${join(folder, 'browser')} %s`);
    writeFileSync(join(folder, 'browser'), `#!/bin/sh\nenv > ${folder}/part; mv ${folder}/part ${folder}/b\n`);
    chmodSync(join(folder, 'browser'), 0o755);
    try {
      await (await open('sh', '-c', `env > ${folder}/p`))!.close();
      expect(await runtime.openBrowser('https://auth.example.com/')).toBe(true);
      await until(() => existsSync(join(folder, 'b')), folder);
    } finally {
      vi.unstubAllEnvs();
    }
    for (const name of ['p', 'b']) {
      const environment = readFileSync(join(folder, name), 'utf8');
      expect(environment).toContain('BROWSER=');
      expect(environment).not.toContain('SCHED_');
    }
  });

  it('closes the pipe when it exits', async () => {
    needs('true');
    const pager = await open('true');
    const flood = async () => {
      for (;;) await pager!.write('x'.repeat(100_000));
    };
    await expect(flood()).rejects.toBeInstanceOf(ClosedPipe);
    await pager!.close();
  });

  it.each(['EPIPE', 'ECONNRESET'])('closes the pipe whose write fails with %s', async (code) => {
    const gone = new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });
    gone.on('error', () => {});
    await expect(writeTo(gone, 'x')).rejects.toBeInstanceOf(ClosedPipe);
  });

  it('is undefined if the program does not exist', async () => expect(await open('/no/such/pager')).toBeUndefined());
});
