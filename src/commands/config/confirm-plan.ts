import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import type { Question } from '../../cli/answer/plan.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Context } from '../../cli/session/context.ts';
import { entriesNow, planPicture, shortDigest } from './diff.ts';
import type { ApplyInput } from './input.ts';
import type { Comparison } from './read-plan.ts';
import { countText } from './screen.ts';
import type { Plan } from './work-model.ts';

/** A new event type can't be deleted again, and a deletion can't be undone. */
const neededAllowances = ({ changes }: Plan) =>
  (['create', 'delete'] as const).filter((word) =>
    changes.some(({ action }) => (action === 'replace' ? 'delete' : action) === word),
  );

/** What --yes alone may not do. */
export const checkAllowed = (context: Context, { allow, file }: ApplyInput, plan: Plan): void => {
  const lacking = neededAllowances(plan).filter((word) => !allow.includes(word));
  if (lacking.length === 0) return;
  throw new SchedError('confirmation-required', words`${the('yes')} alone doesn't ${lacking.join(' or ')} anything`, {
    reason: `${plan.file} would ${lacking.join(' and ')} records. To see them: ${commandHere(context, 'config', 'diff', file.path)}`,
    hint: { flags: { allow: neededAllowances(plan).join(',') } },
  });
};

/** Text that a model obeys could send all bookings to any address. */
export const checkTool = ({ changes }: Plan): void => {
  if (!changes.some(({ kind, action }) => kind === 'webhook' && action !== 'delete')) return;
  throw new SchedError('usage', "A tool can't create webhooks", {
    advice: ['a person can run ', { command: ['config', 'apply', 'FILE'] }],
  });
};

/** Shows a plan and asks about it. It is confirmed by its digest where nobody can be asked. */
export const planQuestion = async (context: Context, comparison: Comparison): Promise<Question> => {
  const { plan } = comparison;
  return {
    picture: await planPicture(context, comparison),
    question: `Apply ${plan.changes.length === 1 ? 'this change' : 'these changes'}?`,
    isFinal: plan.changes.some(
      ({ kind, action }) => action !== 'update' && !(kind === 'webhook' && action === 'create'),
    ),
    action: `apply ${plan.file} (${countText(entriesNow(context, comparison))})`,
    flags: { confirm: shortDigest(comparison) },
  };
};
