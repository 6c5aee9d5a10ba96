import { addressCheck, configCheck, keychainCheck, networkCheck, profileCheck, tokenCheck } from './account.ts';
import type { Check, DoctorContext, Finding } from './finding.ts';
import { clockCheck, directoryCheck, fileCheck, lockCheck, networkSettingsCheck, runtimeCheck } from './machine.ts';
import { sharedStateCheck } from './shared-state.ts';
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
  sharedStateCheck,
  bookingCheck,
  runCheck,
];

/** Checks everything that commands depend on; with `network` also the service. */
export async function* runChecks(context: DoctorContext): AsyncGenerator<Finding[]> {
  for (const check of context.network ? [...checks, networkCheck] : checks) yield await check(context);
}
