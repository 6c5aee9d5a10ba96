import { the, words } from '../base/words.ts';
import { commonFormats, ownFormats } from '../output/formats.ts';
import type { Runtime } from '../runtime.ts';
import type { Command, ParsedCommand } from './command.ts';
import type { Given } from './input/given.ts';
import { mirrorProblem } from './mirror-answer.ts';
import type { Account, Settings } from './session/settings.ts';

/** A command line whose settings are known. */
interface Settled extends Pick<ParsedCommand, 'given' | 'problems'> {
  command: Command;
  runtime: Runtime;
  settings: Settings;
  account: Account | undefined;
}

/** A problem that a mode has with a command. */
type Check = (settled: Settled) => void | Promise<void>;

/** Whether a command needs no account. */
export const isLocal = ({ local }: Pick<Command, 'local'>, given: Given): boolean =>
  typeof local === 'function' ? local(given) : local === true;

const profile: Check = ({ command, given, settings, account, problems }) => {
  const { profileIs } = settings;
  if (isLocal(command, given)) return;
  if (settings.sandbox && given.profile !== undefined)
    problems.add(
      words`${the('profile')} ${given.profile as string} can't be used with the sandbox, which has its own account`,
      (own) => own.setFlag('profile', false),
    );
  if (profileIs !== undefined && profileIs !== account?.name)
    problems.add(
      words`${the('profileIs')} is "${profileIs}", but ${account === undefined ? 'no profile is in use' : `the profile in use is "${account.name}"`}`,
    );
};

const mirror: Check = ({ command, settings, problems }) => {
  const problem = settings.mirror && mirrorProblem(command);
  if (problem) problems.add(problem, (own) => own.setFlag('mirror', false));
};

const dryRun: Check = ({ command, settings, problems }) => {
  if (settings.dryRun && command.operation === undefined && !command.freeForm && command.effect !== 'change')
    problems.add(
      words`${the(settings.curl ? 'curl' : 'dryRun')} doesn't work with this command, because it is not a single request`,
    );
  if (settings.noCheck && !settings.dryRun)
    problems.add(words`${the('noCheck')} only works with ${the('dryRun')} and ${the('curl')}`, (own) =>
      own.setFlag('no-check', false),
    );
};

const format: Check = ({ command, settings: { format, fields }, problems }) => {
  if (format !== 'ics' && format !== 'text') return;
  if (command.ownFormat !== format)
    problems.value(
      'output',
      format,
      `-o ${format} only works with ${ownFormats[format]}. Use one of ${commonFormats.join(', ')}`,
    );
  if (fields !== undefined) problems.add(words`${the('fields')} can't be used with -o ${format}`);
};

const jq: Check = async ({ settings, runtime, problems }) => {
  if (settings.jq === undefined) return;
  const { jqProblem } = await import('../output/jq.ts');
  const problem = await jqProblem(settings.jq, runtime.interrupted);
  if (problem !== undefined) problems.add(problem);
};

/** The problems that modes have with commands, in the order in which they are reported. */
export const checks: readonly Check[] = [profile, mirror, dryRun, format, jq];
