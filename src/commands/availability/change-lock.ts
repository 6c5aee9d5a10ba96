import { fallBack, type SchedError } from '../../base/errors.ts';
import type { Context } from '../../cli/session/context.ts';
import { type ChangeLock, changeLockName, changeLockOptions, waitWords } from '../../state/change-lock.ts';
import type { LockOptions } from '../../state/lock.ts';
import { sandboxService, serviceName } from '../../state/service-name.ts';

/** R66: the lock for changes of an organization, by default the user's. */
export const changeLockOf = async (
  context: Context,
  organization?: string,
  options: Pick<LockOptions, 'waitMs'> = {},
): Promise<ChangeLock> => {
  const { identity, notes } = context;
  const { baseUrl, isSandbox } = await context.connection();
  // A command that needs no organization must not fail because of it.
  const unknown = fallBack('', 'forbidden', 'not-found', 'usage', 'environment');
  const own = organization ?? (await identity.organization().catch(unknown));
  const name = changeLockName(isSandbox ? sandboxService : serviceName(baseUrl), own);
  const onWait: LockOptions['onWait'] = (pid, machine) => notes.info(waitWords(pid, machine));
  return {
    locks: (await context.sharedState()).locks(name, { ...changeLockOptions, onWait, ...options }),
    onUnlocked: (why) => notes.info(`Other sched processes may change the same at the same time. ${why}`),
  };
};

/** Notes that a schedule can't be read after its change. */
export const noteUnread = ({ notes }: Context, label: string, { message, facts }: SchedError): void =>
  notes.info(`changed, but not read back: ${label}: ${message}${facts.reason ? ` (${facts.reason})` : ''}`);
