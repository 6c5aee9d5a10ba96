import { SchedError } from '../../errors.ts';
import { safe } from '../../output/sanitise.ts';
import { idIn } from '../../uri.ts';
import type { Context } from './context.ts';
import { askYes } from './prompt.ts';

/** Which service and whose organization a write is about, in words. */
const placeOf = async (context: Context): Promise<string> => {
  const { baseUrl, isSandbox } = await context.connection();
  if (isSandbox) return 'the sandbox';
  const { account } = context.settings;
  // Who the token belongs to is worth a request here, but no failure of it.
  const organization = await context.identity().then(
    (identity) => idIn(identity.organization),
    () => undefined,
  );
  return [
    ...(organization ? [`organization ${organization}`] : []),
    `at ${baseUrl}`,
    ...(account === undefined ? [] : [`profile ${account.name}`]),
  ].join(', ');
};

/**
 * Asks before a write that a person should mean. `--yes` answers; where nobody can be asked, nothing is done.
 * A question about this machine alone has nothing to do with a service.
 */
export const confirm = async (
  context: Context,
  question: string,
  about: 'service' | 'this machine' = 'service',
): Promise<void> => {
  const { settings } = context;
  if (settings.yes) return;
  if (!settings.canAsk) {
    throw new SchedError('confirmation-required', `This asks first, and nobody can answer: ${question}`, {
      hint: 'add --yes to consent',
      outcome: 'not-sent',
    });
  }
  const place = about === 'service' ? await placeOf(context) : about;
  const asked = { question, facts: [['where', place]] as const, yes: 'go on', no: 'stop, and send nothing' };
  if (!(await askYes(context, asked, `${safe(question)}\n  ${safe(place)}\nGo on? [y/N] `))) {
    throw new SchedError('confirmation-required', 'Not confirmed, nothing was sent', { outcome: 'not-sent' });
  }
};
