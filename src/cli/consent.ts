import { SchedError } from '../errors.ts';
import type { Context } from './context.ts';

/** Asks before a write that a person should mean. `--yes` answers; where nobody can be asked, nothing is done. */
export const requireConsent = async (context: Context, question: string): Promise<void> => {
  const { settings, runtime, notes } = context;
  if (settings.yes) return;
  if (!settings.canAsk) {
    throw new SchedError('confirmation-required', `This asks first, and nobody can answer: ${question}`, {
      hint: 'add --yes to consent',
      outcome: 'not-sent',
    });
  }
  const { baseUrl } = await context.connection();
  await notes.flush();
  await runtime.stderr.write(`${question}\n  at ${baseUrl}\nGo on? [y/N] `);
  const answer = (await runtime.stdin.line())?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') {
    throw new SchedError('confirmation-required', 'Not confirmed, nothing was sent', { outcome: 'not-sent' });
  }
};
