import { createHash } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commandEffect } from '../../src/commands/schema/command-facts.ts';
import type { HttpReply } from '../../src/http/message.ts';
import { formats } from '../../src/output/formats.ts';
import { width } from '../../src/output/width.ts';
import { createWorld, outputs, type Result, terminals } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { inTerminal } from '../support/terminal.ts';
import { sample, times } from '../support/tier.ts';
import {
  type Conversation,
  forged,
  hostileRefusal,
  isOwn,
  needed,
  otherKindsReply,
  poisonedReply,
  recordConversations,
  stdin,
} from './conversations.ts';
import { type Exchange, replay } from './replay.js';

/*
 * R43, R44: runs every command in every format against a hostile service. Each command runs once on the sandbox; then
 * its replies are replayed with hostile text in them. `npm test` takes one command of each noun.
 */

const before = process.cwd();
const world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
const nounOf = ({ name }: { name: string }) => name.split(' ')[0];
const { spoken, silent } = await recordConversations(world, (names) => sample(names, 1, (name) => nounOf({ name })));
const speaking = spoken.filter(({ exchanges }) => exchanges.length > 0);
afterAll(() => process.chdir(before));

const ways = [...formats.map((format) => `-o ${format}`), '--accessible', '--jq .', '-o jsonl --jq ..|strings'];
const people = ['-o table', '--accessible'];
const columns = 80;

/** sched's own colors and line breaks, and redrawing of the progress line and of rows that are shown before their names. */
const ours = /\x1b\[(?:\d+m|\d+A|K|J)|\r(?=\x1b\[(?:K|\d+A))|(?<=^|\n)\r|\r?\n/g;
const dangerous =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF\u00AD\u3164\u115F\u1160\uFFA0\u{E0020}-\u{E007F}]/u;
const obeyed = /##(?:\[|vso\[)|^(?:[^\S\n]|\x1b\[\d+m)*::/im;

const expectHarmless = ({ code, stdout, stderr }: Result, way: string): void => {
  // 1 is an internal error.
  expect(code, stderr).not.toBe(1);
  expect(stdout.replace(ours, '').replace(way === '-o tsv' || way.includes('--jq') ? /\t/g : '', '')).not.toMatch(
    dangerous,
  );
  expect(stderr.replace(ours, '')).not.toMatch(dangerous);
  // A long text goes on below its beginning, to the right of labels.
  expect(stdout + stderr).not.toMatch(new RegExp(`^[ \\t]{0,4}${forged}`, 'm'));
  expect(stderr).not.toMatch(obeyed);
  if (people.includes(way)) expect(stdout).not.toMatch(obeyed);
};

/** Lines wrap between words. Text to copy and words wider than the screen stay whole. */
const expectFitting = (stderr: string): void => {
  const isWhole = (line: string) => /https?:|sched |export /.test(line) || !/\S \S/.test(line.trim());
  // Without colors, and without a status line that was erased.
  const lines = stderr.split('\n').map((line) =>
    line
      .split('\r\x1b[K')
      .at(-1)!
      .replaceAll(/\x1b\[\d+m/g, ''),
  );
  const wide = lines.filter((line) => width(line) > columns && !isWhole(line));
  expect(wide).toEqual([]);
};

/** Each conversation with each of its cells. */
const matrix = <Cell>(conversations: readonly Conversation[], cellsOf: (conversation: Conversation) => Cell[]) =>
  conversations.flatMap((conversation) =>
    cellsOf(conversation).map((cell) => ({ name: conversation.name, conversation, ...cell })),
  );

/** Whether the recorded replies are all that it asks for again: a move that is done looks at what it made. */
const isRepeatable = ({ name, command }: Conversation): boolean =>
  command.operation !== undefined && name !== 'events move';

const inWays = (ways: readonly string[]) => ways.map((way) => ({ way }));

/**
 * Commands that call the service run in every format in the pseudo-terminal below; here stderr is checked separately.
 * Resetting the sandbox in every format would test nothing more.
 */
const waysInMemory = ({ name, exchanges }: Conversation): string[] => {
  if (name === 'sandbox reset') return people;
  return exchanges.length > 0 ? [...people, '-o json'] : ways;
};

type Change = (exchange: Exchange) => HttpReply;

const run = (conversation: Conversation, way: string, change: Change, isTerminal = true): Promise<Result> =>
  world.run([...conversation.words, ...way.split(' '), ...(isTerminal ? ['--color', 'always'] : [])], {
    home: conversation.home,
    columns,
    stdin,
    send: replay(conversation.exchanges, change),
    isHostile: true,
    terminals: isTerminal ? outputs : [],
  });

/** Changes only the reply of the command's own operation, and keeps those of its lookups. */
const ownOnly =
  ({ command }: Conversation, change: Change): Change =>
  (exchange) =>
    command.operation === undefined || isOwn(command.operation, exchange) ? change(exchange) : exchange.reply;

const ownAnswer = (conversation: Conversation): Change =>
  ownOnly(conversation, ({ reply }) => poisonedReply(reply, needed));

/** Each way to give the fields of replies another type: which one, how deep, and in which replies. */
const otherTypes = [false, true].flatMap((isDeep) =>
  [0, 1, 2, 3, 4].flatMap((shift) =>
    [true, false].flatMap((isOwnOnly) =>
      // The machine formats write each value as it is: one round shows that.
      [...people, ...(shift === 0 ? ['-o json', '-o csv'] : [])].map((way) => ({ isDeep, shift, isOwnOnly, way })),
    ),
  ),
);

describe('hostile: every command and format on a terminal', () => {
  it('covers all commands except those that serve or wait', () => {
    // Their own tests have hostile deliveries, receivers and clients.
    const withDeliveries = [
      'webhooks backfill',
      'webhooks listen',
      'webhooks verify',
      'sandbox oauth',
      'sandbox trigger',
      'sandbox wait',
    ];
    expect(silent.toSorted()).toEqual(
      [
        'auth login',
        'auth refresh',
        'sandbox start',
        'sandbox env',
        'sandbox mark',
        'sandbox open',
        'sandbox run',
        // They need a mirror, whose records come from the service: test/commands/mirror.
        ...['delete', 'export', 'sql', 'status', 'sync'].map((verb) => `mirror ${verb}`),
        ...withDeliveries,
      ].toSorted(),
    );
  });

  it('calls the operation of every command that has one', () => {
    expect(speaking.length).toBeGreaterThanOrEqual(times(15, 35));
    for (const { name, command, exchanges } of spoken)
      if (command.operation)
        expect([name, exchanges.some((each) => isOwn(command.operation!, each))]).toEqual([name, true]);
  });

  const ownAnswers = matrix(spoken, (conversation) => inWays(waysInMemory(conversation)));
  it.each(sample(ownAnswers, 1, nounOf))(
    '$name: hostile reply to its own operation ($way)',
    async ({ conversation, way }) => {
      const result = await run(conversation, way, ownAnswer(conversation));
      expectHarmless(result, way);
      expectFitting(result.stderr);
      if (way === '-o table' && isRepeatable(conversation)) expect(result.code).toBe(conversation.code);
    },
  );

  const allAnswers = matrix(speaking, () => inWays(['-o table', '-o json', '-o csv', '--accessible']));
  it.each(sample(allAnswers, 4))('$name: all text in all replies hostile ($way)', async ({ conversation, way }) => {
    expectHarmless(await run(conversation, way, ({ reply }) => poisonedReply(reply, () => false)), way);
  });

  const otherKinds = matrix(speaking, () => otherTypes);
  // Many commands send one request, or get no deep values: then several changes give the same replies.
  const tried = new Set<string>();
  const isNew = ({ conversation, change, way }: { conversation: Conversation; change: Change; way: string }) => {
    const digest = createHash('sha1').update(`${conversation.name} ${way}`);
    for (const exchange of conversation.exchanges) digest.update(change(exchange).body);
    return tried.size < tried.add(digest.digest('hex')).size;
  };
  const changed = sample(otherKinds, 1, nounOf)
    .map((cell) => {
      const all: Change = ({ reply }) => otherKindsReply(reply, cell.shift, cell.isDeep);
      return { ...cell, change: cell.isOwnOnly ? ownOnly(cell.conversation, all) : all };
    })
    .filter(isNew);
  it.each(changed)(
    '$name: fields of another type ($shift, deep: $isDeep, own reply only: $isOwnOnly, $way)',
    async ({ conversation, way, change }) => expectHarmless(await run(conversation, way, change), way),
  );

  // Some commands explain an error in their own words, but all of them report it with the same code.
  const refusals = matrix(speaking, () =>
    [400, 403, 404, 500].flatMap((status) => ['-o table', '-o json'].map((way) => ({ status, way }))),
  );
  it.each(sample(refusals, 1, ({ status, way }) => `${status} ${way}`))(
    '$name: hostile error reply ($status, $way)',
    async ({ conversation, status, way }) => {
      const result = await run(conversation, way, () => hostileRefusal(status));
      expectHarmless(result, way);
      expectFitting(result.stderr);
    },
  );
});

// Prompts are printed by separate code, not as results or notes.
describe('hostile: prompts', () => {
  const asking = matrix(speaking, () => inWays(people));
  // Commands that only read ask nothing.
  const kindOf = ({ name, conversation }: (typeof asking)[number]) =>
    commandEffect(conversation.command) === 'read' ? 'read' : name.split(' ')[0];
  it.each(sample(asking, 1, kindOf))('$name ($way)', async ({ conversation, way }) => {
    const result = await world.run([...conversation.words.filter((word) => word !== '--yes'), ...way.split(' ')], {
      home: conversation.home,
      stdin: 'n\n',
      send: replay(conversation.exchanges, ({ reply }) => poisonedReply(reply, needed)),
      isHostile: true,
      terminals,
    });
    expectHarmless(result, way);
  });
});

type Json = Record<string, unknown>;

/** The records in the service's reply to the command's own operation. */
const sentTo = (conversation: Conversation): Json[] =>
  conversation.exchanges
    .filter((each) => isOwn(conversation.command.operation!, each))
    .flatMap((each) => {
      const json = JSON.parse(ownAnswer(conversation)(each).body);
      const { kind } = conversation.command.operation!.reply;
      return (kind === 'many' ? json.collection : [kind === 'one' ? json.resource : json]) as Json[];
    });

const withoutOurs = ({ _sched, ...record }: Json): Json => record;

/** Commands that print the service's reply to their own operation. */
const telling = spoken.filter(
  ({ name, command, code }) =>
    command.operation !== undefined &&
    // The reply to a deletion is empty.
    command.operation.reply.status !== 204 &&
    code === 0 &&
    !/^(compliance|events (stats|follow|move))/.test(name),
);
const listing = telling.filter(({ command }) => command.operation!.reply.kind === 'many');
/** An agenda is a table in other formats only, and has no limit. */
const tabular = listing.filter(({ name }) => name !== 'events agenda');

// The same replies again, printed by the built program to a real pseudo-terminal.
describe('hostile: every command and format in a pseudo-terminal', () => {
  it('prints no control byte and no forged row', { timeout: 60_000 }, async () => {
    const answers = matrix(speaking, (conversation) => ways.map((way) => ({ way, change: ownAnswer(conversation) })));
    const refusal = () => hostileRefusal(400);
    const refused = matrix(speaking, () => [{ way: '-o table', change: refusal }]);
    const all = [...sample(answers, 1, ({ way }) => way), ...sample(refused, 2)];
    // Another process with another clock must not share the rate limit of the tests.
    const home = temporaryDirectory('home');
    cpSync(speaking[0]!.home, home, { recursive: true });
    const scenes = all.map(({ conversation, way, change }) => ({
      words: [...conversation.words, ...way.split(' ')],
      exchanges: conversation.exchanges.map((exchange) => ({ ...exchange, reply: change(exchange) })),
    }));
    const file = join(process.cwd(), 'scenes.json');
    const times = { now: world.machineNow(), serviceNow: world.clock.now() };
    const facts = { folder: process.cwd(), home, token: world.token, ...times };
    writeFileSync(file, JSON.stringify({ ...facts, scenes }));
    const player = fileURLToPath(new URL('play.js', import.meta.url));
    const terminal = inTerminal([process.execPath, player, file], { PATH: process.env.PATH ?? '' });
    const { code, text } = await terminal.done.finally(terminal.close);
    const parts = text.split(/\n<<(\d+:\d+)>>\n/);
    expect([code, (parts.length - 1) / 2]).toEqual([0, all.length]);
    for (const [index, { conversation, way, change }] of all.entries()) {
      const end = Number(parts[2 * index + 1]!.split(':')[1]);
      const screen = parts[2 * index]!;
      const shown = { code: end, stdout: screen, stderr: '', screen, requests: [], timeQuestions: [] };
      const isAnswer = way === '-o table' && isRepeatable(conversation) && change !== refusal;
      if (isAnswer) expect([conversation.name, end]).toEqual([conversation.name, conversation.code]);
      expect(() => expectHarmless(shown, way), `${conversation.name} ${way}: ${shown.stdout}`).not.toThrow();
    }
    expect(text).toContain('\x1b[1m');
    expect(text).toContain('<U+202E>');
  });
});

describe('hostile: in a pipe', () => {
  const readers: Record<string, (text: string) => unknown> = {
    '-o jsonl': (text) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    '-o yaml': (text) => parseYaml(text),
  };
  const readings = matrix(telling, () => inWays(Object.keys(readers)));
  it.each(sample(readings, 2, ({ way }) => way))(
    '$name: json and $way parse back exactly',
    async ({ conversation, way }) => {
      const sent = sentTo(conversation);
      const answer = ownAnswer(conversation);
      const read = async (way: string, parse: (text: string) => unknown) => {
        const { code, stdout } = await run(conversation, way, answer, false);
        expect(code).toBe(0);
        return ([parse(stdout)].flat() as Json[]).map(withoutOurs);
      };
      const records = await read('-o json', JSON.parse);
      expect(records.length).toBeGreaterThan(0);
      const texts = sent.map((record) => JSON.stringify(record));
      for (const record of records) expect(texts).toContain(JSON.stringify(record));
      expect(JSON.stringify(await read(way, readers[way]!))).toBe(JSON.stringify(records));
    },
  );

  it.each(sample(listing, 2))(
    '$name: csv --raw has the same values as JSON for another parser',
    async (conversation) => {
      const answer = ownAnswer(conversation);
      const records = JSON.parse((await run(conversation, '-o json', answer, false)).stdout) as Json[];
      const names = Object.keys(conversation.command.operation!.reply.of.record.shape);
      const { stdout } = await run(conversation, `-o csv --raw --fields ${names.join(',')}`, answer, false);
      const [header, ...rows] = parseCsv(stdout, { record_delimiter: '\r\n' });
      expect(header).toEqual(names);
      expect(rows).toHaveLength(records.length);
      // UTF-8 can't encode lone surrogates.
      const whole = (text: string) => text.replace(/\p{Cs}/gu, '\uFFFD');
      const isList = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item !== 'object');
      for (const [index, record] of records.entries())
        for (const [place, name] of names.entries()) {
          const value = record[name] ?? '';
          const cell = rows[index]![place]!;
          if (isList(value)) expect(cell).toBe(whole((value as unknown[]).join(',')) || JSON.stringify(value));
          else if (typeof value === 'object') expect(JSON.parse(cell)).toEqual(value);
          else expect(cell).toBe(whole(`${value}`));
        }
    },
  );

  const rowWays = [
    { way: '-o tsv', isTerminal: false, heading: 0 },
    { way: '-o jsonl', isTerminal: false, heading: 0 },
    { way: '-o table', isTerminal: true, heading: 2 },
  ];
  it.each(
    sample(
      matrix(tabular, () => rowWays),
      1,
      ({ way }) => way,
    ),
  )('$name: prints one row per record ($way)', async ({ conversation, way, isTerminal, heading }) => {
    const answer = ownAnswer(conversation);
    const rows = JSON.parse((await run(conversation, '-o json', answer, false)).stdout).length;
    expect(rows).toBeGreaterThan(0);
    // An example may have a limit of its own, and a flag can be given only once.
    const limit = conversation.words.includes('--limit') ? '' : ` --limit ${rows}`;
    const { stdout } = await run(conversation, `${way}${limit}`, answer, isTerminal);
    // Below a title, rows may have a heading per day, and a schedule or a submission a line per day or answer: at least one each, and no control character
    // adds another.
    const lines = stdout.trimEnd().split('\n');
    if (isTerminal && /^(events|groups events|activity|availability|routing-forms submissions)/.test(conversation.name))
      expect(lines.length).toBeGreaterThan(rows);
    else expect(lines).toHaveLength(rows + heading);
  });
});
