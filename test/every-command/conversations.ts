import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/api/operation.ts';
import type { Command } from '../../src/cli/command.ts';
import { findNoun, nouns } from '../../src/commands/registry.ts';
import type { HttpReply, Send } from '../../src/http/message.ts';
import { hostile } from '../output/samples.ts';
import type { TestWorld } from '../support/run.ts';
import { usedHome } from '../support/seeded.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { exampleFiles, examplesByCommand, exempt, firstDeletion, firstProfile, ownPart } from './example-lines.ts';
import type { Exchange } from './replay.js';

/** One command line per command, with the service's replies to it. */
export interface Conversation {
  command: Command;
  /** Noun and verb. */
  name: string;
  words: string[];
  /** Home directory, for the command's state. */
  home: string;
  /** Exit code with the original replies. */
  code: number;
  exchanges: Exchange[];
}

/** Input for commands that read stdin. */
export const stdin = 'ada@engine.example\n';

const pathOf = ({ url }: { url: string }): string => new URL(url).pathname;

const choosesOutput = /^(-o\w*|--output|--json|--fields|--jq|--raw|--header|--accessible|--curl|--dry-run|-n)(=|$)/;

/** An example without output flags if there is one, because the test chooses the formats. */
const plainest = (examples: readonly string[]): string | undefined => {
  const lines = examples.filter((line) => !exempt.some(([pattern]) => pattern.test(line)));
  return lines.find((line) => !splitCommandLine(ownPart(line)).some((word) => choosesOutput.test(word))) ?? lines[0];
};

const commandNamed = async (name: string): Promise<Command> => {
  const [noun = '', verb] = name.split(' ');
  const commands = await nouns[findNoun(noun)!]!.commands();
  return commands.find((command) => command.name === verb) ?? commands[0]!;
};

/** Lines for commands whose examples need more than the sandbox has at the start. */
const otherLines: Record<string, string> = {
  'events move':
    'events move $(sched events list --upcoming --status active --event-type "Intro call" --limit 1 -o id) --to 2026-12-01T14:00:00Z',
};

/**
 * Runs one example of each chosen command on the sandbox and records the replies. Changes to a new working directory that
 * has the files used by examples. Commands without a runnable example are returned in `silent`.
 */
export const recordConversations = async (
  world: TestWorld,
  choose: (names: string[]) => string[],
): Promise<{ spoken: Conversation[]; silent: string[] }> => {
  const folder = temporaryDirectory('hostile');
  const home = await usedHome(world.clock.now());
  for (const [file, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, file), text);
  process.chdir(folder);
  await world.run(firstDeletion, { home });
  await world.run(firstProfile, { home });
  const spoken: Conversation[] = [];
  const silent: string[] = [];
  const lines = new Map<string, string>();
  for (const [name, examples] of await examplesByCommand()) {
    // The sandbox has only what every service has.
    if ((await commandNamed(name)).operation?.optional) continue;
    const line = otherLines[name] ?? plainest(examples);
    if (line === undefined) silent.push(name);
    else lines.set(name, line);
  }
  for (const name of choose([...lines.keys()])) {
    const exchanges: Exchange[] = [];
    const send: Send = async (request) => {
      const reply = await world.service(request);
      exchanges.push({ method: request.method, url: request.url, reply });
      return reply;
    };
    const own = ownPart(lines.get(name)!);
    const inner = /\$\(sched ([^)]*)\)/.exec(own);
    const whole = inner === null ? own : own.replace(inner[0], (await world.run(inner[1]!)).stdout.trim());
    const words = splitCommandLine(whole).filter((word) => !choosesOutput.test(word));
    // The command runs many times, and the ledger would reject the second booking.
    const often = name === 'invitees create' ? ['--allow-duplicate'] : [];
    const asked = [...words, ...often, ...(words.includes('--yes') ? [] : ['--yes'])];
    const { code } = await world.run(asked, { home, stdin, send });
    // A calendar also asks for events that run into its first day.
    if (name === 'events agenda') await world.run([...asked, '-o', 'table'], { home, stdin, send });
    spoken.push({ command: await commandNamed(name), name, words: asked, home, code, exchanges });
  }
  return { spoken, silent };
};

export const isOwn = (operation: Operation, { method, url }: Exchange): boolean =>
  operation.method === method && new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathOf({ url }));

/** Marks the start of forged lines. */
export const forged = 'FORGED';
const corpus = [...hostile, `a\n${forged} row\r${forged} row\u2028${forged}\u0085${forged}`, '\t\t\t=cmd|x'];

type Keep = (text: string, name: string) => boolean;

/** URIs, timestamps, the cursor and other values that commands need to continue. */
export const needed: Keep = (text, name) =>
  /^https?:\/\/|^\d{4}-\d\d-\d\dT/.test(text) || ['next_page_token', 'email', 'kind', 'scope'].includes(name);

/** The JSON with all strings made hostile except the kept ones, and with an unknown field in each record. */
export const poisoned = (value: unknown, keep: Keep, name = '', at = { next: 0 }): unknown => {
  const evil = () => corpus[at.next++ % corpus.length]!;
  if (typeof value === 'string') return keep(value, name) ? value : `${value}${evil()}`;
  if (Array.isArray(value)) return value.map((item) => poisoned(item, keep, name, at));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, poisoned(each, keep, key, at)] as const);
  return Object.fromEntries('uri' in value ? [...entries, [`x_${evil()}`, { [evil()]: [evil(), null, 1] }]] : entries);
};

export const poisonedReply = (reply: HttpReply, keep: Keep): HttpReply => {
  try {
    return { ...reply, body: JSON.stringify(poisoned(JSON.parse(reply.body), keep)) };
  } catch {
    return { ...reply, body: corpus.join(' ') };
  }
};

const kinds: readonly unknown[] = ['text', 7, true, { inner: 'x' }, ['x', null, { inner: 1 }], null];
const envelope = new Set(['uri', 'collection', 'resource', 'pagination']);

/** The JSON with each field below the envelope replaced by a value of another type; `shift` and its row choose which. */
const otherKinds = (value: unknown, shift: number, isDeep: boolean, name = ''): unknown => {
  if (Array.isArray(value) && envelope.has(name))
    return value.map((item, index) => otherKinds(item, shift + index, isDeep, 'resource'));
  if (typeof value === 'object' && value !== null && (envelope.has(name) || name === '' || isDeep)) {
    const entries = Object.entries(value).map(([key, each]) => [key, otherKinds(each, shift, isDeep, key)] as const);
    return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  }
  if (envelope.has(name) || name === 'next_page_token') return value;
  const typeOf = (each: unknown) => (Array.isArray(each) ? 'array' : each === null ? 'null' : typeof each);
  const others = kinds.filter((kind) => typeOf(kind) !== typeOf(value));
  return others[shift % others.length];
};

export const otherKindsReply = (reply: HttpReply, shift: number, isDeep: boolean): HttpReply => ({
  ...reply,
  body: reply.body === '' ? '' : JSON.stringify(otherKinds(JSON.parse(reply.body), shift, isDeep)),
});

/** An error reply in which every text is hostile. */
export const hostileRefusal = (status: number): HttpReply => ({
  status,
  headers: { 'x-request-id': corpus.join(''), 'content-type': 'application/json' },
  body: JSON.stringify({
    title: corpus.slice(0, 8).join(' '),
    message: corpus.slice(8).join(' '),
    details: [{ parameter: corpus[0], message: corpus.at(-2) }],
    required_scopes: [corpus[1]],
  }),
});
