import { readFileSync } from 'node:fs';
import { compileErrors, validate } from '@readme/openapi-parser';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adminCalls } from '../../../src/sandbox/admin/admin-calls.ts';
import { adminOpenapi, openapi } from '../../../src/sandbox/server/openapi.ts';
import { loadTranscripts } from '../../spec/transcript.ts';
import { runs, sample } from '../../support/tier.ts';
import { openWorld, type World } from '../world.ts';
import { fromSchema } from './from-schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any document
type Json = any;

const described: Json = await openapi('0.0.0', 'http://127.0.0.1:4010');
const describedCalls: Json = adminOpenapi('0.0.0', 'http://127.0.0.1:4010');

const operations = Object.entries(described.paths).flatMap(([path, methods]: [string, Json]) =>
  Object.entries(methods).map(([method, operation]: [string, Json]) => ({
    path,
    method: method.toUpperCase(),
    operation,
  })),
);

/** Some URIs of existing records, so that not every request ends in a 404. */
const urisIn = async ({ store }: World): Promise<string[]> =>
  [
    'users',
    'organizations',
    'groups',
    'event_types',
    'events',
    'invitees',
    'routing_forms',
    'submissions',
    'schedules',
  ].flatMap((table) =>
    store.all<{ uri: string }>(`SELECT doc ->> 'uri' AS uri FROM ${table} LIMIT 3`).map(({ uri }) => uri),
  );

interface Made {
  method: string;
  url: string;
  body?: string;
}

const requestsFrom = (uris: string[]): fc.Arbitrary<Made> => {
  const ids = fc.constantFrom(...uris.map((uri) => uri.split('/').at(-1)!));
  // The document describes references as strings; half of the generated ones refer to existing records.
  const value = (schema: Json) => {
    const own = fromSchema(schema);
    return schema.type === 'string' && !schema.enum ? fc.oneof(own, fc.constantFrom(...uris)) : own;
  };
  return fc.oneof(
    ...operations.map(({ path, method, operation }) => {
      const parameters = (place: string) => operation.parameters.filter((each: Json) => each.in === place);
      const inPath = fc.record(
        Object.fromEntries(
          parameters('path').map(({ name, schema }: Json) => [name, fc.oneof(ids, fromSchema(schema))]),
        ),
      );
      const query = fc.record(
        Object.fromEntries(parameters('query').map(({ name, schema }: Json) => [name, value(schema)])),
        { requiredKeys: parameters('query').flatMap(({ name, required }: Json) => (required ? [name] : [])) },
      );
      const schema = operation.requestBody?.content['application/json'].schema;
      const properties = Object.entries(schema?.properties ?? {}).map(([name, each]) => [name, value(each)]);
      const body =
        schema === undefined
          ? fc.constant(undefined)
          : schema.properties
            ? fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] })
            : fromSchema(schema);
      return fc.record({ inPath, query, body }).map((made): Made => {
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String((made.inPath as Json)[name])));
        const search = new URLSearchParams(
          Object.entries(made.query).map(([name, each]): [string, string] => [name, String(each)]),
        );
        return {
          method,
          url: `http://127.0.0.1:4010${filled}?${search}`,
          ...(made.body === undefined ? {} : { body: JSON.stringify(made.body) }),
        };
      });
    }),
  );
};

describe('openapi', () => {
  test.each(sample(Object.entries({ openapi: described, 'openapi --admin': describedCalls }), 1))(
    '%s passes an independent validator',
    async (_, document) => {
      const result = await validate(structuredClone(document));
      expect(result.valid ? '' : compileErrors(result)).toBe('');
    },
  );

  test('states the default page size, unique values, rate limit headers and conflicts', () => {
    const { parameters, responses } = described.paths['/groups'].get;
    expect(parameters.find(({ name }: { name: string }) => name === 'count').schema).toMatchObject({ default: 20 });
    for (const status of ['200', '401', '429'])
      expect(Object.keys(responses[status].headers)).toContain('x-ratelimit-remaining');
    expect(Object.keys(described.paths['/invitees'].post.responses)).toContain('409');
    const body = described.paths['/shares'].post.requestBody.content['application/json'].schema;
    expect(body.properties.duration_options).toMatchObject({ maxItems: 4, uniqueItems: true });
  });

  test('describes each operation once, at the address that the documentation of the service has', async () => {
    const transcripts = Object.entries(await loadTranscripts());
    expect(operations).toHaveLength(transcripts.length);
    for (const [command, { line }] of transcripts) {
      const name = command.replace(' ', '.');
      const [method, address] = line.split(' ');
      const path = new URL(address!, 'http://api.example').pathname;
      const found = operations.filter(({ operation }) => operation.operationId === name);
      expect(found.map((each) => [name, each.method])).toEqual([[name, method]]);
      expect(path).toMatch(new RegExp(`^${found[0]!.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
    }
  });

  test('yields requests that never cause a server error', async () => {
    const world = await openWorld({ isSentBothWays: true });
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requestsFrom(await urisIn(world)), async ({ method, url, body }) => {
        const headers = {
          authorization: 'Bearer sandbox_owner',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        };
        // The test world throws if a reply doesn't match its row, and on internal errors.
        const { status } = await world.send({ method, url, headers, ...(body === undefined ? {} : { body }) });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status).toBeLessThan(500);
      }),
      { ...runs(100, 1000), endOnFailure: true },
    );
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  });
});

describe('openapi --admin', () => {
  test('describes every admin request once, as the page does', () => {
    const ids = Object.values(describedCalls.paths).flatMap((methods: Json) =>
      Object.values(methods).map(({ operationId }: Json) => operationId),
    );
    expect([ids.length, new Set(ids).size]).toEqual([adminCalls.length, adminCalls.length]);
    const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    for (const { method, path } of adminCalls)
      expect(page).toContain(`\`${method} ${path.slice('/__sandbox/'.length)}\``);
    expect(describedCalls.components.securitySchemes.secret).toMatchObject({ in: 'header', name: 'x-sandbox-admin' });
  });
});
