import * as z from 'zod/mini';
import { allOperations } from '../../api/catalogue.ts';
import { inspect } from '../../api/inspect.ts';
import { oauthPaths } from '../../api/oauth-paths.ts';
import { plainErrors } from '../../api/wording.ts';
import { pageOperations } from '../pages/visit.ts';
import { dice } from '../seed/random.ts';

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
  'keep',
  'slow-token',
  'lost-token',
  'redirect',
] as const;

export type FaultKind = (typeof faultKinds)[number];

const wholeNumber = (least: number, most: number) => z.optional(z.int().check(z.gte(least), z.lte(most)));

const words = z.string('must be a string');
const printable = z.optional(words.check(z.regex(/^[\x20-\x7e]+$/, 'must be printable text')));
const wrongCount = 'must be a whole number from 1 up, or all';
const shareRange = 'must be a number from 0 to 1';
const wrongShare = 'must be a share of the people, such as 3%';
const wrongHeaders = 'must be an object with header names and printable values';

const GivenFault = z.strictObject(
  {
    kind: z.enum(faultKinds, `must be one of: ${faultKinds.join(', ')}`),
    /** `events.list`, `invitees.*`, `*`, `POST /invitees`, `GET /scheduled_events/*`, `oauth.token`. */
    operation: z.optional(words),
    /** The first matching request that it affects, counted from 1. */
    at: wholeNumber(1, 1e9),
    /** How many requests it affects; `null` means all, as `all` does. */
    count: z.optional(z.union([z.int().check(z.gte(1, wrongCount)), z.literal('all'), z.null()], wrongCount)),
    /** Affects this share of the matching requests at random; the same `seed` always gives the same sequence. */
    probability: z.optional(z.number(shareRange).check(z.gte(0, shareRange), z.lte(1, shareRange))),
    seed: wholeNumber(0, 2 ** 31),
    status: wholeNumber(200, 599),
    headers: z.optional(
      z.record(
        z.string().check(z.regex(/^[\w!#$%&'*+.^`|~-]+$/)),
        z.string(wrongHeaders).check(z.regex(/^[\t\x20-\x7e]*$/, wrongHeaders)),
        wrongHeaders,
      ),
    ),
    body: z.optional(words),
    ms: wholeNumber(0, 600_000),
    bytes: wholeNumber(0, 1e9),
    mib: wholeNumber(1, 1024),
    limit: wholeNumber(0, 1e6),
    /** The share of people whose data a deletion leaves: `3%`. The same people each time, for the same `seed`. */
    share: z.optional(z.string(wrongShare).check(z.regex(/^(?:100|\d{1,2}(?:\.\d+)?)%$/, wrongShare))),
    type: printable,
    location: printable,
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `unknown fault property "${issue.keys[0]}"` : 'a fault must be an object',
  },
);

/** A fault, and which requests it affects. */
export type Fault = Omit<z.output<typeof GivenFault>, 'operation' | 'at' | 'count'> & {
  operation: string;
  at: number;
  count: number | null;
};

/** Reads a fault from parsed JSON. Throws an error with the reason if it isn't valid. */
export const faultOf = (given: unknown): Fault => {
  const { data: fault, error } = GivenFault.safeParse(given, plainErrors);
  if (error) {
    const { path, message } = error.issues[0]!;
    throw new Error([...path.slice(0, 1), message].join(' '));
  }
  const isToken = fault.kind === 'slow-token' || fault.kind === 'lost-token';
  const isEndless = fault.probability !== undefined || fault.kind === 'repeat-cursor' || fault.kind === 'keep';
  const usual = isToken ? 'oauth.token' : fault.kind === 'keep' ? 'compliance.delete' : '*';
  const { operation = usual, at = 1, count = isEndless ? null : 1, ...rest } = fault;
  // Header names ignore case (RFC 9110 §5.1). In lower case, a scripted header replaces the service's own.
  const lower = ([name, value]: [string, string]) => [name.toLowerCase(), value];
  const headers = fault.headers && { headers: Object.fromEntries(Object.entries(fault.headers).map(lower)) };
  return { operation, at, count: count === 'all' ? null : count, ...rest, ...headers };
};

const shortValue = (name: string, text: string): unknown => {
  const field = Object.hasOwn(GivenFault.shape, name) ? GivenFault.shape[name as keyof Fault] : undefined;
  const isNumber = name === 'count' ? text !== 'all' : field !== undefined && inspect(field).type === 'number';
  return isNumber ? Number(text) : text;
};

/**
 * Reads `[OPERATION] KIND [name=value…]`, such as `events.list 503 at=2 header.retry-after=1`, or JSON. `keep=3%` is short
 * for `keep share=3%`.
 */
export const readFault = (text: string): Fault => {
  if (/^\s*\{/.test(text)) return faultOf(JSON.parse(text));
  const words = text
    .trim()
    .replace(/(^|\s)keep=(\S+)/, '$1keep share=$2')
    .split(/\s+/);
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

/** Reads one fault or a list: objects, or strings with the short form. */
export const readFaults = (given: unknown): Fault[] =>
  [given].flat().map((fault) => (typeof fault === 'string' ? readFault(fault) : faultOf(fault)));

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

/** Throws if the operation of a fault doesn't exist. Such a fault would silently have no effect. */
export const checkOperations = async (faults: readonly Fault[]): Promise<void> => {
  const names = faults.map(({ operation }) => operation).filter((name) => name !== '*' && !byPath.test(name));
  if (names.length === 0) return;
  const ofService = (await allOperations()).map(({ name }) => name);
  const operations = [...ofService, ...Object.keys(oauthPaths).map((verb) => `oauth.${verb}`), ...pageOperations];
  const unknown = names.find((name) => !operations.some((each) => wild(name).test(each)));
  if (unknown !== undefined) throw new Error(`Unknown operation "${unknown}" in a fault`);
};

const matchesRequest = ({ kind, operation, limit = 100 }: Fault, facts: RequestFacts): boolean => {
  if (kind === 'stale-cursor' && !facts.hasCursor) return false;
  if (kind === 'too-many-addresses' && facts.addresses <= limit) return false;
  const [, method, path] = byPath.exec(operation) ?? [];
  // People can look at pages while programs meet the faults of the service.
  if (operation === '*' && facts.operation?.startsWith('pages.')) return false;
  if (path === undefined) return wild(operation).test(facts.operation ?? '-');
  return method === facts.method && [facts.path, facts.template ?? ''].some((each) => wild(path).test(each));
};

const scripted = (fault: Fault, number: number) => ({
  number,
  fault,
  matched: 0,
  struck: 0,
  roll: dice(fault.seed ?? 1),
});

type ScriptedFault = ReturnType<typeof scripted>;

const strikes = ({ fault, matched, struck, roll }: ScriptedFault): boolean => {
  // Rolled for every match, so that `count` doesn't change later random results.
  const isChosen = fault.probability === undefined || roll(1_000_000) < fault.probability * 1_000_000;
  return isChosen && matched >= fault.at && (fault.count === null || struck < fault.count);
};

/** The list of faults. It counts requests, so call `next` once per request. */
export const createFaultScript = (first: readonly Fault[] = []) => {
  let entries: ScriptedFault[] = [];
  let last = 0;
  const add = (...faults: Fault[]) => {
    for (const fault of faults) entries.push(scripted(fault, ++last));
  };
  add(...first);
  return {
    get faults() {
      return entries.map(({ number, fault, matched, struck }) => ({ number, fault, matched, struck }));
    },
    add,
    clear() {
      entries = [];
    },
    /** Removes the fault with this number. False if there is none. */
    remove(number: number): boolean {
      const before = entries.length;
      entries = entries.filter((entry) => entry.number !== number);
      return entries.length < before;
    },
    /** The faults for this request, in the order they were added. */
    next: (facts: RequestFacts): Fault[] =>
      entries
        .filter((entry) => {
          if (!matchesRequest(entry.fault, facts)) return false;
          entry.matched += 1;
          if (!strikes(entry)) return false;
          entry.struck += 1;
          return true;
        })
        .map(({ fault }) => fault),
  };
};

export type FaultScript = ReturnType<typeof createFaultScript>;
