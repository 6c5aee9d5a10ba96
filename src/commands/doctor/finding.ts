import { SchedError } from '../../base/errors.ts';
import type { Here } from '../../cli/messages/suggested-line.ts';
import type { Config } from '../../cli/session/profile-schema.ts';
import type { Account } from '../../cli/session/settings.ts';
import { urlProblem } from '../../http/proxy.ts';
import type { HeadlessRuntime } from '../../runtime.ts';

/** The result of one check: what it found and, if that is a problem, how to fix it. */
export interface Finding {
  check: string;
  status: 'ok' | 'note' | 'problem';
  finding: string;
  fix: string | null;
}

/** The context of all checks. `config` is undefined if the configuration is broken: doctor must work even then. */
export interface DoctorContext {
  runtime: HeadlessRuntime;
  config: Config | undefined;
  /** Name of the selected profile, even if no such profile exists. */
  name: string | undefined;
  account: Account | undefined;
  /** What a fix must name. */
  settings: { here: Here };
  /** Whether to contact the service. */
  network: boolean;
}

export type Check = (context: DoctorContext) => Promise<Finding[]>;

const findingOf =
  (status: Finding['status']) =>
  (check: string, finding: string, fix: string | null = null): Finding => ({ check, status, finding, fix });

export const [ok, note, problem] = [findingOf('ok'), findingOf('note'), findingOf('problem')];

export const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof SchedError && error.facts.reason !== undefined
    ? `${error.message}: ${error.facts.reason}`
    : error.message;
};

/** The base URL that commands use, or undefined if it is missing or not a URL. */
export const baseUrlOf = ({ runtime, account }: DoctorContext): string | undefined => {
  const url = runtime.env.SCHED_BASE_URL || account?.profile.base_url;
  return url === undefined || urlProblem(url) !== undefined ? undefined : url.replace(/\/+$/, '');
};
