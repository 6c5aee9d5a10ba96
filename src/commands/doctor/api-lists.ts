import type { Field } from '../../api/field.ts';
import { inspect } from '../../api/inspect.ts';
import { limits } from '../../api/limits.ts';
import type { Operation } from '../../api/operation.ts';
import { edgeOf } from '../../api/window.ts';
import { counted } from '../../base/numbers.ts';
import { isPaged } from '../../client/client.ts';
import type { Input } from '../../client/wire.ts';
import { wireOf } from '../../dialects/dialect.ts';
import { type Prober, refusalWords, whyUnclear } from './api-prober.ts';
import { inputFor, type Read } from './api-reads.ts';

/** The lists that tell whether paging and filters work. */
export const probedLists = ['events.list', 'invitees.list', 'event-types.list', 'members.list', 'invitations.list'];

const sharedNames = ['user', 'organization', 'count', 'page_token', 'sort'];

/** The filters of a list that every record can miss. */
export const listFilters = (row: Operation): [name: string, field: Field][] =>
  probedLists.includes(row.name)
    ? Object.entries(row.query?.shape ?? {}).filter(([name]) => !sharedNames.includes(name))
    : [];

const withQuery = (input: Input, query: Input['query']): Input => ({ ...input, query: { ...input.query, ...query } });

const statusOf = ({ error }: Read): number | undefined => (error === undefined ? 200 : error.facts.http?.status);

/** How a list is paged and sorted, found out at the first list with two rows. */
export const probePaging = async (prober: Prober): Promise<void> => {
  const { rows, readsByName, records, now, ask, report, lack } = prober;
  const isLong = (row: Operation) => isPaged(row) && (readsByName.get(row.name)?.rows.length ?? 0) > 1;
  const row = rows.find(isLong) ?? rows.find(({ name }) => name === 'events.list')!;
  const input = inputFor(row, records, now);
  if (!isLong(row) || typeof input === 'string') {
    for (const check of ['count', 'token', 'last-page', 'max', 'sort'])
      report('lists', check, row, 'unknown', 'no list with two records to try it with');
    return;
  }
  const tell = (check: string, read: Read, holds: boolean | undefined, finding: string, fix?: string) => {
    const verdict = read.error || holds === undefined ? 'unknown' : holds ? 'holds' : 'differs';
    report('lists', check, row, verdict, read.error ? whyUnclear(read) : finding, { status: statusOf(read), fix });
  };
  const one = await ask(row, input, { count: 1 });
  tell('count', one, one.rows.length === 1, `count=1 returns ${counted(one.rows.length, 'record')}`);
  const { nextToken: token } = one;
  if (token === undefined)
    tell('token', one, one.rows.length > 1 ? undefined : false, 'the page has no token of the next');
  else {
    const two = await ask(row, input, { count: 1, token });
    const isNext = two.rows[0] !== undefined && two.rows[0].uri !== one.rows[0]?.uri;
    tell('token', two, isNext, isNext ? 'the second page has another record' : 'the second page repeats the first');
  }
  const last = [...readsByName.values()].find(({ rows, error, nextToken }) => !error && rows.length < 20 && !nextToken);
  tell('last-page', last ?? one, last ? true : undefined, last ? 'a short page has no token' : 'no short page seen');
  const full = await ask(row, input, { count: limits.pageSize.max });
  const isRefused = full.error?.category === 'usage';
  const size = `a page of ${limits.pageSize.max} is ${isRefused ? 'refused' : 'accepted'}`;
  tell('max', isRefused ? { rows: [] } : full, !isRefused, size);
  if (row.name !== 'events.list' || wireOf(prober.dialect(), row)?.lacks?.includes('sort')) return;
  const timesIn = (read: Read) => read.rows.map((each) => String(each.start_time));
  const sortedRead = await ask(row, withQuery(input, { sort: 'start_time:desc' }));
  const times = timesIn(sortedRead);
  const isVaried = new Set(timesIn(readsByName.get(row.name)!)).size > 1;
  const isDescending = times.every((time, index) => index === 0 || time <= times[index - 1]!);
  const fix = isVaried && !sortedRead.error && !isDescending ? await lack(row, 'sort', 'is ignored') : undefined;
  tell(
    'sort',
    sortedRead,
    isVaried ? isDescending : undefined,
    isDescending ? 'desc sorts by start time' : 'ignored',
    fix,
  );
};

/** A value that the first record doesn't have, and that no record has if that can be. */
const otherValue = (name: string, field: Field, first: unknown, { nobody, records }: Prober) => {
  const { type, collection, choices } = inspect(field);
  if (type === 'boolean') return first !== true;
  if (choices !== undefined) return choices.find((choice) => choice !== first)!;
  if (collection !== undefined) return `${records.get('users')?.replace(/\/users\/.*/, '')}/${collection}/${nobody}`;
  const { edge } = edgeOf(name) ?? {};
  if (edge !== undefined) return edge === 'since' ? '2999-01-01T00:00:00Z' : '1971-01-01T00:00:00Z';
  // RFC 2606: no address under .invalid exists.
  return `${nobody}@sched.invalid`;
};

/** Whether the service knows the filters, and applies them. */
export const probeFilters = async (prober: Prober): Promise<void> => {
  const { rows, readsByName, records, now, ask, report } = prober;
  const rowOf = (list: string) => rows.find(({ name }) => name === list)!;
  const inputOf = (list: string) => inputFor(rowOf(list), records, now);
  const readable = probedLists.find(
    (list) => readsByName.get(list)?.error === undefined && typeof inputOf(list) !== 'string',
  );
  // What does this service say about a parameter that can't exist?
  const strange = readable
    ? await prober.refusal((client) =>
        client.prepare(rowOf(readable), withQuery(inputOf(readable) as Input, { sched_probe: prober.nobody })),
      )
    : undefined;
  const isStrict = strange?.category === 'usage';
  for (const [row, name, field] of rows.flatMap((row) => listFilters(row).map((filter) => [row, ...filter] as const))) {
    const list = row.name;
    const [check, before, input] = [`${list.split('.')[0]}.${name}`, readsByName.get(list), inputOf(list)];
    if (!prober.offers(row) || wireOf(prober.dialect(), row)?.lacks?.includes(name)) continue;
    if (typeof input === 'string' || before === undefined || before.error !== undefined) {
      report('filter', check, row, 'unknown', `${list} can't be read`);
      continue;
    }
    const [first] = before.rows;
    const read = await ask(row, withQuery(input, { [name]: otherValue(name, field, first?.[name], prober) }));
    const status = statusOf(read);
    const tell = (verdict: 'holds' | 'unknown', finding: string) =>
      report('filter', check, row, verdict, finding, { status });
    const differs = async (finding: string, why: string) =>
      report('filter', check, row, 'differs', finding, { status, fix: await prober.lack(row, name, why) });
    if (isStrict && read.error && refusalWords(read.error, name) === refusalWords(strange, 'sched_probe'))
      await differs('refused like a parameter that nobody knows', 'is unknown');
    else if (status === 404) tell('holds', '404 for a record that nobody has');
    else if (read.error) tell('unknown', whyUnclear(read));
    else if (first !== undefined && read.rows.some(({ uri }) => uri === first.uri))
      await differs(`ignored: ${counted(read.rows.length, 'record')} came back, also those without it`, 'is ignored');
    else if (first !== undefined) tell('holds', `${read.rows.length} of ${counted(before.rows.length, 'record')} left`);
    else if (isStrict) tell('holds', 'accepted, and unknown parameters are refused');
    else tell('unknown', 'no record to try it with');
  }
};
