import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allOperations } from '../../src/api/catalogue.ts';
import { inspect } from '../../src/api/inspect.ts';
import { inputSchema, outputSchema } from '../../src/api/json-schema.ts';
import { type Operation, pathParameters } from '../../src/api/operation.ts';
import { readDialect } from '../../src/cli/session/dialect-file.ts';
import { createClient, isRead } from '../../src/client/client.ts';
import { gather } from '../../src/client/paginate.ts';
import type { Input } from '../../src/client/wire.ts';
import { type Dialect, wireOf } from '../../src/dialects/dialect.ts';
import { shippedDialects } from '../../src/dialects/read.ts';
import type { Wire } from '../../src/dialects/schema.ts';
import { placeholdersIn } from '../../src/dialects/template.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';
import { speak } from '../../src/sandbox/dialect.ts';
import { fromSchema } from '../sandbox/server/from-schema.ts';
import { runs } from '../support/tier.ts';

const root = 'https://api.example.com';
const my = { user: `${root}/users/U1`, organization: `${root}/organizations/O1` };

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);

type Values = Record<string, never>;

/** Generates values for a query or a body. Other records are referred to by URI. */
const valuesOf = (field: Operation['body'], lacks: readonly string[] = []): fc.Arbitrary<Values> => {
  if (field === undefined) return fc.constant({});
  return fc
    .tuple(fromSchema(inputSchema(field)), fc.array(id, { minLength: 12, maxLength: 12 }))
    .map(([values, ids]) => {
      const known = Object.entries(values as Values).filter(([name]) => !lacks.includes(name));
      return Object.fromEntries(
        known.map(([name, value], index) => {
          const { collection } = inspect(field.shape[name]!);
          return [name, collection === undefined ? value : `${root}/${collection}/${ids[index]}`];
        }),
      ) as Values;
    });
};

const inputOf = (row: Operation, { lacks }: Wire): fc.Arbitrary<Input> =>
  fc.record({
    path: fc.record(Object.fromEntries(pathParameters(row.path).map((name) => [name, id]))),
    query: valuesOf(row.query, lacks),
    ...(row.body === undefined ? {} : { body: valuesOf(row.body, lacks) }),
    known: fc.record(Object.fromEntries((row.knows ?? []).map((name) => [name, id]))),
  });

const clientIn = (dialect?: Dialect, send: (request: HttpRequest) => Promise<HttpReply> = () => expect.fail()) =>
  createClient({
    baseUrl: root,
    send,
    sendPlain: send,
    dialect,
    names: { user: async () => my.user, organization: async () => my.organization, root: async () => root },
  });

/** A color may be sent in lower case. */
const lowered = (key: string, value: unknown) => (key === 'color' ? String(value).toLowerCase() : value);

/** What counts in a request. */
const comparable = ({ method, url, body }: HttpRequest) => {
  const { pathname, searchParams } = new URL(url);
  return { method, pathname, query: [...searchParams].sort(), body: JSON.parse(body ?? '{}', lowered) };
};

/** What a service needs and the command knows is sent as if it was given. */
const withNeeded = ({ body, known = {}, ...input }: Input, { needs = [] }: Wire): Input => {
  const needed = Object.fromEntries(needs.map((name) => [name, known[name]]));
  return { ...input, known, ...(body === undefined ? {} : { body: { ...needed, ...(body as object) } }) };
};

const rows = await allOperations();

describe.each(Object.keys(shippedDialects))('the dialect %s', async (name) => {
  const dialect: Dialect = {
    ...(await readDialect({ place: name, text: shippedDialects[name]! })),
    digest: '',
    place: '',
  };
  const changed = rows.filter((row) => dialect.operations![row.name]);

  /** The address doesn't name the record, so only the service can tell which one is meant. */
  const isUnserved = (row: Operation): boolean => {
    const wire = wireOf(dialect, row)!;
    const named = placeholdersIn([wire.path ?? row.path, wire.query ?? {}, wire.body ?? {}]).map((each) => each.name);
    return !pathParameters(row.path).every((each) => named.includes(each));
  };

  test('changes some operations', () => {
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.filter(isUnserved).map((row) => row.name)).toEqual(['availability.update']);
  });

  test.each(changed.filter((row) => !isUnserved(row)).map((row) => [row.name, row] as const))(
    '%s: the sandbox reads the request that the client sends',
    async (_, row) => {
      await fc.assert(
        fc.asyncProperty(inputOf(row, wireOf(dialect, row)!), async (input) => {
          const sent = await clientIn(dialect).prepare(row, input);
          const received: HttpRequest[] = [];
          await speak(dialect)(async (request) => {
            received.push(request);
            return { status: 500, headers: {}, body: '' };
          })(sent);
          const plain = { ...dialect, operations: { [row.name]: {} } };
          expect(received.map(comparable)).toEqual([
            comparable(await clientIn(plain).prepare(row, withNeeded(input, wireOf(dialect, row)!))),
          ]);
        }),
        runs(8, 500),
      );
    },
  );

  const readable = changed.filter((row) => !wireOf(dialect, row)!.reply?.read_back && row.reply.status !== 204);
  test.each(readable.map((row) => [row.name, row] as const))(
    '%s: the client reads the reply that the sandbox sends',
    async (_, row) => {
      const wire = wireOf(dialect, row)!;
      const mentioned = placeholdersIn(wire.reply?.record).map((each) => each.name.split('.')[0]!);
      await fc.assert(
        fc.asyncProperty(
          inputOf(row, wire),
          fc.array(fromSchema(outputSchema(row.reply.of.record)), { minLength: 1, maxLength: 3 }),
          async (input, records) => {
            const [first] = records;
            const own = { many: { collection: records }, one: { resource: first }, bare: first }[row.reply.kind];
            const serve = speak(dialect)(async () => ({ status: 200, headers: {}, body: JSON.stringify(own) }));
            const client = clientIn(dialect, serve);
            const read = () => (row.reply.kind === 'many' ? gather(client.pages(row, input)) : readOne());
            const readOne = async () => (isRead(row) ? [await client.call(row, input)] : []);
            const seen = isRead(row) ? await read() : [(await client.write(row, input)).record];
            const shown = (record: unknown) =>
              Object.fromEntries(
                Object.entries(record as object).filter(
                  ([field]) => mentioned.length === 0 || mentioned.includes(field),
                ),
              );
            // A record may show what was asked for, too.
            const constants = Object.entries(wire.reply?.record ?? {}).filter(
              ([, each]) => placeholdersIn(each).length === 0,
            );
            const asked = [
              ...constants,
              ...Object.entries(input.query ?? {}).filter(([name]) => mentioned.includes(name)),
            ];
            const expected = records
              .slice(0, row.reply.kind === 'many' ? 3 : 1)
              .map((record) => ({ ...Object.fromEntries(asked), ...shown(record) }));
            expect(row.method !== 'GET' && row.reply.kind === 'many' ? [{ collection: expected }] : expected).toEqual(
              seen,
            );
          },
        ),
        runs(5, 300),
      );
    },
  );
});
