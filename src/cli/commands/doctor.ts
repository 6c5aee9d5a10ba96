import { SchedError } from '../../errors.ts';
import type { View } from '../../output/view.ts';
import { wrap } from '../../output/width.ts';
import type { Config } from '../../profile/schema.ts';
import { chosenName, readConfig } from '../../profiles.ts';
import type { Command, Invocation } from '../command.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';

const view: View = {
  columns: [
    { header: 'CHECK', path: 'check', priority: 5, shrink: false },
    { header: 'STATUS', path: 'status', as: 'status', priority: 4 },
    { header: 'FINDING', path: 'finding', priority: 3 },
    { header: 'MEND', path: 'mend', priority: 2 },
  ],
  id: 'check',
};

/** Text that begins behind so many columns, and goes on below its beginning where the screen is narrow. */
const hanging = (start: string, text: string, columns: number): string =>
  start + wrap(text, Math.max(columns - start.length, 20)).join(`\n${' '.repeat(start.length)}`);

/** A table would cut what to do; here it stands whole, below what is wrong. */
const spoken = ({ check, status, finding, mend }: Finding, columns: number): string =>
  [
    hanging(`${status.padEnd(9)}${check.padEnd(18)}`, finding, columns),
    ...(mend === null ? [] : [hanging(`${' '.repeat(9)}mend: `, mend, columns)]),
  ].join('\n');

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
  for await (const found of examine({ runtime, config, name, account }, typed.network === true))
    findings.push(...found);
  if (settings.format === 'table' && settings.fields === undefined && !settings.accessible)
    await printer.text(findings.map((finding) => spoken(finding, columns)).join('\n'));
  else await printer.list(view, pagesOf(findings));
  const wrong = findings.filter(({ status }) => status === 'problem');
  if (wrong.length === 0) return;
  throw new SchedError('environment', `${wrong.length} ${wrong.length === 1 ? 'thing is' : 'things are'} wrong`, {
    ...(wrong[0]!.mend === null ? {} : { hint: wrong[0]!.mend }),
    outcome: 'not-sent',
  });
};

export const commands: Command[] = [
  {
    name: 'doctor',
    summary: 'Look at everything a command rests on, and say how to mend it',
    arguments: [],
    flags: [
      { name: 'network', description: 'ask the service too: is it there, and does the clock agree', heading: 'Flags' },
    ],
    examples: ['doctor', 'doctor --network --json'],
    notes: ['Works when the configuration is broken. Exit code 3 if something is wrong.'],
    fields: ['check', 'status', 'finding', 'mend'],
    local: true,
    run,
  },
];
