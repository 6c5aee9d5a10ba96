import type { Operation } from '../../api/operation.ts';
import { fallBack } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { shownUrl } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import { isRead } from '../../client/client.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { isSuccess } from '../../http/message.ts';
import { listFilters, probedLists, probeFilters, probePaging } from './api-lists.ts';
import { createProber, type Prober, refusalWords, whyUnclear } from './api-prober.ts';
import { inputFor, type Read, rememberRecord } from './api-reads.ts';
import type { ProbeGroup } from './input.ts';

const describeRead = ({ reply: { of } }: Operation, { rows: [first, ...more] }: Read): string => {
  if (first === undefined) return '200, no records';
  const fields = Object.entries(of.record.shape);
  const knownFields = fields.filter(([name]) => Object.hasOwn(first, name));
  const missing = fields.filter((field) => !knownFields.includes(field)).map(([name]) => name);
  const others = knownFields
    .filter(([name, field]) => first[name] !== null && !field.safeParse(first[name]).success)
    .map(([name]) => name);
  // A name of the service may be any text, so only a plain one is shown.
  const unknown = Object.keys(first).filter((name) => !Object.hasOwn(of.record.shape, name) && /^\w{1,40}$/.test(name));
  const words = { missing, 'of another type': others, unknown };
  const differences = Object.entries(words).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`; ${what}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`],
  );
  const total = `200, ${counted(more.length + 1, 'record')}, ${knownFields.length} of ${fields.length} fields`;
  return `${total}${differences.join('')}`;
};

const isMe = ({ name }: Operation): boolean => name === 'users.me';

const probeReads = async (prober: Prober, reads: readonly Operation[], { identity }: Context): Promise<void> => {
  const { ask, report, records, readsByName } = prober;
  const unknownPath = await prober.refusal((client) => client.prepareRaw({ method: 'GET', path: `/${prober.nobody}` }));
  const isUnknownPath = ({ error }: Read): boolean =>
    error?.facts.http?.status === 404 &&
    unknownPath?.facts.http?.status === 404 &&
    refusalWords(error) === refusalWords(unknownPath);

  for (const row of reads) {
    const [isOffered, path] = [prober.offers(row), prober.addressIn(row)];
    if (!isOffered && !row.optional) continue;
    const input = inputFor(row, records, prober.now);
    if (typeof input === 'string') {
      if (isOffered) report('path', row.name, row, 'unknown', `no ${input} to try it with`);
      continue;
    }
    let read: Read = isOffered ? await ask(row, input) : { rows: [] };
    if (isMe(row) && read.error?.category === 'auth') throw read.error;
    const { error } = read;
    const status = error === undefined ? 200 : error.facts.http?.status;
    const isReshaped = error !== undefined && isSuccess({ status: status ?? 0 });
    if (isOffered && !isReshaped && !isUnknownPath(read))
      report('path', row.name, row, error ? 'unknown' : 'holds', error ? whyUnclear(read) : describeRead(row, read), {
        status,
      });
    else {
      const fix = await prober.correct(row, async () => {
        read = await ask(row, input);
        return read.error ? undefined : `200, ${counted(read.rows.length, 'record')}`;
      });
      const finding = isReshaped ? `200, but ${refusalWords(error)}` : '404, as for an unknown path';
      if (!isOffered && fix)
        report('path', row.name, row, 'holds', `${fix}, so a dialect can name it`, { status: 200 });
      else if (!isOffered) continue;
      else {
        const isLacking = fix === undefined && row.reply.kind === 'many';
        const more = { status, path, fix: isLacking ? await prober.drop(row, finding) : fix };
        report('path', row.name, row, 'differs', finding, more);
      }
    }
    rememberRecord(records, row, read.rows);
    readsByName.set(row.name, read);
    for (const part of isMe(row) ? (['user', 'organization'] as const) : []) {
      if (records.has(`${part}s`)) continue;
      // The settings may say what the service doesn't.
      const uri = await identity[part]().catch(
        fallBack('', 'forbidden', 'usage', 'not-found', 'integrity', 'unavailable'),
      );
      if (uri !== '') records.set(`${part}s`, uri);
    }
  }
};

/** GET at a write's address shows whether it exists, at a service that tells wrong methods from wrong paths. */
const probeWrites = async (
  prober: Prober,
  writes: readonly Operation[],
  reads: readonly Operation[],
): Promise<void> => {
  const { peek, report } = prober;
  let tellsMethods = false;
  // The first one, the cancellation, is documented: it shows how the service replies to wrong methods.
  for (const row of writes) {
    const path = prober.addressIn(row);
    const status = await peek(row);
    tellsMethods ||= row.name === 'events.cancel' && status === 405;
    if (status === 405) report('path', row.name, row, 'holds', 'GET replies 405, so the path exists', { status });
    else if (status === 404 && tellsMethods && !prober.mayBeRead(row, reads)) {
      const fix = await prober.correct(row, async () => {
        if (prober.isReadToo(row, reads)) return '200 to GET';
        return (await peek(row)) === 405 ? '405 to GET' : undefined;
      });
      report('path', row.name, row, 'differs', 'GET replies 404, and 405 to other writes', { status, path, fix });
    } else {
      const isTelling = status !== 404 || tellsMethods;
      const why = isTelling ? 'that says nothing about the path' : 'this service replies 404 to wrong methods too';
      report('path', row.name, row, 'unknown', `GET replies ${status ?? 'nothing'}, and ${why}`, { status });
    }
  }
};

/** Finds out by reads how a service differs from the catalogue, or from its dialect. */
export const probeApi = async (
  context: Context,
  dialect: Dialect | undefined,
  only: readonly ProbeGroup[],
): Promise<Prober> => {
  const prober = await createProber(context, dialect, only);
  const { rows, wants } = prober;
  const isNeeded = ({ name }: Operation) => wants('path') || probedLists.includes(name);
  const reads = [...rows.filter(isMe), ...rows.filter((row) => isRead(row) && !isMe(row) && isNeeded(row))];
  const allWrites = wants('path') ? rows.filter((row) => !isRead(row) && prober.offers(row)) : [];
  const writes = () => allWrites.filter((row) => !prober.isReadToo(row, reads));
  const connection = await context.connection();
  const filters = rows.reduce((sum, row) => sum + listFilters(row).length, 1);
  const requestCount = 1 + reads.length + writes().length + (wants('lists') ? 4 : 0) + (wants('filter') ? filters : 0);
  context.notes.info(`Probing ${shownUrl(connection.baseUrl, connection)}: about ${requestCount} requests, reads only`);
  await probeReads(prober, reads, context);
  await probeWrites(prober, writes(), reads);
  if (wants('lists')) await probePaging(prober);
  if (wants('filter')) await probeFilters(prober);
  const untriedNames = allWrites.filter((row) => prober.isReadToo(row, reads)).map(({ name }) => name);
  if (untriedNames.length > 0)
    context.notes.info(`Not tried, because only a write would show it: ${untriedNames.join(', ')}`);
  return prober;
};
