import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate, staleFiles } from '../../scripts/docs/generate.ts';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Field } from '../../src/api/field.ts';
import { inspect } from '../../src/api/inspect.ts';
import { spell } from '../../src/base/words.ts';
import { operationsOf } from '../../src/cli/help/command-help.ts';
import { views } from '../../src/cli/operation/views.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { buildTree } from '../../src/cli/parse/tree.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const operations = Object.entries(await loadCatalogue()).flatMap(([noun, rows]) =>
  Object.entries(rows).map(([verb, operation]) => ({ words: `${noun} ${verb}`, noun, verb, operation })),
);

const tree = await buildTree();

/** All nested fields by path, through objects, arrays and unions. */
const fieldsBelow = (field: Field, path: string): [string, Field][] => {
  const { fields = {}, element, options = [] } = inspect(field);
  return [
    ...Object.entries(fields).flatMap(([name, inner]): [string, Field][] => [
      [`${path}.${name}`, inner],
      ...fieldsBelow(inner, `${path}.${name}`),
    ]),
    ...(element === undefined ? [] : fieldsBelow(element, `${path}[]`)),
    ...options.flatMap((option, index) => fieldsBelow(option, `${path}|${index}`)),
  ];
};

describe('coverage: no operation lacks', () => {
  const reference = read('docs/reference.md');

  test.each(operations)('a command, documentation or a view: $words', ({ noun, verb, operation }) => {
    const commands = tree.commands.find((each) => each.name() === noun)?.commands as Leaf[];
    const leaf = commands.find(({ definition }) => operationsOf(definition).some((each) => each === operation));
    expect(leaf?.description(), 'a command').toBe(leaf?.definition.summary);
    // An operation that a command uses without its argument has no command of its own.
    const isOwn = leaf?.definition.alternative !== operation;
    expect(commands.some((each) => each.name() === verb)).toBe(isOwn);
    const words = `${noun} ${leaf?.name()}`;
    expect(reference).toContain(`#### sched ${words}\n`);
    expect(reference).toContain(`\`${operation.method} ${operation.path}\`${operation.assumed ? ' (assumed)' : ''}`);
    expect(Object.keys(views)).toContain(operation.reply.of.name);
  });

  test.each(operations)('a description of any field: $words', ({ operation }) => {
    const fields = [
      ...fieldsBelow(operation.reply.of.record, 'reply'),
      ...(operation.query === undefined ? [] : fieldsBelow(operation.query, 'query')),
      ...(operation.body === undefined ? [] : fieldsBelow(operation.body, 'body')),
    ];
    expect(fields.filter(([, field]) => (inspect(field).description ?? '') === '').map(([path]) => path)).toEqual([]);
  });
});

describe('coverage: every command', () => {
  const leaves = tree.commands.flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands) as Leaf[]);

  test.each(leaves.map((leaf) => [leaf.definition.examples[0], leaf] as const))(
    'has a summary, an example, and descriptions of its flags and arguments: %s',
    (_, leaf) => {
      const { definition: command } = leaf;
      expect(command.summary).not.toBe('');
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { name, description } of [...command.flags, ...command.arguments]) {
        expect(spell(description), name).not.toBe('');
      }
    },
  );
});

test('coverage: generated files are up to date (if not: npm run generate)', async () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const paths = files.filter((file) => file.endsWith('.ts')).map((file) => `src/${file}`);
  const sources = Object.fromEntries(paths.map((path) => [path, read(path)]));
  const made = await generate({ sources, changelog: read('CHANGELOG.md') });
  expect(Object.keys(made).filter((path) => !existsSync(join(root, path)) || made[path] !== read(path))).toEqual([]);
  expect(staleFiles(made, readdirSync(join(root, 'man')))).toEqual([]);
});
