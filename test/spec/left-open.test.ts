import { beforeAll, describe, expect, test } from 'vitest';
import { isObject } from '../../src/base/json.ts';
import { idIn } from '../../src/base/uri.ts';
import type { Send } from '../../src/http/message.ts';
import { createWorld, outputs } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';
import { type OpenPart, openParts } from './left-open.ts';

const mark = 'as-it-came';

const shapes: Record<string, unknown> = {
  'a text': mark,
  'a number': 7,
  'a list': [mark, { other: [mark] }, null],
  'an object with other keys': { other: mark, nested: { deeper: [1] } },
  nothing: null,
};

let world: Awaited<ReturnType<typeof createWorld>>;
/** The IDs that the lines and paths name. */
let ids: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ start: Date.parse('2026-11-16T08:00:00Z'), plan: 'enterprise' });
  const first = async (line: string) => (await world.run(`${line} -o id`)).stdout.split('\n')[0]!;
  const event = await first('events list --org current --event-type "Customer onboarding" --limit 1');
  ids = {
    TYPE: idIn(await first('event-types list')),
    EVENT: idIn(event),
    INVITEE: await first(`invitees list ${event}`),
    FORM: idIn(await first('routing-forms list')),
    GROUP: idIn(await first('groups list')),
    ORG: idIn(JSON.parse((await world.run('orgs get --json')).stdout).uri),
  };
  await world.run('webhooks create --url https://hooks.example/x --events invitee.created --yes');
});

const filled = (text: string, isPath = false): string =>
  text.replace(/[A-Z]{3,}/g, (name) => (isPath ? idIn(ids[name]!) : (ids[name] ?? name)));

/** Replaces the value at a place. */
const replaced = (value: unknown, [part, ...rest]: string[], shape: unknown): unknown => {
  if (part === undefined) return shape;
  if (Array.isArray(value))
    return value.map((item, index) => (part === '*' || part === String(index) ? replaced(item, rest, shape) : item));
  return isObject(value) ? { ...value, [part]: replaced(value[part], rest, shape) } : value;
};

/** The sandbox, but with another shape in one place. */
const sending =
  ({ of, method, at }: OpenPart, shape: unknown): Send =>
  async (request) => {
    const reply = await world.service(request);
    if (request.method !== (method ?? 'GET') || new URL(request.url).pathname !== filled(of, true)) return reply;
    const body = replaced(JSON.parse(reply.body), at === '' ? [] : at.split('.'), shape);
    return { ...reply, body: JSON.stringify(body) };
  };

const terminal = { terminals: outputs, columns: 400 };
const formats = { table: '', csv: ' -o csv', json: ' -o json' };
type Format = keyof typeof formats;

const cells = openParts.flatMap((part) =>
  Object.keys(shapes).flatMap((shape) =>
    (Object.keys(formats) as Format[]).map((format) => ({ part, of: part.of, at: part.at, shape, format })),
  ),
);

describe('left open by the documentation', () => {
  test.each(sample(cells, 1, ({ of }) => of))('$of $at as $shape is shown as it came ($format)', async (cell) => {
    const { part, shape, format } = cell;
    const isMarked = shape === 'a text' || shape.startsWith('an object');
    const outputs: string[] = [];
    for (const line of part.lines) {
      const output = line.includes(' -o ') || line.includes('agenda') ? '' : formats[format];
      const home = line.startsWith('compliance') ? temporaryDirectory('left-open') : '/dev/null/home';
      const options = { ...(format === 'table' ? terminal : {}), send: sending(part, shapes[shape]), home };
      const { code, stdout, stderr } = await world.run(filled(line) + output, options);
      // The random name of a directory can have any letters, even NaN.
      const text = `${stdout}${stderr}`.replaceAll(home, '~');
      expect([line, code, text]).not.toEqual([line, 1, text]);
      expect(text).not.toMatch(/undefined|\[object|NaN/);
      // A row without any value but its ID.
      expect(text).not.toMatch(/^[ –]*–[ –]*(?: [A-Z0-9]{8,} *)?$/m);
      // A reply that sched can't use at all is a clear error.
      outputs.push(code === 13 ? `${text}${mark}` : text);
    }
    const isDue = format === 'json' ? part.shown !== 'nowhere' : format === 'table' && part.shown === undefined;
    if (isMarked && isDue) expect(outputs.join('')).toContain(mark);
  });
});
