import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isObject, type Json, jsonText, parseJson } from '../../src/base/json.ts';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import { shippedDialects } from '../../src/dialects/read.ts';
import { type HttpReply, type HttpRequest, isSuccess, type Send } from '../../src/http/message.ts';
import { createWorld, type TestWorld } from '../support/run.ts';
import { splitCommandLine } from '../support/shell-words.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { exampleFiles, exempt } from './example-lines.ts';

/** What a mirror answers in another way than the service, and why. */
const reasons: [pattern: RegExp, where: string, reason: string][] = [
  [/^(auth|whoami|doctor|webhooks|mcp|mirror|invitees reconcile|events follow)/, '*', 'about the service itself'],
  [/^compliance (export|expired|recheck)/, '*', 'the receipt and the window are those of the service'],
  [/^(event-types (slots|why))/, 'calendly', 'the free times of the service itself'],
  [/^users busy/, 'calendly', 'the service knows other calendars too'],
  [/^availability get 7XMLWK4XT9XSSFB2/, 'calendly', 'no list shows this schedule'],
  [/YBL6DUNR9FS4PNP6|"Support call"/, 'sandbox_user', 'no list that a user may read shows this event type'],
  [/JW6SHQTS78SH7TS8/, 'sandbox_user', "an event of others: the mirror doesn't know that it exists"],
];

interface Described {
  commands: { command: string; effect: string; examples: string[] }[];
}

const dialectNamed = async (name: string) =>
  name === ''
    ? {}
    : {
        dialect: {
          ...(await readDialect({ place: name, text: shippedDialects[name]! })),
          digest: '',
          place: '',
        },
      };

/**
 * The same records as another service would send them: in its own order, with fields that nobody knows, and numbers beyond
 * 2^53. Lists of events have the order of their times.
 */
const otherService = (service: Send): Send => {
  const more = (record: unknown): unknown =>
    isObject(record) && typeof record.uri === 'string'
      ? { 'a-field': { of: [record.uri, null] }, ...record, number: 2n ** 70n, name_of_guest: 'Zoë\u2028"' }
      : record;
  const get = async (request: HttpRequest, url: URL): Promise<[HttpReply, Json]> => {
    const reply = await service({ ...request, url: url.href });
    return [reply, reply.body === '' ? {} : (parseJson(reply.body) as Json)];
  };
  return async (request) => {
    if (request.method !== 'GET') return service(request);
    const url = new URL(request.url);
    const [reply, body] = await get(request, url);
    const answer = (changed: Json) => ({ ...reply, body: jsonText(changed) });
    if (isObject(body.resource)) return answer({ ...body, resource: more(body.resource) });
    if (!Array.isArray(body.collection)) return reply;
    const hasOrder = url.searchParams.has('sort') || /scheduled_events$|activity_log/.test(url.pathname);
    if (hasOrder) return answer({ ...body, collection: body.collection.map(more) });
    // All of the list, in another order, as one page: this service takes no count.
    url.searchParams.set('count', '100');
    const all: unknown[] = [];
    for (let next: unknown = url.href; typeof next === 'string'; ) {
      const [whole, page]: [HttpReply, Json] = await get(request, new URL(next));
      if (!isSuccess(whole)) return whole;
      all.push(...(page.collection as unknown[]));
      next = (page.pagination as Json).next_page;
    }
    return answer({
      collection: all.reverse().map(more),
      pagination: {
        count: all.length,
        next_page: null,
        previous_page: null,
        next_page_token: null,
        previous_page_token: null,
      },
    });
  };
};

const tokens = ['sandbox_owner', 'sandbox_admin', 'sandbox_user', 'sandbox_read_only', 'sandbox_legacy'];
interface Place {
  token: string;
  dialect: string;
  /** Another service, not the sandbox. */
  other: string;
}

const places: Place[] = [
  ...tokens.map((token) => ({ token, dialect: '', other: '' })),
  { token: 'sandbox_owner', dialect: 'calendly', other: '' },
  { token: 'sandbox_owner', dialect: '', other: 'at another service' },
];

describe.each(sample(places, 1))('the mirror of $token $dialect $other', ({ token, dialect, other }) => {
  const home = temporaryDirectory('home');
  const folder = temporaryDirectory('examples');
  const before = process.cwd();
  const env = { SCHED_TOKEN: token, ...(dialect === '' ? {} : { SCHED_DIALECT: dialect }) };
  let world: TestWorld;
  let lines: string[] = [];
  let send: Send | undefined;
  beforeAll(async () => {
    world = await createWorld({ env, ...(await dialectNamed(dialect)) });
    for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
    process.chdir(folder);
    const { stdout } = await world.run('schema');
    const { commands } = JSON.parse(stdout) as Described;
    lines = commands
      .filter(({ effect }) => effect === 'read')
      .flatMap(({ examples }) => examples)
      .map((line) => line.replace(/^sched /, ''))
      .filter((line) => !exempt.some(([pattern]) => pattern.test(line)))
      // They write files here.
      .filter((line) => !/ --(to|write-dialect) /.test(line));
    if (other !== '') send = otherService(world.service);
    const { code, stderr } = await world.run('mirror sync --yes', { home, ...(send && { send }) });
    expect(stderr).toContain('the mirror is complete');
    expect(code).toBe(0);
  });

  afterAll(() => process.chdir(before));

  test('answers read examples as the service does', async () => {
    const differing: string[] = [];
    const offline = async () => {
      throw new Error('a mirror sends nothing');
    };
    for (const line of sample(lines, 50)) {
      const words = splitCommandLine(line.includes('--json') ? line : `${line} --json`);
      const there = await world.run(words, { home, ...(send && { send }) });
      const here = await world.run(['--mirror', ...words], { home, send: offline, env: { SCHED_TOKEN: token } });
      if (there.code !== here.code || there.stdout !== here.stdout)
        differing.push(
          `${line}: ${there.code} ${there.stdout.length} ${here.code} ${here.stdout.length} ${here.stderr} / ${there.stderr}`,
        );
    }
    expect(
      differing.filter(
        (line) =>
          !reasons.some(([pattern, where]) => pattern.test(line) && ['*', dialect, token, other].includes(where)),
      ),
    ).toEqual([]);
  }, 200_000);
});
