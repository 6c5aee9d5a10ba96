import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beside, besideWithCpu, type Figure, interleave } from './measurement.ts';
import {
  cleanEnvironment,
  cpuHook,
  hasStandalone,
  isInstalled,
  sched,
  spent,
  standalone,
  startSandbox,
  timed,
  untilShown,
} from './programs.ts';

const rounds = 21;

/** A script that gets and prints the same page as `events list --limit 1 --json`. */
const fetchScript = `
const { SCHED_BASE_URL: base, SCHED_TOKEN: token } = process.env;
const query = new URLSearchParams({ user: process.argv[2], count: '1' });
const reply = await fetch(\`\${base}/scheduled_events?\${query}\`, {
  headers: { accept: 'application/json', authorization: \`Bearer \${token}\` },
});
if (!reply.ok) throw new Error(await reply.text());
const { collection } = await reply.json();
process.stdout.write(\`\${JSON.stringify(collection, null, 2)}\\n\`);
`;

const isNode20 = process.versions.node.startsWith('20.');
/** Node 20 is slow to load its own fetch, later versions are not. */
const pageTarget = isNode20 ? 0.9 : 1.6;
const helpTarget = isNode20 ? 3 : 2.5;

const others = { gh: ['gh', '--version'], aws: ['aws', '--version'], curl: ['curl', '--version'] };

/** How long people wait for the first row of a table, compared to the start of a program that has nothing to fetch. */
const firstRow = async (env: Record<string, string>): Promise<Figure> => {
  const name = 'first row of sched events list on a terminal, beside gh --version';
  if (!isInstalled('script', '--version')) return { name, skipped: 'the script program is not installed' };
  if (!isInstalled('gh', '--version')) return { name, skipped: 'gh is not installed' };
  const list = [process.execPath, sched, 'events', 'list'];
  const side = await interleave(
    {
      gh: () => untilShown(['gh', '--version'], env, /gh version/),
      ours: () => untilShown(list, { ...env, PAGER: 'cat' }, /\d:\d\d/),
    },
    rounds,
  );
  return beside(name, 'ms', side.ours, side.gh);
};

/** How long a command takes from start to end, compared to an empty module, a plain script and other programs. */
export const measure = async (): Promise<Figure[]> => {
  const home = mkdtempSync(join(tmpdir(), 'sched-bench-'));
  const empty = join(home, 'empty.mjs');
  const script = join(home, 'fetch.mjs');
  writeFileSync(empty, '');
  writeFileSync(script, fetchScript);
  const cpu = join(home, 'cpu.cjs');
  writeFileSync(cpu, cpuHook);
  const sandbox = await startSandbox(home, cpu);
  try {
    const { base_url, token } = sandbox;
    const env = cleanEnvironment(home, { SCHED_BASE_URL: base_url, SCHED_TOKEN: token });
    const me = await fetch(`${base_url}/users/me`, { headers: { authorization: `Bearer ${token}` } });
    const { resource } = (await me.json()) as { resource: { uri: string } };
    const page = ['events', 'list', '--limit', '1', '--json'];
    const node = (...words: string[]) => spent(cpu, words, env);
    const took = await interleave(
      {
        empty: () => node(empty),
        version: () => node(sched, '--version'),
        help: () => node(sched, '--help'),
        commandHelp: () => node(sched, 'events', 'list', '--help'),
        page: () => node(sched, ...page),
        dialect: () => spent(cpu, [sched, ...page], { ...env, SCHED_DIALECT: 'calendly' }),
      },
      rounds,
    );
    const besideScript = await interleave(
      { script: () => spent(cpu, [script, resource.uri], env), page: () => spent(cpu, [sched, ...page], env) },
      rounds,
    );
    const figures: Figure[] = [
      besideWithCpu('sched --version, beside an empty module', 'ms', took.version, took.empty, { most: 1.15 }),
      besideWithCpu('sched --help, beside an empty module', 'ms', took.help, took.empty, { most: 2.5 }),
      besideWithCpu('sched events list --help, beside an empty module', 'ms', took.commandHelp, took.empty, {
        most: helpTarget,
      }),
      besideWithCpu(
        'sched events list --limit 1 --json, beside a fetch script',
        'ms',
        besideScript.page,
        besideScript.script,
        { most: pageTarget },
      ),
      // The first run, which is not measured, caches the dialect. 5 ms are 3 % of a page.
      besideWithCpu(
        'sched events list --limit 1 --json with a dialect, beside without',
        'ms',
        took.dialect,
        took.page,
        {
          most: 1.03,
        },
      ),
    ];

    for (const [name, command] of Object.entries(others)) {
      const words = command.join(' ');
      if (!isInstalled(command[0]!, ...command.slice(1))) {
        figures.push({ name: `sched --version, beside ${words}`, skipped: `${name} is not installed` });
        continue;
      }
      const ours = () => timed([process.execPath, sched, '--version'], env);
      const side = await interleave({ other: () => timed(command, env), ours }, 9);
      figures.push(beside(`sched --version, beside ${words}`, 'ms', side.ours, side.other));
    }

    figures.push(await firstRow(env));

    const whole: [string, string[], number][] = [
      ['--version', ['--version'], 0.25],
      ['events list --limit 1', page, 0.8],
    ];
    for (const [words, args, most] of whole) {
      const name = `standalone sched ${words}, beside gh --version`;
      if (!hasStandalone) figures.push({ name, skipped: 'not built' });
      else if (!isInstalled('gh', '--version')) figures.push({ name, skipped: 'gh is not installed' });
      else {
        const gh = () => timed(['gh', '--version'], env);
        const side = await interleave({ gh, ours: () => timed([standalone, ...args], env) }, rounds);
        figures.push(beside(name, 'ms', side.ours, side.gh, { most }));
      }
    }
    return figures;
  } finally {
    sandbox.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
};
