import { allOperations } from '../../api/catalogue.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { fallBack, SchedError } from '../../base/errors.ts';
import type { Context } from '../../cli/session/context.ts';
import { readDialect } from '../../cli/session/dialect-file.ts';
import { type Client, isRead } from '../../client/client.ts';
import { forbiddenBy, refusalOf } from '../../client/refusal.ts';
import type { Input } from '../../client/wire.ts';
import { addressOf, type Dialect, wireOf } from '../../dialects/dialect.ts';
import { shippedDialects } from '../../dialects/read.ts';
import type { Wire } from '../../dialects/schema.ts';
import type { HttpReply, HttpRequest } from '../../http/message.ts';
import type { Read, Records } from './api-reads.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import type { ProbeGroup } from './input.ts';

/** Parts of the probe. Each can be left out. */

export interface ApiFinding extends Finding {
  verdict: 'holds' | 'differs' | 'unknown';
  /** The request that it is about. The path has names in place of IDs. */
  seen: { method: 'GET'; path: string; status: number } | null;
  source: 'documented' | 'assumed';
}

/** Where a list begins, and how many rows to ask for. */
type Page = { count?: number; token?: string };

/** What a finding may have besides. */
interface More {
  status?: number | undefined;
  fix?: string | undefined;
  /** The address before a correction. */
  path?: string;
}

/** The service's words, without what differs from request to request. */
export const refusalWords = ({ facts: { reason = '' } }: SchedError, name?: string): string => {
  const words = reason.replace(/ \[request .*\]$/, '').replace(/\/\S*/g, '/PATH');
  return name === undefined ? words : words.replaceAll(name, 'NAME');
};

const about = { scope: "the token's scopes", plan: "the organization's plan", role: "the user's role" };

/** Why a failed read says nothing about the service's paths. No words of the service: they may name a record. */
export const whyUnclear = ({ error }: Read): string => {
  const status = error?.facts.http?.status;
  const none = error?.facts.http === undefined ? 'not sent' : 'no reply: the connection failed';
  const reply = status === undefined ? none : `the service replies ${status}`;
  return error?.category === 'forbidden'
    ? `${reply}, probably because of ${about[forbiddenBy(error.facts.reason ?? '')]}`
    : reply;
};

/** Sends the requests of a probe, and keeps what they show. */
export const createProber = async (context: Context, current: Dialect | undefined, only: readonly ProbeGroup[]) => {
  const { runtime } = context;
  const shipped: Dialect[] = [];
  for (const [place, text] of Object.entries(shippedDialects)) shipped.push(await readDialect({ place, text }));
  let dialect: Dialect = current ?? { dialect: 1, name: 'service', digest: '', place: '' };
  let client: Client = await context.client({ dialect });
  let requests = 0;
  /** An ID that no record has. */
  const nobody = `SCHEDPROBE${Buffer.from(runtime.randomBytes(8)).toString('hex').toUpperCase()}`;
  const findings: ApiFinding[] = [];
  /** What was seen of each correction, by operation. */
  const corrections = new Map<string, string>();
  /** Shipped dialects that some corrections come from. */
  const sources = new Set<Dialect>();
  const records: Records = new Map();
  /** What each list and read returned, by operation. */
  const readsByName = new Map<string, Read>();

  const speak = async (next: Dialect): Promise<void> => {
    dialect = next;
    client = await context.client({ dialect: next });
  };
  /** From now on, the service is asked in this form. */
  const change = (row: Operation, wire: Wire | false, evidence: string): Promise<void> => {
    corrections.set(row.name, evidence);
    return speak({ ...dialect, operations: { ...dialect.operations, [row.name]: wire } });
  };
  const addressIn = (row: Operation) => addressOf(dialect, row).path;
  /** Requests in a row that got no reply. */
  let lostReplies = 0;
  /** Counts a request. Only a service that can't be reached, or gives no reply three times in a row, ends the probe. */
  const attempt = async <Value>(send: () => Promise<Value>): Promise<Value | SchedError> => {
    requests += 1;
    try {
      const value = await send();
      lostReplies = 0;
      return value;
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      const { http, outcome } = error.facts;
      if (http === undefined) return error;
      lostReplies = http.status === undefined ? lostReplies + 1 : 0;
      if (lostReplies === 0) return error;
      if (outcome === 'not-sent' || lostReplies === 3) throw error;
      return error;
    }
  };
  const send = async (request: HttpRequest): Promise<HttpReply | undefined> => {
    const reply = await attempt(() => client.send(request));
    return reply instanceof SchedError ? undefined : reply;
  };

  return {
    findings,
    corrections,
    sources,
    records,
    readsByName,
    nobody,
    now: await context.askNow(),
    rows: (await allOperations()).filter(({ scope, server }) => scope !== undefined && server === undefined),
    wants: (group: ProbeGroup) => only.includes(group),
    /** The dialect with the corrections so far. */
    dialect: () => dialect,
    requests: () => requests,
    addressIn,
    offers: (row: Operation) => client.offers(row),
    /** Sends one read. */
    ask: async (row: Operation, input: Input, { count = 20, token }: Page = {}): Promise<Read> => {
      const read = await attempt(async (): Promise<Read> => {
        if (row.reply.kind !== 'many' && isRead(row)) return { rows: [await client.call(row, input)] };
        let nextToken: string | undefined;
        const onPage = (rest: { nextToken: string | undefined }) => {
          nextToken = rest.nextToken;
        };
        const from = token === undefined ? undefined : { token };
        for await (const rows of client.pages(row, input, { pageSize: count, from, onPage }))
          return { rows, nextToken };
        return { rows: [], nextToken };
      });
      return read instanceof SchedError ? { rows: [], error: read } : read;
    },
    /** The refusal of a request that no service understands, or undefined if there is none. */
    refusal: async (
      request: (client: Client) => HttpRequest | Promise<HttpRequest>,
    ): Promise<SchedError | undefined> => {
      const sentRequest = await request(client);
      const reply = await send(sentRequest);
      return reply === undefined || reply.status < 400 ? undefined : refusalOf(sentRequest, reply);
    },
    /** The status of GET at the address of a write. Nothing has the ID in it, so it is about path and method. */
    peek: async (row: Operation): Promise<number | undefined> => {
      const path = Object.fromEntries(pathParameters(row.path).map((name) => [name, nobody]));
      const knownValues = Object.fromEntries((row.knows ?? []).map((name) => [name, nobody]));
      const body = row.body?.shape.organization ? { organization: records.get('organizations') } : {};
      const write = await client
        .prepare(row, { path, known: knownValues, body })
        .catch(fallBack(undefined, 'usage', 'unavailable'));
      const get = client.prepareRaw({ method: 'GET', path: '' });
      return write && (await send({ ...get, url: write.url.split('?')[0]! }))?.status;
    },
    report: (
      group: ProbeGroup,
      check: string,
      row: Operation,
      verdict: ApiFinding['verdict'],
      finding: string,
      { status, fix, path = addressIn(row) }: More = {},
    ): void => {
      if (!only.includes(group)) return;
      const make = { holds: ok, differs: problem, unknown: note }[verdict];
      findings.push({
        ...make(`${group}.${check}`, finding, fix ?? null),
        verdict,
        seen: status === undefined ? null : { method: 'GET', path, status },
        source: row.assumed || group !== 'path' ? 'assumed' : 'documented',
      });
    },
    /** Whether the address of a write is also that of a read. */
    isReadToo: (row: Operation, reads: readonly Operation[]) =>
      reads.some((read) => client.offers(read) && addressIn(read) === addressIn(row)),
    /** Whether some services have a read at the address of a write. Its 404 is about the record, then. */
    mayBeRead: (row: Operation, reads: readonly Operation[]) =>
      reads.some((read) => read.optional && addressIn(read) === addressIn(row)),
    /** Tries the forms of an operation in the shipped dialects. The first one that works is used from now on. */
    correct: async (row: Operation, works: () => Promise<string | undefined>): Promise<string | undefined> => {
      const before = dialect;
      for (const other of shipped) {
        const wire = other.operations?.[row.name];
        if (!wire || JSON.stringify(wire) === JSON.stringify(before.operations?.[row.name])) continue;
        await change(row, wire, '');
        const evidence = await works();
        if (evidence === undefined) continue;
        corrections.set(row.name, evidence);
        sources.add(other);
        return `${other.name} has ${wire.path ?? 'another form'}, which works here (${evidence})`;
      }
      corrections.delete(row.name);
      await speak(before);
      return undefined;
    },
    /** The service doesn't have the operation. */
    drop: async (row: Operation, evidence: string): Promise<string> => {
      await change(row, false, evidence);
      return `${row.name}: false`;
    },
    /** The service doesn't have an input of the operation. */
    lack: async (row: Operation, name: string, why: string): Promise<string> => {
      const { lacks = [], ...wire } = wireOf(dialect, row) ?? {};
      const evidence = [corrections.get(row.name), `${name} ${why}`].filter(Boolean).join('; ');
      await change(row, { ...wire, lacks: [...lacks, name] }, evidence);
      return `${row.name}: { lacks: [${[...lacks, name].join(', ')}] }`;
    },
  };
};

export type Prober = Awaited<ReturnType<typeof createProber>>;
