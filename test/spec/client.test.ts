import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Noun } from '../../src/api/collections.ts';
import { type Operation, pathParameters } from '../../src/api/operation.ts';
import type { Json } from '../../src/base/json.ts';
import { createClient, isRead } from '../../src/client/client.ts';
import type { Input } from '../../src/client/wire.ts';
import { authorize } from '../../src/http/authorize.ts';
import type { HttpRequest, Send } from '../../src/http/message.ts';
import { loadTranscripts, type Transcript } from './transcript.ts';

const catalogue = await loadCatalogue();
const transcripts = await loadTranscripts();
const operations = Object.entries(catalogue).flatMap(([noun, rows]) =>
  Object.keys(rows).map((verb) => `${noun} ${verb}`),
);

const rowOf = (name: string): Operation => {
  const [noun, verb] = name.split(' ') as [Noun, string];
  const row = catalogue[noun]?.[verb];
  if (row === undefined) throw new Error(`the catalogue has no ${name}`);
  return row;
};

const origin = 'https://api.example.com';
const paging = ['count', 'page_token'];

/** The client input that produces the transcript's request, with IDs by their names in the row's path. */
const inputOf = (row: Operation, { line, body }: Transcript): { input: Input; count?: number } => {
  const url = new URL(line.slice(line.indexOf(' ') + 1), origin);
  const pattern = new RegExp(`^${row.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([A-Z_]+)')}$`);
  const ids = pattern.exec(url.pathname)?.slice(1) ?? [];
  const query = Object.fromEntries([...url.searchParams].filter(([name]) => !paging.includes(name)));
  const count = url.searchParams.get('count');
  return {
    input: {
      path: Object.fromEntries(pathParameters(row.path).map((name, index) => [name, ids[index] ?? 'NOT_IN_THE_PATH'])),
      query,
      ...(body === undefined ? {} : { body: body as Json }),
    },
    ...(count === null ? {} : { count: Number(count) }),
  };
};

/** Runs the client through one exchange; the network replies with the transcript. */
const exchange = async (name: string) => {
  const transcript = transcripts[name]!;
  const row = rowOf(name);
  const requests: HttpRequest[] = [];
  const network: Send = async (request) => {
    requests.push(request);
    return {
      status: transcript.status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(transcript.reply),
    };
  };
  const credentials = { current: async () => ({ token: 'ACCESS_TOKEN', origin }) };
  const client = createClient({
    baseUrl: origin,
    mcpUrl: 'https://mcp.example.com',
    send: authorize(credentials)(network),
    sendPlain: network,
  });
  const { input, count } = inputOf(row, transcript);
  let answer: unknown;
  if (!isRead(row)) {
    const { record } = await client.write(row, input);
    answer = row.reply.kind === 'many' ? record?.collection : record;
  } else if (row.reply.kind === 'many') {
    const pages = client.pages(row, input, count === undefined ? {} : { pageSize: count });
    answer = (await pages.next()).value;
    await pages.return(undefined);
  } else answer = await client.call(row, input);
  return { transcript, requests, answer };
};

const recordsOf = ({ reply }: Transcript, { kind }: Operation['reply']): unknown[] =>
  kind === 'many' ? (reply.collection as unknown[]) : [kind === 'one' ? reply.resource : reply];

describe('client', () => {
  test('has exactly one transcript per operation', () => {
    expect(Object.keys(transcripts).toSorted()).toEqual(operations.toSorted());
  });
});

describe.each(Object.keys(transcripts))('client: %s', (name) => {
  test('sends exactly what the documentation shows', async () => {
    const { transcript, requests } = await exchange(name);
    const [method, target] = transcript.line.split(' ');
    // Other fields of a request are internal and not sent.
    const wire = requests.map(({ method, url, headers, body }) => ({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body }),
    }));
    expect(wire).toEqual([
      {
        method,
        url: target!.startsWith('/') ? `${origin}${target}` : target,
        headers: { ...transcript.headers, 'user-agent': `sched/${manifest.version}` },
        ...(transcript.body === undefined ? {} : { body: JSON.stringify(transcript.body) }),
      },
    ]);
  });

  test('returns the reply unchanged', async () => {
    const { transcript, answer } = await exchange(name);
    const { kind } = rowOf(name).reply;
    const expected = recordsOf(transcript, rowOf(name).reply);
    // Compared as text, so that the order of keys counts too.
    expect(JSON.stringify(answer)).toBe(JSON.stringify(kind === 'many' ? expected : expected[0]));
  });

  test('has a row with exactly the documented status and fields', () => {
    const { reply, body } = rowOf(name);
    const transcript = transcripts[name]!;
    expect(reply.status).toBe(transcript.status);
    for (const record of recordsOf(transcript, reply)) {
      expect(Object.keys(reply.of.record.shape).toSorted()).toEqual(Object.keys(record as object).toSorted());
      expect(reply.of.record.safeParse(record).error?.issues ?? []).toEqual([]);
    }
    expect(body === undefined).toBe(transcript.body === undefined);
    if (body === undefined) return;
    expect(body.safeParse(transcript.body).error?.issues ?? []).toEqual([]);
    expect(Object.keys(body.shape).toSorted()).toEqual(Object.keys(transcript.body as object).toSorted());
  });
});
