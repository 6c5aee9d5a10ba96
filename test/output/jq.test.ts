import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spell } from '../../src/base/words.ts';
import type { PrinterOptions } from '../../src/output/forms.ts';
import { jqProblem, printJq } from '../../src/output/jq.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { execFileSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { needs } from '../support/tools.ts';
import { event, eventView, hostile, paper, time } from './samples.ts';

interface Settings {
  isTerminal?: boolean;
  compact?: boolean;
  env?: Record<string, string | undefined>;
}

const ran = async (program: string, inputs: unknown[], more: Settings = {}) => {
  const stdout = paper(more.isTerminal);
  await printJq(
    { program, compact: more.compact ?? false, env: more.env, stdout },
    inputs.map((input) => JSON.stringify(input)),
  );
  return stdout.text;
};

const records = [
  event('Intro', 1),
  event(null, 2),
  event('打ち合わせ "x"', 3),
  { ...event(' padded ', 4), tags: ['b', 'a'] },
];

/** Programs with the same result in every jq since 1.6; `keys` and sorting keep their order. */
const programs = [
  '.',
  '.[]',
  '.[].name',
  '.[0]',
  '.[-1].uri',
  '.[1:3]',
  'length',
  '.[] | keys',
  '.[0] | keys_unsorted',
  'map(.name)',
  'map(.status) | unique',
  '.[] | select(.status == "active") | .uri',
  'map(select(.invitees_counter.active > 2)) | length',
  '.[] | {name, status}',
  '.[] | [.name, .status] | @tsv',
  '.[] | [.name, .status, .invitees_counter.active] | @csv',
  '.[].name | @json',
  '.[] | .name // "none"',
  '.[].uri | split("/") | last',
  '.[].uri | @base64',
  '.[].uri | @uri',
  '.[].uri | @html',
  '.[] | "\\(.name): \\(.status)"',
  'group_by(.status) | map({(.[0].status): length}) | add',
  'sort_by(.invitees_counter.active) | reverse | .[].invitees_counter.active',
  'min_by(.invitees_counter.active).uri',
  'map(.invitees_counter.active) | add',
  'any(.status == "canceled")',
  'all(.[]; has("uri"))',
  '[paths(type == "number")]',
  '[paths(scalars)] | length',
  '.[] | .location?.type',
  '[.[] | .location | type]',
  'to_entries | map(.key)',
  '.[0] | to_entries | from_entries | .name',
  '.[0] | with_entries(select(.value | type == "string"))',
  'reduce .[] as $event (0; . + $event.invitees_counter.active)',
  '[foreach .[] as $event (0; . + 1)]',
  'def double: . * 2; map(.invitees_counter.active | double)',
  '[.[] | .event_memberships[].user_name] | unique | join(", ")',
  'first(.[]).name',
  '[limit(2; .[].status)]',
  '.[0] | del(.uri, .location)',
  '.[0] | .name |= ascii_upcase | .name',
  '.[0].start_time | sub("T.*"; "")',
  '.[].uri | test("0001$")',
  '[.[] | .name | strings | ltrimstr("In")]',
  '.[0].start_time | .[0:10] | strptime("%Y-%m-%d") | mktime',
  '[range(0; 10; 3)]',
  '.[3].tags | sort | @sh',
  'empty',
  '[.[] | if .name == null then "?" else .name end]',
  'try error("x") catch .',
  '.[3].name',
  '"a\\nb", "", 1.5, null, true',
  '[.. | numbers]',
  'input_line_number | type',
  '[splits("a")?]',
  'flatten | length',
  'indices(1)',
  '[.[].name | tostring | length]',
  '.[0] | tojson | fromjson | .name',
  'walk(if type == "array" then length else . end)',
  'transpose? // "no"',
  '$__loc__.line',
  '.[0].name | ltrimstr("x")',
  '.[0] | [getpath(["location", "type"])]',
  'tostream | select(length == 2) | .[0] | map(tostring) | join(".")',
  '@text "x\\(.[0].name)"',
  '[.[] | select(.name == env.SCHED_TEST_WANTED)] | length',
  '$ENV.SCHED_TEST_WANTED, ($ENV | has("PATH"), has("HOME")), (env == $ENV), "\\(env.SCHED_TEST_WANTED)"',
  '[$ENV.PATH, env.HOME, env.USER, env.PWD, env.NO_SUCH_VARIABLE]',
  '$__loc__.line, $ENV.SCHED_TEST_WANTED',
];

describe('jq: compared with the real jq', () => {
  it('agrees on each program', { timeout: 60_000 }, async () => {
    needs('jq', 'sh');
    expect(programs.length).toBeGreaterThanOrEqual(50);
    const file = join(temporaryDirectory('jq'), 'input.json');
    writeFileSync(file, JSON.stringify(records));
    // Every other program uses `-rc`, to test both layouts.
    const asked = ['.', ...sample(programs, 4)].map((program, index) => ({ program, compact: index % 2 === 0 }));
    // One shell runs all of them, because starting a process is slow.
    const lines = asked.map(({ program, compact }) => {
      const word = `'${program.replaceAll("'", `'\\''`)}'`;
      return `jq ${compact ? '-rc' : '-r'} ${word} ${file}; printf '\\036'`;
    });
    const env = { SCHED_TEST_WANTED: 'Intro', ...process.env };
    // The shell sets some variables itself.
    const seen = JSON.parse(execFileSync('sh', ['-c', 'jq -n env'], { encoding: 'utf8', env }));
    const answers = execFileSync('sh', ['-c', lines.join('\n')], { encoding: 'utf8', env }).split('\x1e');
    expect(answers).toHaveLength(asked.length + 1);
    for (const [index, { program, compact }] of asked.entries()) {
      const ours = await ran(program, [records], { compact, env: seen }).catch((error) => String(error.facts.reason));
      expect.soft([program, ours]).toEqual([program, answers[index]]);
    }
  });
});

describe('jq', () => {
  it('prints strings raw, including leading and trailing spaces', async () =>
    expect(await ran('.[3].name, .[0].status', [records])).toBe(' padded \nactive\n'));

  it('runs on each record and prints one result per line', async () =>
    expect(await ran('{name}', records, { compact: true })).toBe(
      '{"name":"Intro"}\n{"name":null}\n{"name":"打ち合わせ \\"x\\""}\n{"name":" padded "}\n',
    ));

  it('does not let a program read the next record', async () =>
    expect(await ran('[.name, (try input catch "end")]', records.slice(0, 2), { compact: true })).toBe(
      '["Intro","end"]\n[null,"end"]\n',
    ));

  it.each(['halt', '"" | halt_error(0)'])('stops at %s for one record and continues with the next', async (end) =>
    expect(await ran(`.name, if .name == null then ${end} else "end" end`, records)).toBe(
      'Intro\nend\nnull\n打ち合わせ "x"\nend\n padded \nend\n',
    ),
  );

  it('prints tabs as they are on a terminal, for @tsv', async () => {
    const row = ['Intro', 'a\tb', '\x1b[2J', 'two\nlines'];
    expect(await ran('@tsv', [row], { isTerminal: true })).toBe('Intro\ta\\tb\t\\x1b[2J\ttwo\\nlines\n');
  });

  it('prints no control characters but tabs on a terminal', async () => {
    const text = await ran('.[], [.[]]', [hostile], { isTerminal: true });
    expect(text.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(text.split('\n').slice(0, hostile.length)).toHaveLength(hostile.length);
    expect(await ran('.', ['a\tb\x1b'])).toBe('a\tb\x1b\n');
  });

  it('keeps strings exactly, except lone surrogates', async () => {
    const whole = hostile.map((text) => text.replace(/\p{Cs}/gu, '\uFFFD'));
    expect(JSON.parse(await ran('.', [hostile]))).toEqual(whole);
    expect(JSON.parse(await ran('.', [['\\ud800', '\uDC00\uD800\\\uD83D']]))).toEqual([
      '\\ud800',
      '\uFFFD\uFFFD\\\uFFFD',
    ]);
  });

  it('reports compile errors in the words of jq', async () => {
    expect(await jqProblem('.a | length')).toBeUndefined();
    expect(spell((await jqProblem('.['))!)).toBe('--jq: syntax error, unexpected end of file at line 1, column 2');
    expect(spell((await jqProblem('nosuch'))!)).toBe('--jq: nosuch/0 is not defined at line 1, column 1');
    expect(spell((await jqProblem('--help'))!)).toContain('help/0 is not defined');
    expect(await jqProblem('input')).toBeUndefined();
  });

  it('prints the results before a failure', async () => {
    const stdout = paper();
    const each = records.map((record) => JSON.stringify(record));
    const failing = printJq({ program: '.name | ascii_downcase', stdout }, each);
    await expect(failing).rejects.toMatchObject({
      category: 'usage',
      facts: { reason: expect.stringContaining('must be a string'), outcome: 'applied' },
    });
    expect(stdout.text).toBe('intro\n');
  });

  it('forwards debug output', async () => {
    const said: string[] = [];
    const stdout = paper();
    await printJq({ program: 'debug', stdout, say: (line) => said.push(line) }, ['1']);
    expect(said).toEqual(['["DEBUG:",1]']);
    expect(stdout.text).toBe('1\n');
  });

  it('uses only the given environment', async () => {
    const env = { WANTED: 'Intro "x" \\(1) é\n', GONE: undefined };
    expect(JSON.parse(await ran('[env, $ENV]', [1], { env }))).toEqual([
      { WANTED: env.WANTED },
      { WANTED: env.WANTED },
    ]);
    expect(await ran('[env, $ENV]', [1], { compact: true })).toBe('[{},{}]\n');
    expect(await ran('def env: 1; . as $ENV | [env, $ENV]', [2], { env, compact: true })).toBe('[1,2]\n');
    expect(spell((await jqProblem('$ENV | nosuch'))!)).toBe('--jq: nosuch/0 is not defined at line 1, column 8');
    expect(spell((await jqProblem('env |\n nosuch'))!)).toBe('--jq: nosuch/0 is not defined at line 2, column 2');
  });
});

describe('jq: in the printer', () => {
  const printed = async (options: Partial<PrinterOptions>, pages: object[][]) => {
    const stdout = paper();
    const base = { format: 'json', header: false, raw: false, color: undefined, accessible: false, ...time } as const;
    const rows = await createPrinter({ ...base, ...options, stdout }).list(eventView, pages);
    return { rows, text: stdout.text };
  };

  it('gets one list across pages, even if it is empty', async () => {
    expect(await printed({ jq: 'length' }, [[records[0]!], [], [records[1]!]])).toEqual({ rows: 2, text: '2\n' });
    expect(await printed({ jq: '.' }, [])).toEqual({ rows: 0, text: '[]\n' });
  });

  it('gets each record with jsonl', async () =>
    expect((await printed({ jq: '.status', format: 'jsonl' }, [[records[0]!], [records[1]!]])).text).toBe(
      'active\ncanceled\n',
    ));

  it('gets only the selected fields', async () =>
    expect((await printed({ jq: '.', format: 'jsonl', fields: ['location.type'] }, [[records[0]!]])).text).toBe(
      '{"location":{"type":"zoom_conference"}}\n',
    ));

  it('runs on a single record too', async () => {
    const stdout = paper();
    const base = { format: 'json', header: false, raw: false, color: undefined, accessible: false, ...time } as const;
    await createPrinter({ ...base, jq: '.name', stdout }).one(eventView, event('x'));
    expect(stdout.text).toBe('x\n');
  });
});
