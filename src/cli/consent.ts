import { SchedError } from '../errors.ts';
import type { Context } from './context.ts';

/** The same question for a screen reader: every answer is a line of its own. */
const numbered = (question: string, at: string, profile: string): string =>
  `Question: ${question}\nWhere: ${at}${profile}\n1: go on\n2: stop, and send nothing\nNumber, or Enter for 2: `;

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
  const profile = settings.account === undefined ? '' : `, profile ${settings.account.name}`;
  await runtime.stderr.write(
    settings.accessible
      ? numbered(question, baseUrl, profile)
      : `${question}\n  at ${baseUrl}${profile}\nGo on? [y/N] `,
  );
  const answer = (await runtime.stdin.line())?.trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes' && !(settings.accessible && answer === '1')) {
    throw new SchedError('confirmation-required', 'Not confirmed, nothing was sent', { outcome: 'not-sent' });
  }
};
