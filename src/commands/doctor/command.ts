import { SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { type Shell, typedLine } from '../../base/shell-quote.ts';
import type { NoAnswer, RowsAnswer } from '../../cli/answer/answer.ts';
import type { LeafCommand } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import type { Here } from '../../cli/messages/suggested-line.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { chosenName, readConfig } from '../../cli/session/config-file.ts';
import type { Config } from '../../cli/session/profile-schema.ts';
import { addressCheck, configCheck, keychainCheck, networkCheck, profileCheck, tokenCheck } from './account-checks.ts';
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
import { findingsView, reportOf } from './screen.ts';
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

/** The statuses on a terminal. */
const signs: Readonly<Record<Finding['status'], string>> = { ok: '✔', note: '!', problem: '✗' };

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

const runDoctor = async (values: DoctorInput, { context }: Call): Promise<RowsAnswer | NoAnswer> => {
  const { network } = values;
  if (values.api) return (await import('./api-command.ts')).runApi(values, context);
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
  const isWell = findings.every(({ status }) => status !== 'problem');
  const { calledAs, platform } = runtime;
  const fixesIn = (shell: Shell): Finding[] =>
    findings.map((each) => (each.fix?.startsWith('sched ') ? { ...each, fix: typedLine(each.fix, shell) } : each));
  const report: RowsAnswer['report'] = ({ isTerminal, isAscii }) => ({
    ...reportOf(fixesIn({ platform, ...(calledAs && { calledAs }) }), ({ status }) =>
      isTerminal && !isAscii ? signs[status] : status,
    ),
    summary: isWell ? findingsSummary(findings) : undefined,
  });
  return {
    kind: 'rows',
    view: findingsView,
    pages: [fixesIn({ platform })],
    report,
    failure: isWell ? undefined : new SchedError('environment', findingsSummary(findings)),
  };
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
