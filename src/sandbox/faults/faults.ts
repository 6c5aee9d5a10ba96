import { loadCatalogue } from '../../api/catalogue.ts';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { pageOperations } from '../pages/visit.ts';
import { dice, type Roll } from '../random.ts';

/** The kinds of faults. docs/sandbox.md describes them. */
export const faultKinds = [
  'status',
  'delay',
  'reset-before',
  'reset-after',
  'truncate',
  'drip',
  'garbage',
  'html',
  'wrong-content-type',
  'gzip-bomb',
  'foreign-next-page',
  'repeat-cursor',
  'stale-cursor',
  'hostile-strings',
  'no-rate-headers',
  'absurd-rate-headers',
  'too-many-addresses',
  'slow-token',
  'lost-token',
  'redirect',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** A fault, and which requests it affects. */
export interface Fault {
  kind: FaultKind;
  /** `events.list`, `invitees.*`, `*`, `POST /invitees`, `GET /scheduled_events/*`, `oauth.token`. */
  operation: string;
  /** The first matching request that it affects, counted from 1. */
  at: number;
  /** How many requests it affects; `null` means all. */
  count: number | null;
  /** Affects this share of the matching requests at random; the same `seed` always gives the same sequence. */
  probability?: number;
  seed?: number;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  ms?: number;
  bytes?: number;
  mib?: number;
  limit?: number;
  type?: string;
  location?: string;
}

const numbers: Record<string, { least: number; most: number; whole: boolean }> = {
  at: { least: 1, most: 1e9, whole: true },
  probability: { least: 0, most: 1, whole: false },
  seed: { least: 0, most: 2 ** 31, whole: true },
  status: { least: 200, most: 599, whole: true },
  ms: { least: 0, most: 600_000, whole: true },
  bytes: { least: 0, most: 1e9, whole: true },
  mib: { least: 1, most: 1024, whole: true },
  limit: { least: 0, most: 1e6, whole: true },
};

const texts = ['operation', 'kind', 'body', 'type', 'location'];

const isText = (value: unknown): value is string => typeof value === 'string';

const isHeader = ([name, value]: [string, unknown]) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && isText(value) && /^[\t\x20-\x7e]*$/.test(value);

/** The problem with a property's value, or `undefined` if it is valid. */
const problemWith = (name: string, value: unknown): string | undefined => {
  const bounds = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  if (bounds !== undefined) {
    const { least, most, whole } = bounds;
    const isValid = typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value));
    return isValid ? undefined : `${name} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}`;
  }
  if (name === 'count') {
    const isValid = value === null || value === 'all' || (Number.isInteger(value) && (value as number) > 0);
    return isValid ? undefined : 'count must be a whole number from 1 up, or all';
  }
  if (name === 'headers') {
    const isValid = typeof value === 'object' && value !== null && Object.entries(value).every(isHeader);
    return isValid ? undefined : 'headers must be an object with header names and printable values';
  }
  if (!texts.includes(name)) return `unknown fault property "${name}"`;
  return isText(value) ? undefined : `${name} must be a string`;
};

/** Reads a fault from parsed JSON. Throws an error with the reason if it isn't valid. */
export const faultOf = (given: unknown): Fault => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('a fault must be an object');
  for (const [name, value] of Object.entries(given)) {
    const problem = problemWith(name, value);
    if (problem !== undefined) throw new Error(problem);
  }
  const fault = given as Partial<Fault>;
  if (fault.kind === undefined || !faultKinds.includes(fault.kind))
    throw new Error(`kind must be one of: ${faultKinds.join(', ')}`);
  if ([fault.type, fault.location].some((text) => text !== undefined && !/^[\x21-\x7e ]+$/.test(text)))
    throw new Error('type and location must be printable text');
  const isToken = fault.kind === 'slow-token' || fault.kind === 'lost-token';
  const isEndless = fault.probability !== undefined || fault.kind === 'repeat-cursor';
  const usual = { operation: isToken ? 'oauth.token' : '*', at: 1, count: isEndless ? null : 1 };
  // Header names ignore case (RFC 9110 §5.1). In lower case, a scripted header replaces the service's own.
  const lower = ([name, value]: [string, string]) => [name.toLowerCase(), value];
  const headers = fault.headers && { headers: Object.fromEntries(Object.entries(fault.headers).map(lower)) };
  const count = (fault.count as unknown) === 'all' ? { count: null } : {};
  return { ...usual, ...fault, ...headers, ...count, kind: fault.kind };
};

const shortValue = (name: string, text: string): unknown => {
  const isNumber = Object.hasOwn(numbers, name) || (name === 'count' && text !== 'all');
  return isNumber ? Number(text) : text;
};

/** Reads `[OPERATION] KIND [name=value…]`, such as `events.list 503 at=2 header.retry-after=1`, or JSON. */
export const readFault = (text: string): Fault => {
  if (/^\s*\{/.test(text)) return faultOf(JSON.parse(text));
  const words = text.trim().split(/\s+/);
  const isKind = (word: string) => (faultKinds as readonly string[]).includes(word) || /^[2-5]\d\d$/.test(word);
  const place = words.findIndex(isKind);
  if (place < 0) throw new Error(`"${text}" is not a fault: use a status code or one of ${faultKinds.join(', ')}`);
  const kind = words[place]!;
  const fault: Record<string, unknown> = /^\d/.test(kind) ? { kind: 'status', status: Number(kind) } : { kind };
  if (place > 0) fault.operation = words.slice(0, place).join(' ');
  for (const word of words.slice(place + 1)) {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(word) ?? [];
    if (name === undefined) throw new Error(`"${word}" must be name=value`);
    if (!name.startsWith('header.')) fault[name] = shortValue(name, value!);
    else fault.headers = { ...(fault.headers as object), [name.slice('header.'.length)]: value };
  }
  return faultOf(fault);
};

/** Reads faults from JSON: objects, or strings with the short form. */
export const readFaults = (text: string): Fault[] =>
  [JSON.parse(text)].flat().map((fault) => (typeof fault === 'string' ? readFault(fault) : faultOf(fault)));

export interface RequestFacts {
  method: string;
  /** Path without the query. */
  path: string;
  /** The path with parameter names, if it is one of the service's paths. */
  template?: string | undefined;
  /** Such as `events.list`. */
  operation?: string | undefined;
  hasCursor: boolean;
  addresses: number;
}

const wild = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);

/** Matches `GET /scheduled_events/*`. */
const byPath = /^([A-Z]+) (\/.*)$/;

/** The first fault operation that doesn't exist. Such a fault would silently have no effect. */
export const unknownOperation = async (faults: readonly Fault[]): Promise<string | undefined> => {
  const named = faults.map(({ operation }) => operation).filter((name) => name !== '*' && !byPath.test(name));
  if (named.length === 0) return undefined;
  const ofService = Object.entries({ ...(await loadCatalogue()), oauth: oauthPaths }).flatMap(([noun, verbs]) =>
    Object.keys(verbs).map((verb) => `${noun}.${verb}`),
  );
  const known = [...ofService, ...pageOperations];
  return named.find((name) => !known.some((each) => wild(name).test(each)));
};

const matchesRequest = ({ kind, operation, limit = 100 }: Fault, asked: RequestFacts): boolean => {
  if (kind === 'stale-cursor' && !asked.hasCursor) return false;
  if (kind === 'too-many-addresses' && asked.addresses <= limit) return false;
  const [, method, path] = byPath.exec(operation) ?? [];
  // People can look at pages while programs meet the faults of the service.
  if (operation === '*' && asked.operation?.startsWith('pages.')) return false;
  if (path === undefined) return wild(operation).test(asked.operation ?? '-');
  return method === asked.method && [asked.path, asked.template ?? ''].some((each) => wild(path).test(each));
};

interface ScriptedFault {
  fault: Fault;
  matched: number;
  struck: number;
}

/** The list of faults. It counts requests, so call `next` once per request. */
export interface FaultScript {
  readonly faults: readonly ScriptedFault[];
  add(...faults: Fault[]): void;
  clear(): void;
  /** The faults for this request, in the order they were added. */
  next(asked: RequestFacts): Fault[];
}

const strikes = (entry: ScriptedFault, roll: Roll): boolean => {
  const { fault, matched, struck } = entry;
  // Rolled for every match, so that `count` doesn't change later random results.
  const isChosen = fault.probability === undefined || roll(1_000_000) < fault.probability * 1_000_000;
  return isChosen && matched >= fault.at && (fault.count === null || struck < fault.count);
};

export const createFaultScript = (first: readonly Fault[] = []): FaultScript => {
  let entries: Array<ScriptedFault & { roll: Roll }> = [];
  const script: FaultScript = {
    get faults() {
      return entries.map(({ fault, matched, struck }) => ({ fault, matched, struck }));
    },
    add(...faults) {
      for (const fault of faults) entries.push({ fault, matched: 0, struck: 0, roll: dice(fault.seed ?? 1) });
    },
    clear() {
      entries = [];
    },
    next: (asked) =>
      entries
        .filter((entry) => {
          if (!matchesRequest(entry.fault, asked)) return false;
          entry.matched += 1;
          if (!strikes(entry, entry.roll)) return false;
          entry.struck += 1;
          return true;
        })
        .map(({ fault }) => fault),
  };
  script.add(...first);
  return script;
};
