import { basename } from 'node:path';
import { shellWord } from '../../base/shell-quote.ts';
import type { SecretAnswer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { choice } from '../../cli/input/kinds.ts';
import { localCommand } from '../../cli/messages/suggested-line.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { environmentOf, type Serving } from '../../sandbox/open.ts';
import { sharedData } from './input.ts';
import { askRunning, servingAround, servingWith } from './running.ts';
import { conflicting } from './serving.ts';

const posix = (name: string, value?: string): string =>
  value === undefined ? `unset ${name}` : `export ${name}=${shellWord(value)}`;

/** How each shell sets a variable, or removes it. */
const shells: Readonly<Record<string, (name: string, value?: string) => string>> = {
  bash: posix,
  zsh: posix,
  fish: (name, value) => (value === undefined ? `set -e ${name}` : `set -gx ${name} ${shellWord(value)}`),
  powershell: (name, value) =>
    value === undefined ? `Remove-Item Env:${name}` : `$env:${name} = '${value.replaceAll("'", "''")}'`,
};

const shellOf = ({ env, platform }: HeadlessRuntime): string => {
  if (platform === 'win32' && !env.SHELL) return 'powershell';
  return basename(env.SHELL ?? '') === 'fish' ? 'fish' : 'bash';
};

/** Lines that set the variables of a running sandbox, for this shell. */
export const exportLines = (serving: Serving, shell = 'bash'): string[] =>
  Object.entries(environmentOf(serving)).map(([name, value]) => shells[shell]!(name, value));

/** What to type in another terminal to use the sandbox with this data. */
export const useLine = (runtime: HeadlessRuntime, data: string | undefined): string => {
  const command = localCommand('sandbox', 'env', ...(data === undefined ? [] : ['--data', data]));
  const shell = shellOf(runtime);
  if (shell === 'fish') return `${command} | source`;
  return shell === 'powershell' ? `${command} | Invoke-Expression` : `eval "$(${command})"`;
};

/** The running sandbox. One that the environment names may have been stopped and started again, with a new secret. */
const findRunning = async (runtime: HeadlessRuntime, data: string | undefined): Promise<Serving> => {
  const check = async (serving: Serving): Promise<Serving> => {
    await askRunning(runtime, serving, { call: 'GET /__sandbox/clock', refusal: 'No reply' });
    return serving;
  };
  const around = servingAround(runtime, data);
  const sandboxAround = around && (await check(around).catch(() => undefined));
  return sandboxAround ?? check(await servingWith(runtime, data));
};

const entries = {
  data: sharedData,
  shell: choice(Object.keys(shells), 'shell to print for (default: yours)', { value: 'SHELL' }),
};

const runEnv = async (values: Values<typeof entries>, { context }: Call): Promise<SecretAnswer> => {
  const { runtime } = context;
  const serving = await findRunning(runtime, values.data);
  const shell = values.shell ?? shellOf(runtime);
  const unsetLines = conflicting.filter((name) => runtime.env[name]).map((name) => shells[shell]!(name));
  const lines = [...unsetLines, ...exportLines(serving, shell)];
  return { kind: 'secret', text: lines.join('\n'), json: { ...environmentOf(serving) } };
};

export const envCommand: Command = {
  name: 'env',
  summary: 'Print the variables that make a shell use the running sandbox',
  ...taking(input(entries), runEnv),
  local: true,
  examples: ['sandbox env', 'sandbox env --data ./sandbox.db', 'sandbox env --shell fish'],
  notes: [
    'In bash and zsh: eval "$(sched sandbox env)". In fish: sched sandbox env | source. From then on, sched in this shell uses that sandbox.',
    'Variables that would still point sched elsewhere (SCHED_SANDBOX, SCHED_PROFILE, SCHED_TOKEN_FILE, SCHED_USER, SCHED_ORG) are removed.',
    'If no sandbox runs with this data, the exit code is 3.',
  ],
};
