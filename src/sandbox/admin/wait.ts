import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, recordsIn } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import type { Clock } from '../../base/system.ts';

/** How often it asks whether something has come. */
const pauseMilliseconds = 50;
const mostListed = 5;

interface Awaited {
  /** The admin request that lists the records, and the name of their list in its reply. */
  path: string;
  list: string;
  plural: string;
  /** Whether a record counts already. A delivery that was never sent, or a request without a reply, is on its way. */
  isThere(record: Json): boolean;
  /** A record in few words. */
  name(record: Json): string;
}

/** What a program can wait for. In a mark, the last number of each kind stands in this order. */
export const awaited = {
  delivery: {
    path: 'deliveries',
    list: 'deliveries',
    plural: 'deliveries',
    isThere: ({ attempts }) => recordsIn(attempts).length > 0,
    name: ({ event, url, state }) => `${event} to ${url} (${state})`,
  },
  notice: {
    path: 'notices',
    list: 'notices',
    plural: 'notices',
    isThere: () => true,
    name: ({ kind, to }) => `${kind} to ${to}`,
  },
  request: {
    path: 'log',
    list: 'log',
    plural: 'requests',
    isThere: ({ milliseconds }) => milliseconds !== null,
    name: ({ method, path, status }) => `${method} ${path} (${status ?? 'no reply'})`,
  },
} as const satisfies Record<string, Awaited>;

export type WaitKind = keyof typeof awaited;

export const waitKinds = Object.keys(awaited) as WaitKind[];

export const markOf = (numbers: Record<WaitKind, number>): string => waitKinds.map((kind) => numbers[kind]).join('.');

export const isMark = (text: string): boolean => /^\d{1,15}\.\d{1,15}\.\d{1,15}$/.test(text);

const numberIn = (mark: string, kind: WaitKind): number => Number(mark.split('.')[waitKinds.indexOf(kind)]);

/** Whether a record has these fields. Objects in them may have more fields, lists must be the same. */
export const hasFields = (record: unknown, fields: unknown): boolean =>
  isObject(fields) && isObject(record)
    ? Object.entries(fields).every(([name, value]) => hasFields(record[name], value))
    : isDeepStrictEqual(record, fields);

interface WaitOptions {
  /** A mark, to count what has come since then. Without one, only what comes from now on counts. */
  since?: string | undefined;
  timeoutMs: number;
  clock: Pick<Clock, 'sleep'>;
  /** Sends an admin request of a running sandbox. */
  ask(path: string): Promise<Json>;
}

/** The first record that matches, or a sentence that says what has come instead. */
export const waitFor = async (
  kind: WaitKind,
  matches: (record: Json) => boolean,
  { since, timeoutMs, clock, ask }: WaitOptions,
): Promise<{ found: Json } | { missed: string }> => {
  const { path, list, plural, isThere, name }: Awaited = awaited[kind];
  const mark = String((await ask('mark')).mark);
  const first = numberIn(since ?? mark, kind);
  if (first > numberIn(mark, kind)) throw new Error('The mark is older than the last restore or reset of the data');
  const end = new AbortController();
  let isOver = false;
  clock.sleep(timeoutMs, end.signal).then(
    () => {
      isOver = true;
    },
    () => {},
  );
  try {
    for (;;) {
      const isLast = isOver;
      const records = recordsIn((await ask(`${path}?since=${first}`))[list])
        .filter(isThere)
        .sort((one, other) => Number(one.number) - Number(other.number));
      const found = records.find(matches);
      if (found !== undefined) return { found };
      if (isLast) {
        const names = records.slice(-mostListed).map(name).join(', ');
        const before = since === undefined ? `No ${kind} came while it waited` : `No ${kind} came after the mark`;
        const others = `${counted(records.length, `other ${kind}`, `other ${plural}`)} came: ${names}`;
        return { missed: records.length === 0 ? before : others };
      }
      await clock.sleep(pauseMilliseconds);
    }
  } finally {
    end.abort();
  }
};
