import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { typedLine } from '../../base/shell-quote.ts';
import type { LeafCommand } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import type { Here } from '../../cli/messages/suggested-line.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { chosenName, readConfig } from '../../cli/session/config-file.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Config } from '../../cli/session/profile-schema.ts';
import { needsAscii } from '../../output/ascii.ts';
import { drawGrid, gap } from '../../output/grid.ts';
import type { Paint } from '../../output/paint.ts';
import type { View } from '../../output/view.ts';
import { width, wrap } from '../../output/width.ts';
import { addressCheck, configCheck, keychainCheck, networkCheck, profileCheck, tokenCheck } from './account-checks.ts';
import type { ApiFinding } from './api-prober.ts';
import type { Check, Finding } from './finding.ts';
import { type DoctorInput, doctorInput } from './input.ts';
import {
  clockCheck,
  directoryCheck,
  fileCheck,
  lockCheck,
  networkSettingsCheck,
  runtimeCheck,
  shellCheck,
  zoneRulesCheck,
} from './machine-checks.ts';
import { sharedStateCheck } from './shared-state-check.ts';
import { bookingCheck, moveCheck, runCheck } from './unfinished-work.ts';

const checks: Check[] = [
  runtimeCheck,
  shellCheck,
  directoryCheck,
  configCheck,
  fileCheck,
  profileCheck,
  addressCheck,
  keychainCheck,
  lockCheck,
  clockCheck,
  zoneRulesCheck,
  networkSettingsCheck,
  tokenCheck,
  sharedStateCheck,
  bookingCheck,
  moveCheck,
  runCheck,
];

const findingsView: View = {
  columns: [
    { header: 'CHECK', path: 'check', priority: 5, shrink: false },
    { header: 'STATUS', path: 'status', as: 'status', priority: 4 },
    { header: 'FINDING', path: 'finding', priority: 3 },
    { header: 'FIX', path: 'fix', priority: 2 },
  ],
  id: 'check',
};

/** With fewer columns than this for the findings, they go below the name of their check. */
const leastWidth = 30;

/** A finding with the word that people read before it. */
type Shown = Omit<Finding, 'status'> & { status: string };

/** For narrow terminals. */
const stacked = (findings: readonly Shown[], columns: number): string =>
  findings
    .flatMap(({ check, status, finding, fix }) => [
      ...wrap(`${status}${gap}${check}`, columns),
      ...[finding, ...(fix === null ? [] : [`fix: ${fix}`])]
        .flatMap((text) => wrap(text, Math.max(columns - gap.length, 1)))
        .map((line) => `${gap}${line}`),
    ])
    .map((line) => `${line}\n`)
    .join('');

/** Prints each fix in full below its finding. A normal table would shorten it. */
const drawFindings = (findings: readonly Shown[], columns: number): string => {
  const widest = (texts: string[]) => Math.max(...texts.map(width));
  const before = [widest(findings.map(({ status }) => status)), widest(findings.map(({ check }) => check))];
  const room = columns - before.reduce((sum, each) => sum + each + gap.length, 0);
  if (room < leastWidth) return stacked(findings, columns);
  const rows = findings.map(({ check, status, finding, fix }) => {
    const lines = [finding, ...(fix === null ? [] : [`fix: ${fix}`])].flatMap((text) => wrap(text, room));
    return [status, check, lines.join('\n')];
  });
  const last = widest(rows.flatMap(([, , lines]) => lines!.split('\n')));
  return drawGrid(
    rows,
    [...before, last].map((each) => ({ width: each })),
  );
};

/** Each finding starts with its status. The lines below it are indented. */
const paintStatus = (line: string, paint: Paint): string =>
  line
    .replace(/^(ok|note|problem|holds|doesn't|failed|unknown)\b/, paint.status)
    .replace(/^[✔!✗]/, (sign) =>
      sign === '✔' ? paint.done(sign) : sign === '!' ? paint.warning(sign) : paint.error(sign),
    );

/** The statuses on a terminal. */
const signs: Readonly<Record<Finding['status'], string>> = { ok: '✔', note: '!', problem: '✗' };

const verdictWords = { holds: 'holds', differs: "doesn't", unknown: 'unknown' };
/** The words for a terminal, which shows only what differs. */
const screenWords = { holds: 'ok', differs: 'failed', unknown: 'unknown' };

const findingsSummary = (findings: readonly Finding[]): string => {
  const [problems, notes] = (['problem', 'note'] as const).map(
    (kind) => findings.filter(({ status }) => status === kind).length,
  );
  const parts = [
    ...(problems === 0 ? [] : [counted(problems!, 'problem')]),
    ...(notes === 0 ? [] : [counted(notes!, 'note')]),
  ];
  return problems === 0 ? ['All good', ...parts].join(', ') : `Found ${parts.join(' and ')}`;
};

const showFindings = async (
  { runtime, printer, settings }: Context,
  findings: readonly Finding[],
  summary: string,
  labelOf: (finding: Finding) => string = ({ status }) => status,
): Promise<void> => {
  const columns = runtime.stdout.isTerminal ? runtime.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const isForPerson = settings.format === 'table' && settings.fields === undefined;
  const labeledFindings = findings.map((finding) => ({ ...finding, status: labelOf(finding) }));
  if (isForPerson && !settings.accessible && labeledFindings.length > 0)
    await printer.text(drawFindings(labeledFindings, columns), paintStatus);
  else await printer.list(findingsView, [[...findings]]);
  const label = settings.accessible ? 'Summary: ' : '';
  if (isForPerson && summary !== '')
    await printer.text(`\n${wrap(`${label}${summary}`, columns).join('\n')}`, (line, paint) => paint.heading(line));
};

/** `ok · 50 passed, 0 failed, 0 unknown (52 requests)` */
const apiSummary = (findings: readonly ApiFinding[], requests: string): string => {
  const [passed, failed, unknown] = (['holds', 'differs', 'unknown'] as const).map(
    (kind) => findings.filter(({ verdict }) => verdict === kind).length,
  );
  return `${failed === 0 ? 'ok · ' : ''}${passed} passed, ${failed} failed, ${unknown} unknown ${requests}`;
};

/** People see what differs, and everything with --verbose. */
const showApi = async (
  context: Context,
  findings: readonly ApiFinding[],
  summary: string,
  isChange: boolean,
): Promise<void> => {
  const { runtime, settings } = context;
  const isScreen = runtime.stdout.isTerminal && settings.format === 'table' && settings.fields === undefined;
  const words = isScreen ? screenWords : verdictWords;
  const shownFindings =
    isScreen && !settings.verbose && !isChange ? findings.filter(({ verdict }) => verdict !== 'holds') : findings;
  const text = isScreen && summary !== '' ? apiSummary(findings, summary.slice(summary.lastIndexOf('('))) : summary;
  await showFindings(context, shownFindings, text, (finding) => words[(finding as ApiFinding).verdict]);
};

const runDoctor = async (values: DoctorInput, { context }: Call): Promise<void> => {
  const { network } = values;
  if (values.api) {
    const { runApi } = await import('./api-command.ts');
    return runApi(values, context, (findings, summary) =>
      showApi(context, findings, summary, values.baseline !== undefined),
    );
  }
  const { runtime } = context;
  const config: Config | undefined = await readConfig(runtime).catch(() => undefined);
  const name = config && chosenName(context.settings.here.profile, runtime, config);
  const profile = name !== undefined && Object.hasOwn(config!.profiles, name) ? config!.profiles[name] : undefined;
  const account = profile === undefined ? undefined : { name: name!, profile };
  // All checks are about the profile, even if the sandbox was chosen.
  const here: Here = { ...context.settings.here, sandbox: false, profile: account?.name };
  const findings: Finding[] = [];
  for (const check of network ? [...checks, networkCheck] : checks)
    findings.push(...(await check({ runtime, config, name, account, network, settings: { here } })));
  const { calledAs } = runtime;
  const shell = { platform: runtime.platform, ...(calledAs && context.settings.format === 'table' && { calledAs }) };
  for (const each of findings) if (each.fix?.startsWith('sched ')) each.fix = typedLine(each.fix, shell);
  const isWell = findings.every(({ status }) => status !== 'problem');
  const hasSigns = runtime.stdout.isTerminal && !needsAscii(runtime.env);
  const label = ({ status }: Finding) => (hasSigns ? signs[status] : status);
  await showFindings(context, findings, isWell ? findingsSummary(findings) : '', label);
  if (!isWell) throw new SchedError('environment', findingsSummary(findings));
};

export const doctor: LeafCommand = {
  effect: 'read',
  mirror: aboutService,
  ...taking(doctorInput, runDoctor),
  examples: [
    'doctor',
    'doctor --network --json',
    'doctor --api',
    'doctor --api --only path,lists --json',
    'doctor --api --write-dialect acme.yaml',
    'doctor --api --baseline api.json',
  ],
  notes: [
    'Works even if the configuration is broken. Exits with code 3 if it finds a problem.',
    "--api sends about 60 reads and no writes, within the rate limit. It prints counts and names of fields, but no record: on a terminal only what differs, and everything with --verbose. What reads can't show doesn't count as a problem.",
    '--baseline writes what it found to the file. The next run shows only what is different, exits with 7 if anything is, and keeps the new state: so each change is told once. A service that does not reply changes nothing.',
  ],
  fields: ['check', 'status', 'finding', 'fix', 'verdict', 'seen', 'source'],
  local: ({ api }) => api !== true,
};
