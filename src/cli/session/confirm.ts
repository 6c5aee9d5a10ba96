import { SchedError } from '../../errors.ts';
import { safe } from '../../output/sanitise.ts';
import { idIn } from '../../uri.ts';
import type { Context } from './context.ts';
import { askYes } from './prompt.ts';

/** Describes the service, organization and profile that a write affects. */
const placeOf = async (context: Context): Promise<string> => {
  const { baseUrl, isSandbox } = await context.connection();
  if (isSandbox) return 'the sandbox';
  const { account } = context.settings;
  // Finding the organization is worth a request, but the prompt must work without it.
  const organization = await context.identity.organization().then(
    (uri) => idIn(uri),
    () => undefined,
  );
  return [
    ...(organization ? [`organization ${organization}`] : []),
    `at ${baseUrl}`,
    ...(account === undefined ? [] : [`profile ${account.name}`]),
  ].join(', ');
};

/**
 * Prompts before a write. Returns without a prompt if `--yes` is set; throws if there is no terminal or the answer is
 * no. With `this machine`, the prompt names no service.
 */
export const confirm = async (
  context: Context,
  question: string,
  about: 'service' | 'this machine' = 'service',
): Promise<void> => {
  const { settings } = context;
  if (settings.yes) return;
  if (!settings.canAsk) {
    throw new SchedError(
      'confirmation-required',
      `Confirmation needed, but there is no terminal to ask on: ${question}`,
      {
        hint: { flags: { yes: true } },
        outcome: 'not-sent',
      },
    );
  }
  const place = about === 'service' ? await placeOf(context) : about;
  const asked = { question, facts: [['where', place]] as const, yes: 'continue', no: 'stop and send nothing' };
  if (!(await askYes(context, asked, `${safe(question)}\n  ${safe(place)}\nContinue? [y/N] `))) {
    throw new SchedError('confirmation-required', 'Not confirmed. Nothing was sent', { outcome: 'not-sent' });
  }
};
