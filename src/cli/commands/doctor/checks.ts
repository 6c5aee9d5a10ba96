import { addressCheck, configCheck, keychainCheck, networkCheck, profileCheck, tokenCheck } from './account.ts';
import type { Check, DoctorContext, Finding } from './finding.ts';
import { clockCheck, directoryCheck, fileCheck, lockCheck, networkSettingsCheck, runtimeCheck } from './machine.ts';
import { bookingCheck, runCheck } from './unfinished-work.ts';

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
  bookingCheck,
  runCheck,
];

/** Checks everything that commands depend on; with `network`, the service too. */
export async function* runChecks(context: DoctorContext, network: boolean): AsyncGenerator<Finding[]> {
  for (const check of network ? [...checks, networkCheck] : checks) yield await check(context);
}
