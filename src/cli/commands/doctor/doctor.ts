import { SchedError } from '../../../errors.ts';
import { counted } from '../../../numbers.ts';
import { drawGrid, gap } from '../../../output/grid.ts';
import type { Paint } from '../../../output/paint.ts';
import type { View } from '../../../output/view.ts';
import { width, wrap } from '../../../output/width.ts';
import type { Invocation, LeafCommand } from '../../command.ts';
import { chosenName, readConfig } from '../../session/config-file.ts';
import type { Config } from '../../session/profile-schema.ts';
import { addressCheck, configCheck, keychainCheck, networkCheck, profileCheck, tokenCheck } from './account.ts';
import type { Check, Finding } from './finding.ts';
import {
  clockCheck,
  directoryCheck,
  fileCheck,
  lockCheck,
  networkSettingsCheck,
  runtimeCheck,
} from './machine-checks.ts';
import { sharedStateCheck } from './shared-state-check.ts';
import { bookingCheck, moveCheck, runCheck } from './unfinished-work.ts';

const checks: Check[] = [
  runtimeCheck,
  directoryCheck,
  configCheck,
  fileCheck,
  profileCheck,
  addressCheck,
  keychainCheck,
  lockCheck,
  clockCheck,
  networkSettingsCheck,
  tokenCheck,
  sharedStateCheck,
  bookingCheck,
  moveCheck,
  runCheck,
];

const view: View = {
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

/** For narrow terminals. */
const stacked = (findings: readonly Finding[], columns: number): string =>
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
const drawn = (findings: readonly Finding[], columns: number): string => {
  const widest = (texts: string[]) => Math.max(...texts.map(width));
  const before = [widest(findings.map(({ status }) => status)), widest(findings.map(({ check }) => check))];
  const left = columns - before.reduce((sum, each) => sum + each + gap.length, 0);
  if (left < leastWidth) return stacked(findings, columns);
  const rows = findings.map(({ check, status, finding, fix }) => {
    const lines = [finding, ...(fix === null ? [] : [`fix: ${fix}`])].flatMap((text) => wrap(text, left));
    return [status, check, lines.join('\n')];
  });
  const last = widest(rows.flatMap(([, , lines]) => lines!.split('\n')));
  return drawGrid(
    rows,
    [...before, last].map((each) => ({ width: each })),
  );
};

/** Each finding starts with its status. The lines below it are indented. */
const paintStatus = (line: string, { status }: Paint): string => line.replace(/^(ok|note|problem)\b/, status);

const summaryOf = (findings: readonly Finding[]): string => {
  const [problems, notes] = (['problem', 'note'] as const).map(
    (wanted) => findings.filter(({ status }) => status === wanted).length,
  );
  const parts = [
    ...(problems === 0 ? [] : [counted(problems!, 'problem')]),
    ...(notes === 0 ? [] : [counted(notes!, 'note')]),
  ];
  return problems === 0 ? ['All good', ...parts].join(', ') : `Found ${parts.join(' and ')}`;
};

const run = async ({ context, typed, problems }: Invocation): Promise<void> => {
  problems.check();
  const { runtime, printer, settings } = context;
  const config: Config | undefined = await readConfig(runtime).catch(() => undefined);
  const name = config && chosenName(typed.profile as string | undefined, runtime, config);
  const profile = name !== undefined && Object.hasOwn(config!.profiles, name) ? config!.profiles[name] : undefined;
  const account = profile === undefined ? undefined : { name: name!, profile };
  const columns = runtime.stdout.isTerminal ? runtime.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const findings: Finding[] = [];
  const network = typed.network === true;
  for (const check of network ? [...checks, networkCheck] : checks)
    findings.push(...(await check({ runtime, config, name, account, network })));
  const isForPerson = settings.format === 'table' && settings.fields === undefined;
  if (isForPerson && !settings.accessible) await printer.text(drawn(findings, columns), paintStatus);
  else await printer.list(view, [findings]);
  if (findings.some(({ status }) => status === 'problem')) throw new SchedError('environment', summaryOf(findings));
  const label = settings.accessible ? 'Summary: ' : '';
  if (isForPerson) await printer.text(`\n${label}${summaryOf(findings)}`, (line, paint) => paint.heading(line));
};

export const doctor: LeafCommand = {
  effect: 'read',
  arguments: [],
  flags: [{ name: 'network', description: 'also contact the service, check the token and compare the clocks' }],
  examples: ['doctor', 'doctor --network --json'],
  notes: ['Works even if the configuration is broken. Exits with code 3 if it finds a problem.'],
  fields: ['check', 'status', 'finding', 'fix'],
  local: true,
  run,
};
