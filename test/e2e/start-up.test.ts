import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { few, sample } from '../support/tier.ts';
import { cleanEnvironment, program, runner, sched, temporaryHome, usedHome } from './program.ts';
import { type SmallService, smallService } from './small-service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Reports at exit which files and Node modules were loaded, and how many segmenters were created. */
const hook = `
const Module = require('node:module');
const { writeFileSync } = require('node:fs');
const files = [];
const { _compile } = Module.prototype;
Module.prototype._compile = function (text, file, ...rest) {
  files.push(file);
  return _compile.call(this, text, file, ...rest);
};
const json = Module._extensions['.json'];
Module._extensions['.json'] = (module, file) => {
  files.push(file);
  return json(module, file);
};
let segmenters = 0;
Intl.Segmenter = class extends Intl.Segmenter {
  constructor(...words) {
    super(...words);
    segmenters += 1;
  }
};
process.on('exit', () => {
  const builtins = process.moduleLoadList;
  writeFileSync(process.env.TRACE, JSON.stringify({ files, builtins, segmenters }));
});
`;

let folder: string;
let service: SmallService;
beforeAll(async () => {
  folder = temporaryDirectory('trace');
  writeFileSync(join(folder, 'hook.cjs'), hook);
  service = await smallService({ pages: 1 });
  return service.close;
});

interface Loaded {
  texts: Map<string, string>;
  builtins: string[];
  segmenters: number;
}

const known = new Map<string, Promise<Loaded>>();

/** The files (with their text) and Node modules that the program loads for a command line. */
const loadedFor = (...words: string[]): Promise<Loaded> => {
  const line = words.join(' ');
  const loaded = known.get(line) ?? loadedBy(temporaryHome(), words, service.env);
  known.set(line, loaded);
  return loaded;
};

const loadedBy = async (
  home: string,
  words: string[],
  more: Record<string, string> = {},
  started = program,
): Promise<Loaded> => {
  const trace = join(folder, 'trace.json');
  const env = cleanEnvironment(home, { TRACE: trace, ...more });
  await execFile(runner, ['--require', join(folder, 'hook.cjs'), ...started, ...words], { env });
  const { files, ...rest } = JSON.parse(readFileSync(trace, 'utf8')) as Loaded & { files: string[] };
  const own = files.filter((file) => file.startsWith(root));
  return { ...rest, texts: new Map(own.map((file) => [file.slice(root.length), readFileSync(file, 'utf8')])) };
};

/** Texts that appear only in heavy parts of the program. */
const marks = {
  undici: 'UND_ERR_INFO',
  keychain: '@napi-rs/keyring',
  sandbox: 'sandbox_read_only',
  prompts: 'ExitPromptError',
  redis: 'LIB-VER',
  'status line': 'waiting for ${',
  network: 'The service states no rate limit',
  agenda: 'the day before',
  stats: 'but once in the total',
  drawing: 'indexOf(Math.max(...',
  'cancellation report': 'Already canceled',
  'filters of events': "can't filter events by group",
  'MCP SDK': 'StdioServerTransport is closed',
};

/** Text of the library that schemas are made of. */
const schemaMark = 'Encountered Promise during synchronous parse';
/** Text of the library that reads command lines. */
const commandMark = 'commander.unknownCommand';

/** Parts that only `events agenda` and `events stats` use. */
const overviews = ['agenda', 'stats', 'drawing'];

const heavyIn = (texts: Map<string, string>): string[] =>
  Object.entries(marks)
    .filter(([, mark]) => [...texts.values()].some((text) => text.includes(mark)))
    .map(([name]) => name);

describe.skipIf(program.length === 0)('start-up', () => {
  test('loads almost nothing for --version', async () => {
    const { texts, builtins } = await loadedFor('--version');
    expect([...texts.values()].join('').length).toBeLessThan(50_000);
    expect(heavyIn(texts)).toEqual([]);
    const heavy = ['crypto', 'http', 'http2', 'https', 'net', 'tls', 'zlib', 'child_process', 'sqlite'];
    expect(heavy.filter((name) => builtins.includes(`NativeModule ${name}`))).toEqual([]);
  });

  few(1, {
    'loads nothing for the help of a command that only its run needs': async () => {
      expect(heavyIn((await loadedFor('events', 'list', '--help')).texts)).toEqual([]);
    },
    'loads no schema for the list of all commands': async () => {
      const holders = async (...words: string[]) =>
        [...(await loadedFor(...words)).texts.values()].filter((text) => text.includes(schemaMark)).length;
      expect([await holders('--help'), await holders('events', 'list', '--help')]).toEqual([0, 1]);
    },
    'loads few files for the help of a command, because each takes time': async () => {
      expect((await loadedFor('events', 'list', '--help')).texts.size).toBeLessThan(30);
    },
    'knows each heavy part by a text that one file has': () => {
      const texts = readdirSync(join(root, 'dist/chunks')).map((file) =>
        readFileSync(join(root, 'dist/chunks', file), 'utf8'),
      );
      const files = (mark: string) => texts.filter((text) => text.includes(mark)).length;
      const counts = Object.entries({ ...marks, schemaMark, commandMark }).map(([name, mark]) => [name, files(mark)]);
      expect(counts.filter(([, count]) => count !== 1)).toEqual([]);
    },
    'loads no command for the sandbox as a library': async () => {
      const { texts } = await loadedBy(temporaryHome(), [], {}, [join(root, 'dist/sandbox.js')]);
      expect([...texts].filter(([, text]) => text.includes(commandMark)).map(([file]) => file)).toEqual([]);
      expect(heavyIn(texts)).toEqual(['sandbox']);
    },
    'loads the network for a page of events, but no sandbox, keychain or HTTP/2': async () => {
      const { texts, builtins } = await loadedFor('events', 'list', '--limit', '1', '--json');
      expect(heavyIn(texts)).not.toContain('sandbox');
      expect(heavyIn(texts)).not.toContain('keychain');
      expect(heavyIn(texts)).not.toContain('prompts');
      expect(heavyIn(texts)).not.toContain('redis');
      expect(heavyIn(texts)).not.toContain('MCP SDK');
      // Only a terminal has one.
      expect(heavyIn(texts)).not.toContain('status line');
      expect(heavyIn(texts)).toContain('undici');
      expect(builtins.filter((name) => /^NativeModule (http2|sqlite|zlib)$/.test(name))).toEqual([]);
    },
    'loads the calendar and the counts of events only for their own commands': async () => {
      const list = await loadedFor('events', 'list', '--limit', '1', '-o', 'table');
      expect(heavyIn(list.texts).filter((name) => overviews.includes(name))).toEqual([]);
      const counts = await loadedFor('events', 'stats', '-o', 'json');
      expect(heavyIn(counts.texts).filter((name) => overviews.includes(name))).toEqual([]);
      for (const name of sample(['agenda', 'stats'], 1)) {
        const { texts } = await loadedFor('events', name, '-o', 'table');
        expect(heavyIn(texts).filter((part) => overviews.includes(part))).toEqual([name, 'drawing']);
      }
    },
    'loads the MCP SDK only for mcp serve': async () => {
      for (const line of sample(['mcp config', 'mcp metadata --help', 'schema mcp'], 1))
        expect(heavyIn((await loadedFor(...line.split(' '))).texts)).not.toContain('MCP SDK');
      const chunks = readdirSync(join(root, 'dist/chunks')).map((file) => join(root, 'dist/chunks', file));
      const withSdk = chunks.filter((file) => readFileSync(file, 'utf8').includes(marks['MCP SDK']));
      expect(withSdk).toHaveLength(1);
    },
    'has no part of zod that nothing names, such as its translations': () => {
      const files = readdirSync(join(root, 'dist/chunks')).map((file) => join(root, 'dist/chunks', file));
      expect(files.filter((file) => readFileSync(file, 'utf8').includes('Ungültige Eingabe'))).toEqual([]);
    },
    'measures text only for tables': async () => {
      const page = ['events', 'list', '--limit', '1'];
      expect(await loadedFor(...page, '--json')).toMatchObject({ segmenters: 0 });
      expect((await loadedFor(...page, '-o', 'table')).segmenters).toBeGreaterThan(0);
    },
  });
  const heavy: [part: string, loaded: () => Promise<Loaded>][] = [
    ['sandbox', async () => loadedBy(await usedHome(), ['--sandbox', 'users', 'me'])],
    [
      'redis',
      () => loadedBy(temporaryHome(), ['users', 'me'], { ...service.env, SCHED_SHARED_STATE: 'redis://127.0.0.1:1' }),
    ],
    ['keychain', () => loadedFor('doctor')],
  ];
  test.each(sample(heavy, 1))('is measured correctly: this test finds the %s if it is loaded', async (part, loaded) => {
    expect(heavyIn((await loaded()).texts)).toContain(part);
  });
});

test('prints the help of a command without any set-up', async () => {
  const { code, stdout, stderr } = await sched(['event', 'list', '-h'], temporaryHome());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: sched events list /);
});
