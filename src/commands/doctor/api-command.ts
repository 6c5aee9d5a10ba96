import { basename, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { dialectSetting, loadDialect, readDialect } from '../../cli/session/dialect-file.ts';
import { statIfAny } from '../../state/directories.ts';
import { diskTrouble, realDisk } from '../../state/disk.ts';
import { probeApi } from './api-probe.ts';
import type { ApiFinding, Prober } from './api-prober.ts';
import { changedSince } from './baseline.ts';
import type { DoctorInput } from './input.ts';

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

/** `sched doctor --api`: prints with `show` what holds at this service. */
export const runApi = async (
  values: DoctorInput,
  context: Context,
  show: (findings: ApiFinding[], summary: string) => Promise<void>,
): Promise<void> => {
  const { runtime, notes } = context;
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
      return notes.info(`Wrote ${values.baseline} with ${counted(findings.length, 'finding')}`);
    await show(changes, '');
    if (changes.length === 0) return notes.footer('Nothing has changed since the last run');
    throw new SchedError('conflict', `${counted(changes.length, 'finding')} changed since the last run`);
  }
  if (file !== undefined) {
    const text = dialectText(probe, file);
    await readDialect({ place: file, text });
    await realDisk.create(file, text, Buffer.from(runtime.randomBytes(8)).toString('hex'));
  }
  const countOf = (verdict: ApiFinding['verdict']) => findings.filter((each) => each.verdict === verdict).length;
  const counts = `${countOf('holds')} hold, ${countOf('differs')} don't, ${countOf('unknown')} unknown`;
  const summary = `${counts} (${probe.requests()} requests)`;
  const isOpen = findings.some(({ verdict, fix }) => verdict === 'differs' && (file === undefined || fix === null));
  await show(findings, isOpen ? '' : summary);
  if (file !== undefined) {
    const use = `. To use it, set SCHED_DIALECT, or: ${commandHere(context, 'profiles', 'set', 'dialect', file)}`;
    // The built-in sandbox speaks no dialect.
    notes.info(`Wrote ${file}${context.settings.sandbox ? '' : use}`);
  }
  if (!isOpen) return;
  const hint = { flags: { 'write-dialect': 'dialect.yaml' } };
  throw new SchedError('environment', summary, file === undefined ? { hint } : {});
};
