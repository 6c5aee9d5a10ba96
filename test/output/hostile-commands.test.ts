import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { HttpReply } from '../../src/http/message.ts';
import { formats } from '../../src/output/formats.ts';
import { width } from '../../src/output/width.ts';
import { createWorld, type Result } from '../support/run.ts';
import { inTerminal } from '../support/terminal.ts';
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
 * its replies are replayed with hostile text in them.
 */

const before = process.cwd();
const world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
const { spoken, silent } = await recordConversations(world);
const speaking = spoken.filter(({ exchanges }) => exchanges.length > 0);
afterAll(() => process.chdir(before));

const ways = [...formats.map((format) => `-o ${format}`), '--accessible', '--jq .', '-o jsonl --jq ..|strings'];
const people = ['-o table', '--accessible'];
const columns = 80;
const terminals = ['stdout' as const, 'stderr' as const];

/** sched's own colors and line breaks, and redrawing of the progress line. */
const ours = /\x1b\[\d+m|\r?\n|\r\x1b\[K/g;
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
  expect(stdout + stderr).not.toMatch(new RegExp(`^\\s*${forged}`, 'm'));
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
    terminals: isTerminal ? terminals : [],
  });

/** Makes only the reply of the command's own operation hostile, and keeps those of its lookups. */
const ownAnswer =
  ({ command }: Conversation): Change =>
  (exchange) =>
    command.operation === undefined || isOwn(command.operation, exchange)
      ? poisonedReply(exchange.reply, needed)
      : exchange.reply;

describe('hostile: every command and format on a terminal', () => {
  it('covers all commands except those that serve or wait', () => {
    // Their own tests have hostile deliveries and receivers.
    const withDeliveries = ['webhooks listen', 'webhooks verify', 'sandbox trigger'];
    expect(silent.toSorted()).toEqual(
      ['auth login', 'auth refresh', 'sandbox start', 'sandbox run', ...withDeliveries].toSorted(),
    );
  });

  it('calls the operation of every command that has one', () => {
    expect(speaking.length).toBeGreaterThanOrEqual(35);
    for (const { name, command, exchanges } of spoken)
      if (command.operation)
        expect([name, exchanges.some((each) => isOwn(command.operation!, each))]).toEqual([name, true]);
  });

  it.each(spoken)('$name: hostile reply to its own operation', async (conversation) => {
    for (const way of waysInMemory(conversation)) {
      const result = await run(conversation, way, ownAnswer(conversation));
      expectHarmless(result, way);
      expectFitting(result.stderr);
      if (way === '-o table' && conversation.command.operation) expect(result.code).toBe(conversation.code);
    }
  });

  it.each(speaking)('$name: all text in all replies hostile', async (conversation) => {
    for (const way of ['-o table', '-o json', '-o csv', '--accessible'])
      expectHarmless(await run(conversation, way, ({ reply }) => poisonedReply(reply, () => false)), way);
  });

  it.each(speaking)('$name: fields of another type', async (conversation) => {
    const { command, exchanges } = conversation;
    // Many commands send one request, or get no deep values: then several changes give the same replies.
    const tried = new Set<string>();
    const isNew = (change: Change): boolean => {
      const replies = JSON.stringify(exchanges.map((exchange) => change(exchange).body));
      return tried.size < tried.add(replies).size;
    };
    for (const isDeep of [false, true])
      for (let shift = 0; shift < 5; shift += 1) {
        const all: Change = ({ reply }) => otherKindsReply(reply, shift, isDeep);
        const own: Change = (exchange) =>
          command.operation === undefined || isOwn(command.operation, exchange) ? all(exchange) : exchange.reply;
        // The machine formats write each value as it is: one round shows that.
        const ways = shift === 0 ? [...people, '-o json', '-o csv'] : people;
        for (const change of [all, own].filter(isNew))
          for (const way of ways) expectHarmless(await run(conversation, way, change), way);
      }
  });

  it.each(speaking)('$name: hostile error reply', async (conversation) => {
    for (const status of [400, 403, 404, 500])
      for (const way of ['-o table', '-o json']) {
        const result = await run(conversation, way, () => hostileRefusal(status));
        expectHarmless(result, way);
        expectFitting(result.stderr);
      }
  });
});

// Prompts are printed by separate code, not as results or notes.
describe('hostile: prompts', () => {
  it.each(speaking.filter(({ words }) => words.includes('--yes')))('$name', async (conversation) => {
    for (const way of ['-o table', '--accessible']) {
      const result = await world.run([...conversation.words.filter((word) => word !== '--yes'), ...way.split(' ')], {
        home: conversation.home,
        stdin: 'n\n',
        send: replay(conversation.exchanges, ({ reply }) => poisonedReply(reply, needed)),
        terminals: ['stdin', ...terminals],
      });
      expectHarmless(result, way);
    }
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
    command.operation !== undefined && code === 0 && !/^(compliance|events (stats|follow)|webhooks delete)/.test(name),
);
const listing = telling.filter(({ command }) => command.operation!.reply.kind === 'many');
/** An agenda is a table in other formats only, and has no limit. */
const tabular = listing.filter(({ name }) => name !== 'events agenda');

// The same replies again, printed by the built program to a real pseudo-terminal.
describe('hostile: every command and format in a pseudo-terminal', () => {
  it('prints no control byte and no forged row', { timeout: 60_000 }, async () => {
    const answered = speaking.flatMap((conversation) =>
      ways.map((way) => ({ conversation, way, change: ownAnswer(conversation) })),
    );
    const refusal = () => hostileRefusal(400);
    const refused = speaking.map((conversation) => ({ conversation, way: '-o table', change: refusal }));
    const all = [...answered, ...refused];
    const scenes = all.map(({ conversation, way, change }) => ({
      words: [...conversation.words, ...way.split(' ')],
      home: conversation.home,
      exchanges: conversation.exchanges.map((exchange) => ({ ...exchange, reply: change(exchange) })),
    }));
    const file = join(process.cwd(), 'scenes.json');
    writeFileSync(file, JSON.stringify({ folder: process.cwd(), token: world.token, now: world.clock.now(), scenes }));
    const player = fileURLToPath(new URL('play.js', import.meta.url));
    const terminal = inTerminal([process.execPath, player, file], { PATH: process.env.PATH ?? '' });
    const { code, text } = await terminal.done.finally(terminal.close);
    const parts = text.split(/\n<<(\d+:\d+)>>\n/);
    expect([code, (parts.length - 1) / 2]).toEqual([0, all.length]);
    for (const [index, { conversation, way, change }] of all.entries()) {
      const end = Number(parts[2 * index + 1]!.split(':')[1]);
      const screen = parts[2 * index]!;
      const shown = { code: end, stdout: screen, stderr: '', screen, requests: [] };
      const isAnswer = way === '-o table' && conversation.command.operation !== undefined && change !== refusal;
      if (isAnswer) expect([conversation.name, end]).toEqual([conversation.name, conversation.code]);
      expect(() => expectHarmless(shown, way), `${conversation.name} ${way}: ${shown.stdout}`).not.toThrow();
    }
    expect(text).toContain('\x1b[1m');
    expect(text).toContain('<U+202E>');
  });
});

describe('hostile: in a pipe', () => {
  it.each(telling)('$name: json, jsonl and yaml parse back exactly', async (conversation) => {
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
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(JSON.stringify(await read('-o jsonl', lines))).toBe(JSON.stringify(records));
    expect(JSON.stringify(await read('-o yaml', (text) => parseYaml(text)))).toBe(JSON.stringify(records));
  });

  it.each(listing)('$name: csv --raw has the same values as JSON for another parser', async (conversation) => {
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
  });

  it.each(tabular)('$name: prints one row per record', async (conversation) => {
    const answer = ownAnswer(conversation);
    const rows = JSON.parse((await run(conversation, '-o json', answer, false)).stdout).length;
    expect(rows).toBeGreaterThan(0);
    for (const [way, isTerminal, heading] of [
      ['-o tsv', false, 0],
      ['-o jsonl', false, 0],
      ['-o table', true, 1],
    ] as const) {
      // An example may have a limit of its own, and a flag can be given only once.
      const limit = conversation.words.includes('--limit') ? '' : ` --limit ${rows}`;
      const { stdout } = await run(conversation, `${way}${limit}`, answer, isTerminal);
      expect([way, stdout.trimEnd().split('\n').length]).toEqual([way, rows + heading]);
    }
  });
});
