import { loadCatalogue } from '../../api/catalogue.ts';
import { inspect } from '../../api/inspect.ts';
import { inputSchema, outputSchema } from '../../api/json-schema.ts';
import { nounOf, type Operation, pathParameters, type Resource } from '../../api/operation.ts';
import { scopes } from '../../api/scopes.ts';
import { adminHeader } from '../admin/admin.ts';
import { adminCalls } from '../admin/admin-calls.ts';
import { snapshotName } from '../store/snapshots.ts';

type JsonObject = Record<string, unknown>;

/** `event type` ⇒ `EventType`. */
const componentName = ({ name }: Resource): string =>
  name.replace(/(?:^|\s)(\w)/g, (_, letter: string) => letter.toUpperCase());

const reference = (resource: Resource): JsonObject => ({ $ref: `#/components/schemas/${componentName(resource)}` });

const nullableText = { type: ['string', 'null'] };

const pagination: JsonObject = {
  type: 'object',
  required: ['count'],
  properties: {
    count: { type: 'integer', description: 'records in this page' },
    next_page: nullableText,
    previous_page: nullableText,
    next_page_token: nullableText,
    previous_page_token: nullableText,
  },
};

const errorSchema: JsonObject = {
  type: 'object',
  required: ['title', 'message'],
  properties: {
    title: { type: 'string' },
    message: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: { parameter: { type: 'string' }, message: { type: 'string' }, code: { type: 'string' } },
      },
    },
    required_scopes: { type: 'array', items: { type: 'string' } },
  },
};

const rateLimitHeaders = Object.fromEntries(
  Object.entries({
    'x-ratelimit-limit': 'ceiling for the current request',
    'x-ratelimit-remaining': 'requests left in the current window',
    'x-ratelimit-reset': 'seconds until a retry is allowed',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

const jsonContent = (schema: JsonObject): JsonObject => ({ content: { 'application/json': { schema } } });

/** The schema of a successful reply, with its envelope. */
const success = ({ reply }: Operation): JsonObject => {
  if (reply.kind === 'bare') return reference(reply.of);
  if (reply.kind === 'one') {
    return { type: 'object', required: ['resource'], properties: { resource: reference(reply.of) } };
  }
  return {
    type: 'object',
    required: ['collection', 'pagination'],
    properties: {
      collection: { type: 'array', items: reference(reply.of) },
      pagination: { $ref: '#/components/schemas/Pagination' },
    },
  };
};

const failures: Record<string, string> = {
  400: 'Invalid Argument',
  401: 'Unauthenticated',
  403: 'Permission Denied, or Insufficient scope',
  404: 'Resource Not Found',
  409: 'Already Exists',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
};

/** Operations that something else can stand against: a booking at the same time, or that it was done already. */
const canConflict = new Set([
  ...['invitees.create', 'invitees.no-show', 'events.cancel', 'webhooks.create'],
  ...['invitations.create', 'invitations.revoke'],
]);

/** Status codes of the errors that an operation can return. */
export const failuresOf = ({ name, method, scope }: Operation): string[] => [
  '400',
  ...(scope === undefined ? [] : ['401', '403', '429']),
  '404',
  ...(canConflict.has(name) ? ['409'] : []),
  ...(method === 'GET' ? [] : ['415']),
];

const parameters = (
  { path, query }: Pick<Operation, 'query'> & { path: string },
  pattern = '^[A-Za-z0-9_-]{1,128}$',
): JsonObject[] => [
  ...pathParameters(path).map((name) => ({ name, in: 'path', required: true, schema: { type: 'string', pattern } })),
  ...Object.entries(query?.shape ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    required: !inspect(field).isOptional,
    description: inspect(field).description,
    schema: inputSchema(field),
  })),
];

const describe = (row: Operation): JsonObject => ({
  operationId: row.name,
  tags: [nounOf(row)],
  summary: row.summary,
  ...(row.assumed
    ? { description: 'Assumed: the documentation mentions this operation, but not its request and response fields.' }
    : {}),
  security: row.scope === undefined ? [] : [{ oauth: [row.scope] }, { token: [] }],
  parameters: parameters(row),
  ...(row.body === undefined ? {} : { requestBody: { required: true, ...jsonContent(inputSchema(row.body)) } }),
  responses: {
    [row.reply.status]: {
      description: 'Success',
      headers: rateLimitHeaders,
      ...(row.reply.status === 204 ? {} : jsonContent(success(row))),
    },
    ...Object.fromEntries(
      failuresOf(row).map((status) => [
        status,
        {
          description: failures[status],
          headers: rateLimitHeaders,
          ...jsonContent({ $ref: '#/components/schemas/Error' }),
        },
      ]),
    ),
  },
});

const infoOf = (title: string, version: string, origin: string): JsonObject => ({
  openapi: '3.1.0',
  info: { title, version, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: origin, description: 'built-in sandbox' }],
});

/** An OpenAPI 3.1 description of the admin interface, generated from the calls that answer it. */
export const adminOpenapi = (version: string, origin: string): JsonObject => {
  const paths: Record<string, JsonObject> = {};
  const refusal = { description: 'Refused', ...jsonContent({ $ref: '#/components/schemas/Error' }) };
  for (const { method, path, summary, query, body, reply, status = 200 } of adminCalls) {
    const words = path
      .replace('/__sandbox/', '')
      .replaceAll(/\{\w+\}\//g, '')
      .split('/');
    const operation = {
      operationId: [method.toLowerCase(), ...words.filter((word) => !word.startsWith('{'))].join('_'),
      tags: [words[0]],
      summary,
      parameters: parameters({ path, query }, snapshotName.source),
      ...(body === undefined ? {} : { requestBody: { required: true, ...jsonContent(inputSchema(body)) } }),
      responses: { [status]: { description: 'Success', ...jsonContent(outputSchema(reply)) }, '4XX': refusal },
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    ...infoOf('Admin interface of the sandbox', version, origin),
    security: [{ secret: [] }],
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        secret: { type: 'apiKey', in: 'header', name: adminHeader, description: 'SCHED_SANDBOX_ADMIN of sandbox env' },
      },
    },
  };
};

/** An OpenAPI 3.1 description of the service at this origin, generated from the catalogue. */
export const openapi = async (version: string, origin: string): Promise<JsonObject> => {
  const catalogue = await loadCatalogue();
  const paths: Record<string, JsonObject> = {};
  const schemas: JsonObject = { Error: errorSchema, Pagination: pagination };
  for (const row of Object.values(catalogue).flatMap((rows) => Object.values(rows))) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describe(row) };
    schemas[componentName(row.reply.of)] = outputSchema(row.reply.of.record);
  }
  return {
    ...infoOf('Scheduling service', version, origin),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'personal access token' },
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${origin}/oauth/authorize`,
              tokenUrl: `${origin}/oauth/token`,
              refreshUrl: `${origin}/oauth/token`,
              scopes,
            },
          },
        },
      },
    },
  };
};
