import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { plainErrors, problemOf } from '../../src/api/wording.ts';
import { createWorld, isWrite } from '../support/run.ts';

const problems = (schema: z.ZodMiniType, value: unknown): string[] =>
  (schema.safeParse(value, plainErrors).error?.issues ?? []).map(({ path, message }) =>
    problemOf(path.join('.') || 'it', message),
  );

describe('wording', () => {
  test.each<[z.ZodMiniType, unknown, string]>([
    [z.string(), undefined, 'it is missing'],
    [z.string(), 3, 'it must be text'],
    [z.boolean(), 'yes', 'it must be true or false'],
    [z.array(z.string()), 'a', 'it must be a list'],
    [z.strictObject({}), null, 'it must be an object'],
    [z.int().check(z.gte(1), z.lte(720)), 0, 'it must be a whole number from 1 to 720'],
    [z.optional(z.int().check(z.gte(1), z.lte(720))), 721, 'it must be a whole number from 1 to 720'],
    [z.int().check(z.gte(1)), 'x', 'it must be a whole number from 1 up'],
    [z.int().check(z.lte(9)), 10, 'it must be a whole number up to 9'],
    [z.int(), 1e20, 'it must be a whole number'],
    [z.int(), 1.5, 'it must be a whole number'],
    [z.string().check(z.minLength(1)), '', 'it must not be empty'],
    [z.string().check(z.minLength(3)), 'a', 'it must have at least 3 characters'],
    [z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'it must have at most 1 item'],
    [z.enum(['a', 'b']), 'c', 'it must be one of a, b'],
    [z.literal(1), 2, 'it must be 1'],
    [z.email(), 'x', 'it must be an email address'],
    [z.iso.datetime({ offset: true }), 'x', 'it must be a time such as 2026-12-01T15:00:00Z'],
    [z.string().check(z.regex(/^#/)), 'x', 'it has the wrong format'],
    [z.string().check(z.regex(/^#/, 'begin with #')), 'x', 'it: begin with #'],
    [z.strictObject({}), { a: 1, b: 2 }, 'it has unknown fields: a, b'],
    [z.union([z.string(), z.boolean()]), 1, 'it must be one of the supported kinds'],
  ])('explains problem %#', (schema, value, words) => expect(problems(schema, value)).toEqual([words]));

  test('names the path of a nested field', () =>
    expect(problems(z.object({ a: z.object({ b: z.string() }) }), { a: {} })).toEqual(['a.b is missing']));
});

describe('command', () => {
  test.each([
    ['event-types create --name X --duration ten', '', '--duration must be a whole number, not "ten"'],
    ['event-types create --name X --duration 1.5', '', '--duration must be a whole number, not "1.5"'],
    ['event-types create --name= --duration 30', '', '--name must not be empty'],
    ['event-types create --name X --event-color red', '', '--event-color must be # and six hex digits, not "red"'],
    [
      'event-types update YBL6DUNR9FS4PNP6 --body -',
      '{"name":3,"duration":"x","kind":"q"}',
      '--name must be text; --duration must be a whole number; the body has unknown fields: kind',
    ],
    ['profiles add five --from -', '{}', 'base_url is missing'],
    [
      'profiles add five --from -',
      '{"base_url":3,"output":"x","foo":1}',
      'base_url must be text; output must be one of table, json, jsonl, csv, tsv, yaml, id; the profile has unknown fields: foo',
    ],
  ])('%s explains the problem and sends nothing', async (line, stdin, words) => {
    const { run } = await createWorld();
    const { code, stdout, stderr, requests } = await run(line, { stdin });
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `error: ${words}`]);
    expect(requests.filter(isWrite)).toEqual([]);
  });
});
