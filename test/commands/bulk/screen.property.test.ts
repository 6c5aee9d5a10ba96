import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainType, slot } from '../../support/lost-replies.ts';
import { createWorld, type Result } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { random, times } from '../../support/tier.ts';

/* What a message or a result counts, and the lines it names, are counted a second time from the kinds of lines in a file. */

const people = ['comment', 'blank', 'address', 'duplicate', 'invalid'] as const;
const bookings = ['good', 'duplicate', 'wrong'] as const;

/** Lines of random kinds. The first one is of the first kind that a duplicate can repeat. */
const randomKinds = <Kind extends string>(kinds: readonly Kind[], first: Kind, most: number): Kind[] => [
  first,
  ...Array.from({ length: 3 + Math.floor(random() * most) }, () => kinds[Math.floor(random() * kinds.length)]!),
];

/** The numbers of the lines of a kind, where the first line of `kinds` is number `first`. */
const linesOf = <Kind extends string>(kinds: readonly Kind[], wanted: Kind, first = 1): number[] =>
  kinds.flatMap((kind, index) => (kind === wanted ? [index + first] : []));

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
const worded = (all: readonly (readonly [count: number, text: string])[], between: string): string =>
  all.flatMap(([count, text]) => (count === 0 ? [] : [text])).join(between);

/** Line numbers as messages name them: twenty of them, and the number of the others. */
const named = (lines: readonly number[]): string =>
  `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ` and ${lines.length - 20} more` : ''}`;

const notesOf = ({ stderr }: Result): string[] =>
  stderr
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ note, warning, error }) => note ?? warning ?? error.message);

const homeWith = (name: string, text: string) => {
  const home = temporaryDirectory('counts');
  const path = join(home, name);
  writeFileSync(path, text);
  return { home, path, env: { SCHED_STATE_DIR: join(home, 'state'), SCHED_CACHE_DIR: join(home, 'cache') } };
};

describe('numbers and lines in messages are those of the file', () => {
  test.each(Array.from({ length: times(2, 100) }, (_, index) => index))('of a deletion: %i', async () => {
    const kinds = randomKinds(people, 'address', 200);
    const textOf = { comment: '# not sent', blank: '', duplicate: 'ADA.0@engine.example', invalid: 'nobody' };
    const lines = kinds.map((kind, index) => (kind === 'address' ? `ada.${index}@engine.example` : textOf[kind]));
    const { home, path, env } = homeWith('people.txt', `${lines.join('\n')}\n`);
    const world = await createWorld({ home, env });
    const of = (kind: (typeof people)[number]) => linesOf(kinds, kind);
    const [addresses, invalid] = [of('address'), of('invalid')];
    const size = 1 + Math.floor(random() * 6);
    const base = `compliance delete --from ${path} --batch-size ${size} --json`;
    const refused = await world.run(`${base} --yes --confirm ${addresses.length}`);
    if (invalid.length > 0) {
      const verb = invalid.length === 1 ? 'contains' : 'contain';
      const them = invalid.length === 1 ? 'it' : 'them';
      expect([refused.code, refused.requests]).toEqual([2, []]);
      expect(notesOf(refused).at(-1)).toBe(
        `${named(invalid)} ${verb} no email address; use --skip-invalid to skip ${them}`,
      );
    }
    const batches = addresses.flatMap((_, index) => (index % size === 0 ? [addresses.slice(index, index + size)] : []));
    const plan = JSON.parse((await world.run(`${base} --skip-invalid --dry-run`)).stdout);
    expect(plan).toMatchObject({
      addresses: addresses.length,
      duplicates: of('duplicate').length,
      invalid_lines: invalid,
      comments: of('comment').length,
      blank_lines: of('blank').length,
      batches: batches.length,
      requests: batches.map((batch) => ({ body: { emails: batch.map((line) => `[line ${line}]`) } })),
    });
    if (invalid.length === 0) return;
    const done = await world.run(`${base} --skip-invalid --yes --confirm ${addresses.length}`);
    const facts = { total: addresses.length, accepted: addresses.length, skipped: invalid.length };
    expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({ code: 0, ...facts });
    const left = worded(
      [
        [of('duplicate').length, plural(of('duplicate').length, 'duplicate')],
        [invalid.length, plural(invalid.length, 'invalid line')],
        [of('comment').length, plural(of('comment').length, 'comment')],
        [of('blank').length, plural(of('blank').length, 'blank line')],
      ],
      ', ',
    );
    expect(notesOf(done)).toContain(`Skipped in the input: ${left}`);
    expect(done.requests.filter(({ method }) => method === 'POST')).toHaveLength(batches.length);
  });

  test.each(Array.from({ length: times(1, 60) }, (_, index) => index))('of bookings: %i', async () => {
    const kinds = randomKinds(bookings, 'good', 28);
    const type = await plainType(await createWorld());
    const rows = kinds.map((kind, index) => {
      const start = slot(kind === 'duplicate' ? 0 : index);
      return [type, start, 'guest@engine.example', 'Ada', kind === 'wrong' ? 'Nowhere' : 'UTC'].join(',');
    });
    const { home, path, env } = homeWith('people.csv', `event_type,start,email,name,timezone\n${rows.join('\n')}\n`);
    const world = await createWorld({ home, env });
    const [good, duplicates, wrong] = bookings.map((kind) => linesOf(kinds, kind, 2)) as [number[], number[], number[]];
    const base = `invitees create --from ${path} --json --yes`;
    const refused = await world.run(base);
    const more = duplicates.length === 1 ? 'repeats' : 'repeat';
    const mistakes = `${wrong.length} of ${kinds.length} lines ${wrong.length === 1 ? 'has' : 'have'} a problem`;
    const repeated = `${duplicates.length} ${wrong.length === 0 ? `of ${kinds.length} lines ` : ''}${more} another one`;
    const skip = `use --skip-invalid to skip ${wrong.length + duplicates.length === 1 ? 'it' : 'them'}`;
    if (wrong.length + duplicates.length > 0) {
      expect([refused.code, refused.requests.filter(({ method }) => method === 'POST')]).toEqual([2, []]);
      const facts = worded(
        [
          [wrong.length, mistakes],
          [duplicates.length, repeated],
        ],
        ', and ',
      );
      expect(notesOf(refused)).toContain(`${facts}. Nothing was sent; ${skip}`);
      if (duplicates.length > 0)
        expect(notesOf(refused)).toContain(
          `${named(duplicates)}: it books the same event type, start and email as line 2`,
        );
    }
    const done = wrong.length + duplicates.length > 0 ? await world.run(`${base} --skip-invalid`) : refused;
    const facts = { total: good.length, accepted: good.length, rejected: 0, unknown: 0, skipped: wrong.length };
    expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({
      code: wrong.length > 0 ? 11 : 0,
      ...facts,
    });
    expect(done.requests.filter(({ method }) => method === 'POST')).toHaveLength(good.length);
    if (wrong.length > 0) expect(notesOf(done)).toContain(`Not all meetings were booked: ${wrong.length} skipped`);
  });
});
