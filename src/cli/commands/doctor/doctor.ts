import { SchedError } from '../../../errors.ts';
import { drawGrid, gap } from '../../../output/grid.ts';
import type { View } from '../../../output/view.ts';
import { width, wrap } from '../../../output/width.ts';
import type { Command, Invocation } from '../../command.ts';
import type { Config } from '../../session/profile-schema.ts';
import { chosenName, readConfig } from '../../session/profiles.ts';
import { runChecks } from './checks.ts';
import type { Finding } from './finding.ts';

const view: View = {
  columns: [
    { header: 'CHECK', path: 'check', priority: 5, shrink: false },
    { header: 'STATUS', path: 'status', as: 'status', priority: 4 },
    { header: 'FINDING', path: 'finding', priority: 3 },
    { header: 'FIX', path: 'fix', priority: 2 },
  ],
  id: 'check',
};

/** A list would shorten what to do. Here it stands whole, below what was found. */
const drawn = (findings: readonly Finding[], columns: number): string => {
  const widest = (texts: string[]) => Math.max(...texts.map(width));
  const before = [widest(findings.map(({ status }) => status)), widest(findings.map(({ check }) => check))];
  const left = Math.max(columns - before.reduce((sum, each) => sum + each + gap.length, 0), 20);
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

async function* pagesOf(findings: Finding[]) {
  yield findings;
}

const run = async ({ context, typed, problems }: Invocation): Promise<void> => {
  problems.check();
  const { runtime, printer, settings } = context;
  const config: Config | undefined = await readConfig(runtime).catch(() => undefined);
  const name = config && chosenName(typed.profile as string | undefined, runtime, config);
  const profile = name !== undefined && Object.hasOwn(config!.profiles, name) ? config!.profiles[name] : undefined;
  const account = profile === undefined ? undefined : { name: name!, profile };
  const columns = runtime.stdout.isTerminal ? runtime.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  const findings: Finding[] = [];
  for await (const found of runChecks({ runtime, config, name, account }, typed.network === true))
    findings.push(...found);
  if (settings.format === 'table' && settings.fields === undefined && !settings.accessible)
    await printer.text(drawn(findings, columns));
  else await printer.list(view, pagesOf(findings));
  const wrong = findings.filter(({ status }) => status === 'problem');
  if (wrong.length === 0) return;
  throw new SchedError('environment', `${wrong.length} ${wrong.length === 1 ? 'thing is' : 'things are'} wrong`, {
    ...(wrong[0]!.fix === null ? {} : { hint: wrong[0]!.fix }),
    outcome: 'not-sent',
  });
};

export const commands: Command[] = [
  {
    name: 'doctor',
    summary: 'Look at everything a command rests on, and say how to fix it',
    arguments: [],
    flags: [
      { name: 'network', description: 'ask the service too: is it there, and does the clock agree', heading: 'Flags' },
    ],
    examples: ['doctor', 'doctor --network --json'],
    notes: ['Works when the configuration is broken. Exit code 3 if something is wrong.'],
    fields: ['check', 'status', 'finding', 'fix'],
    local: true,
    run,
  },
];
