import { basename, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { NoAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { dialectSetting, loadDialect, readDialect } from '../../cli/session/dialect-file.ts';
import { statIfAny } from '../../state/directories.ts';
import { diskTrouble, realDisk } from '../../state/disk.ts';
import { probeApi } from './api-probe.ts';
import type { ApiFinding, Prober } from './api-prober.ts';
import { changedSince } from './baseline.ts';
import type { DoctorInput } from './input.ts';
import { findingsView, reportOf } from './screen.ts';

/** A comment. The service's text must not end it. */
const comment = (text: string): string => `# ${text.replace(/[^\x20-\x7e]/g, '?')}`;

const joinNames = (operations: Iterable<string>): string => [...operations].join(', ');

/** The current dialect with the corrections, as a file. */
const dialectText = ({ dialect, corrections, sources, findings, now }: Prober, file: string): string => {
  const { digest: _, place: __, dialect: version, operations = {}, ...known } = dialect();
  const name = basename(file)
    .toLowerCase()
    .replace(/\.[a-z]+$/, '')
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  const day = new Date(now).toISOString().slice(0, 10);
  const top = Object.entries({ dialect: version, ...known, name: name || known.name });
  const openFindings = findings.filter(({ verdict, fix }) => verdict === 'differs' && fix === null);
  const others = [...sources].map((source) => ({
    source,
    names: Object.keys(source.operations ?? {}).filter((each) => !Object.hasOwn(operations, each)),
  }));
  return [
    comment(`Written by doctor --api of sched on ${day}. Reads show paths and shapes, not what a write does.`),
    ...top.filter(([, value]) => value !== undefined).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
    `operations:${Object.keys(operations).length === 0 ? ' {}' : ''}`,
    ...Object.entries(operations).flatMap(([key, wire]) => [
      ...(corrections.has(key) ? [`  ${comment(`seen: ${corrections.get(key)}, ${day}`)}`] : []),
      `  ${key}: ${JSON.stringify(wire)}`,
    ]),
    ...openFindings.map(({ check, finding }) => comment(`not corrected: ${check}: ${finding}`)),
    ...others.map(({ source, names }) =>
      comment(`${source.name} also differs in ${joinNames(names)}: reads can't tell.`),
    ),
    '',
  ].join('\n');
};

const verdictWords = { holds: 'holds', differs: "doesn't", unknown: 'unknown' };
/** The words for a terminal, which shows only what differs. */
const screenWords = { holds: 'ok', differs: 'failed', unknown: 'unknown' };

const countOf = (findings: readonly ApiFinding[], verdict: ApiFinding['verdict']): number =>
  findings.filter((each) => each.verdict === verdict).length;

/** The findings as rows. With `summary`, a terminal reads what it is about in words of its own. */
const findingsAnswer = (
  findings: readonly ApiFinding[],
  { isAll, summary, requests }: { isAll: boolean; summary?: string | undefined; requests?: string },
): RowsAnswer => ({
  kind: 'rows',
  view: findingsView,
  pages: [[...findings]],
  report: ({ isTerminal }) => {
    const [passed, failed, unknown] = (['holds', 'differs', 'unknown'] as const).map((each) => countOf(findings, each));
    const onScreen = `${failed === 0 ? 'ok · ' : ''}${passed} passed, ${failed} failed, ${unknown} unknown ${requests}`;
    const words = isTerminal ? screenWords : verdictWords;
    const shownFindings = isTerminal && !isAll ? findings.filter(({ verdict }) => verdict !== 'holds') : findings;
    return {
      ...reportOf(shownFindings, ({ verdict }) => words[verdict]),
      summary: summary !== undefined && isTerminal ? onScreen : summary,
    };
  },
});

/** `sched doctor --api`: what holds at this service. */
export const runApi = async (values: DoctorInput, context: Context): Promise<RowsAnswer | NoAnswer> => {
  const { runtime, settings } = context;
  const file = values.writeDialect === undefined ? undefined : resolve(values.writeDialect);
  // The probe may take minutes, so a file that is in the way is reported first.
  if (file !== undefined && statIfAny(file) !== undefined) throw diskTrouble('write', file, { code: 'EEXIST' });
  const dialect =
    values.dialect === undefined ? await context.dialect() : await loadDialect(dialectSetting(values.dialect), runtime);
  const probe = await probeApi(context, dialect, values.only);
  const { findings } = probe;
  if (values.baseline !== undefined) {
    const service = new URL((await context.connection()).baseUrl).origin;
    const changes = await changedSince(resolve(values.baseline), service, findings, runtime);
    if (changes === undefined)
      return { kind: 'nothing', hints: [`Wrote ${values.baseline} with ${counted(findings.length, 'finding')}`] };
    const changed = findingsAnswer(changes, { isAll: true });
    if (changes.length === 0) return { ...changed, footers: ['Nothing has changed since the last run'] };
    const change = `${counted(changes.length, 'finding')} changed since the last run`;
    return { ...changed, failure: new SchedError('conflict', change) };
  }
  if (file !== undefined) {
    const text = dialectText(probe, file);
    await readDialect({ place: file, text });
    await realDisk.create(file, text, Buffer.from(runtime.randomBytes(8)).toString('hex'));
  }
  const [hold, differ, unknown] = (['holds', 'differs', 'unknown'] as const).map((each) => countOf(findings, each));
  const requests = `(${probe.requests()} requests)`;
  const summary = `${hold} hold, ${differ} don't, ${unknown} unknown ${requests}`;
  const isOpen = findings.some(({ verdict, fix }) => verdict === 'differs' && (file === undefined || fix === null));
  const use = `. To use it, set SCHED_DIALECT, or: ${commandHere(context, 'profiles', 'set', 'dialect', file ?? '')}`;
  const hint = { flags: { 'write-dialect': 'dialect.yaml' } };
  return {
    ...findingsAnswer(findings, { isAll: settings.verbose, summary: isOpen ? undefined : summary, requests }),
    // The built-in sandbox speaks no dialect.
    hints: file === undefined ? [] : [`Wrote ${file}${settings.sandbox ? '' : use}`],
    failure: isOpen ? new SchedError('environment', summary, file === undefined ? { hint } : {}) : undefined,
  };
};
