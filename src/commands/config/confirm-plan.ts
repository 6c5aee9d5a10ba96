import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { confirm } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { asciiForm, needsAscii } from '../../output/ascii.ts';
import { createPaint, placeText } from '../../output/paint.ts';
import { entriesNow, planText, shortDigest } from './diff.ts';
import type { ApplyInput } from './input.ts';
import type { Comparison } from './read-plan.ts';
import { countText } from './screen.ts';
import type { Plan } from './work-model.ts';

/** A new event type can't be deleted again, and a deletion can't be undone. */
const neededAllowances = ({ changes }: Plan) =>
  (['create', 'delete'] as const).filter((word) =>
    changes.some(({ action }) => (action === 'replace' ? 'delete' : action) === word),
  );

const checkAllowed = (context: Context, { allow, file }: ApplyInput, plan: Plan): void => {
  const lacking = neededAllowances(plan).filter((word) => !allow.includes(word));
  if (lacking.length === 0) return;
  throw new SchedError('confirmation-required', words`${the('yes')} alone doesn't ${lacking.join(' or ')} anything`, {
    reason: `${plan.file} would ${lacking.join(' and ')} records. To see them: ${commandHere(context, 'config', 'diff', file.path)}`,
    hint: { flags: { allow: neededAllowances(plan).join(',') } },
  });
};

/** Text that a model obeys could send all bookings to any address. */
const checkTool = ({ changes }: Plan): void => {
  if (!changes.some(({ kind, action }) => kind === 'webhook' && action !== 'delete')) return;
  throw new SchedError('usage', "A tool can't create webhooks", {
    advice: ['a person can run ', { command: ['config', 'apply', 'FILE'] }],
  });
};

/** Returns if the user confirms the plan: by its digest, by --yes, or at a prompt that shows it. */
export const confirmPlan = async (
  context: Context,
  input: ApplyInput,
  comparison: Comparison,
  isConfirmed: boolean,
): Promise<void> => {
  const { settings, runtime, notes, frontend } = context;
  if (frontend !== undefined) checkTool(comparison.plan);
  else if (isConfirmed) return;
  else if (settings.yes) return checkAllowed(context, input, comparison.plan);
  const paint = createPaint(settings.canAsk ? notes.color : undefined);
  const place = () => placeText(notes.takePlace(), paint);
  const text = (await planText(context, comparison))({ paint, available: runtime.stderr.columns || 80, place });
  const lines = text.trimEnd().split('\n');
  await notes.flush();
  if (settings.canAsk) await runtime.stderr.write(needsAscii(runtime.env) ? asciiForm(text) : text);
  else if (frontend === undefined) for (const line of lines) notes.always(line);
  const changes = countText(entriesNow(context, comparison));
  await confirm(context, {
    question: `Apply ${comparison.plan.changes.length === 1 ? 'this change' : 'these changes'}?`,
    isFinal: comparison.plan.changes.some(
      ({ kind, action }) => action !== 'update' && !(kind === 'webhook' && action === 'create'),
    ),
    action: `apply ${comparison.plan.file} (${changes})`,
    flags: { confirm: shortDigest(comparison) },
    list: frontend === undefined ? [] : lines.slice(1),
  });
};
